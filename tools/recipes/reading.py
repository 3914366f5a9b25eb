"""Recipes as they are written, read into data; whether they could run is not looked at here."""

import msgspec

from messages.taught import Taught


class BadRecipe(Exception):
    """A recipe cannot be used; the message says why, and what to do."""


def decode_recipe(text: str) -> Taught:
    """Read a recipe; ``BadRecipe`` says what is wrong with how it is written."""
    try:
        return msgspec.toml.decode(text, type=Taught)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRecipe(str(error)) from None
