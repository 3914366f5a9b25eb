"""What is to be known of lines of a script that have no step, or one with a warning.

The values in a line are never shown: they may be secrets.
"""

import ast
from dataclasses import dataclass, field

from tools.recipes.script_tables import TABLES

LONGEST_SHOWN = 120
SHOWN = TABLES.locating | {"compile"}


@dataclass
class Notes:
    """Lines with a reason each, in their order."""

    notes: list[str] = field(default_factory=list)

    def add(self, statement: ast.stmt, reason: str) -> None:
        """Note a line with a reason, without the values that are in it."""
        shown = ast.unparse(WithoutValues().visit(ast.parse(ast.unparse(statement))))
        line = shown.splitlines()[0].rstrip(":")
        line = line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}..."
        self.notes.append(f"line {statement.lineno}: {line}: {reason}")


class WithoutValues(ast.NodeTransformer):
    """Leaves out what is handed over, save for what locates things: it may be a secret."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        is_shown = isinstance(node.func, ast.Attribute) and node.func.attr in SHOWN
        if not is_shown and (node.args or node.keywords):
            node.args, node.keywords = [ast.Constant(...)], []
        return node
