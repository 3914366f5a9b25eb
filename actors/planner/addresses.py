"""Web addresses for navigation and search, made from words by tables alone."""

from collections.abc import Mapping
from urllib.parse import quote_plus, urlsplit

from messages.rules import SearchEngine

LOCAL_HOSTS = ("localhost", "127.", "[::1]")


class BadAddress(ValueError):
    """Not an address that may be opened."""


def complete(url: str) -> str:
    """Make a whole http address of what a person wrote.

    >>> complete("google.com"), complete("localhost:8000/a"), complete("HTTP://x.org")
    ('https://google.com', 'http://localhost:8000/a', 'HTTP://x.org')
    """
    text = url.strip()
    scheme, separator, _ = text.partition("://")
    if not separator:
        if ":" in text.partition("/")[0] and not has_port(text):
            raise BadAddress(f"{url!r} is not an http or https address")
        text = ("http://" if text.lower().startswith(LOCAL_HOSTS) else "https://") + text
    elif scheme.lower() not in {"http", "https"}:
        raise BadAddress(f"{url!r} is not an http or https address")
    if "@" in text.partition("://")[2].partition("/")[0]:
        raise BadAddress("an address with a user's name or password in it is not opened")
    if not host(text) or any(character.isspace() for character in text):
        raise BadAddress(f"{url!r} is not a web address")
    return text


def has_port(text: str) -> bool:
    """Tell ``localhost:8000`` from ``mailto:someone``."""
    _, _, port = text.partition("/")[0].rpartition(":")
    return port.isdigit() or text.startswith("[")


def host(url: str) -> str:
    """Give the host of an address without ``www.``, or nothing if it has none."""
    try:
        name = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return name.removeprefix("www.")


def search_address(engine: SearchEngine, query: str) -> str:
    """Fill an engine's template.

    >>> search_address(SearchEngine("https://youtube.com/results?search_query={query}"), "a b&c")
    'https://youtube.com/results?search_query=a+b%26c'
    """
    return engine.search.replace("{query}", quote_plus(query))


def host_of(address: str) -> str:
    """Give the host of an address that may lack its scheme."""
    return host(address if "://" in address else f"https://{address}")


def site_of(address: str, engines: Mapping[str, SearchEngine]) -> str | None:
    """Name the search engine whose site an address belongs to."""
    name = host_of(address)
    return next((site for site, engine in engines.items() if name in engine.hosts), None)


def is_front_page(address: str) -> bool:
    """Tell whether an address is a site's front page, not a page within it."""
    parts = urlsplit(address if "://" in address else f"https://{address}")
    return not parts.path.strip("/") and not parts.query
