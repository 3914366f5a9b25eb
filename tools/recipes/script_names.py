"""What the names in a script stand for: pages, locators, and what a page has handed out."""

import ast
from dataclasses import dataclass, field

from tools.recipes.script_syntax import PAGE, Chain, Link, root_and_chain


@dataclass
class ScriptNames:
    """Names as they were assigned so far; ``page`` and ``page1`` are pages without that."""

    locators: dict[str, tuple[str, Chain]] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)
    handles: set[str] = field(default_factory=set)  # files and the like

    def is_page(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(name):
                return name in self.pages or PAGE.fullmatch(name) is not None
            case ast.Attribute(ast.Name("self"), "page"):
                return True
            case _:
                return False

    def chain_of(self, value: ast.expr) -> tuple[str | None, Chain]:
        """Give the page that a chain begins with, and its links; no page if it begins elsewhere."""
        root, chain = root_and_chain(value)
        if isinstance(root, ast.Name) and root.id in self.locators:
            page, before = self.locators[root.id]
            return page, (*before, *chain)
        if self.is_page(root):
            return ast.unparse(root), chain
        if isinstance(root, ast.Name) and root.id == "self" and chain[:1] == (Link("page"),):
            return "self.page", chain[1:]
        return None, ()

    def uses_page(self, statement: ast.AST) -> bool:
        names = {*self.locators, *self.pages}
        return any(
            self.is_page(node) or (isinstance(node, ast.Name) and node.id in names)
            for node in ast.walk(statement)
        )

    def passes_page(self, value: ast.expr) -> bool:
        """Tell whether a page is handed to a function: what that does is not seen."""
        value = value.value if isinstance(value, ast.Await) else value
        given = value.args if isinstance(value, ast.Call) else []
        return any(self.is_page(each) for each in given)

    def is_handle(self, value: ast.expr) -> bool:
        root, _ = root_and_chain(value)
        return isinstance(root, ast.Name) and root.id in self.handles
