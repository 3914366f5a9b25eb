"""The tools for the trash."""

from tools.files import trash_ops, verify
from tools.files.declaring import tool
from tools.files.queries import Located
from tools.files.roots import Roots
from tools.tool import AnyTool, Params


class WholeTrash(Params, frozen=True):
    """The trash is one: nothing more is said of it."""


def trash_tools(roots: Roots) -> tuple[AnyTool, ...]:
    """Declare what lists the trash, brings things back from it, and empties it."""
    return (
        tool("list_trash", WholeTrash, lambda _: trash_ops.list_trash(roots)),
        tool(
            "put_back",
            Located,
            lambda p: trash_ops.put_back(roots, p.path),
            lambda _, done: was_put_back(roots, done.output),
            before=lambda p: trash_ops.before_putting_back(roots, p.path),
            recover=lambda _, before: trash_ops.recover_put_back(roots, before),
        ),
        tool(
            "empty_trash",
            WholeTrash,
            lambda _: trash_ops.empty_trash(roots),
            lambda _, __: trash_ops.is_trash_empty(roots),
            mark=lambda _: trash_ops.mark_trash(roots),
            before=lambda _: trash_ops.before_emptying(roots),
            recover=lambda _, __: trash_ops.recover_emptied(roots),
        ),
    )


def was_put_back(roots: Roots, output: object) -> bool | None:
    """Tell whether a thing is where its tool said."""
    path = output.get("path") if isinstance(output, dict) else None
    return verify.exists(roots, path) if isinstance(path, str) else None
