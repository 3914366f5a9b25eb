"""What is known of Playwright's calls by their names, as in ``script_tables.toml``."""

import re
from importlib.resources import files

import msgspec


class ScriptTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of calls and of their options, and what they mean for a step."""

    locating: frozenset[str]
    passed_over: frozenset[str]
    role_options: frozenset[str]
    click_options: frozenset[str]
    secret_fields: tuple[str, ...]
    plain_deeds: dict[str, str]
    kinds_by_deed: dict[str, str]
    kinds_by_tag: dict[str, str]


TABLES = msgspec.toml.decode(
    files(__package__).joinpath("script_tables.toml").read_bytes(), type=ScriptTables
)
SECRET_FIELD = re.compile("|".join(TABLES.secret_fields), re.IGNORECASE)
