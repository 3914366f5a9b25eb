"""HTML that cannot be injected into: every text is escaped unless it was made here."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

# Invisible characters that hide or reorder others. A file name with a right-to-left override reads
# as a different name, and a person may be asked to allow its deletion.
UNSEEN = (
    *(sign for sign in (*range(0x20), *range(0x7F, 0xA0)) if chr(sign) not in "\t\n\r"),
    *(0x61C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF),
)
SHOWN = {sign: chr(sign).encode("unicode_escape").decode() for sign in UNSEEN}


class Html(str):
    """Markup that ``el`` has made; any other text is data."""

    __slots__ = ()


Child: TypeAlias = "str | int | float | Html | Iterable[Child] | None"
Attribute: TypeAlias = str | int | float | bool | None

DRAWN = frozenset({"image", "rect"})
VOID = frozenset({"br", "input", "link", "meta"}) | DRAWN


def el(tag: str, /, *children: Child, **attributes: Attribute) -> Html:
    r"""Make an element; ``cls`` is its class, and ``_`` in a name stands for ``-``.

    >>> el("a", "x < y", cls="link", href="/?a&b", hidden=True, title=None)
    '<a class="link" href="/?a&amp;b" hidden>x &lt; y</a>'
    >>> el("p", [el("br"), None, "<script>"])
    '<p><br>&lt;script&gt;</p>'
    >>> print(el("p", "nowt\u202efdp.exe"))
    <p>nowt\u202efdp.exe</p>
    """
    written = "".join(map(_attribute, attributes, attributes.values()))
    if tag in VOID:
        return Html(f"<{tag}{written}>" if tag not in DRAWN else f"<{tag}{written}/>")
    return Html(f"<{tag}{written}>{join(children)}</{tag}>")


def join(children: Iterable[Child]) -> Html:
    """Put children one behind the other."""
    return Html("".join(map(_child, children)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return str(child)
    if isinstance(child, str):
        return escape(child.translate(SHOWN))
    if isinstance(child, int | float):
        return str(child)
    return join(child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = "class" if name == "cls" else name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(str(value))}"'
