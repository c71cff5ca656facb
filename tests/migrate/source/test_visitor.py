"""The order in which a file's nodes are visited, and which pass converts one."""

import ast

from sporax._src.migrate.source.source_text import Source
from sporax._src.migrate.source.visitor import Visitor


class Names:
    """Notes the names that it visits; of `x` it knows the kind."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def visit_Name(self, node: ast.Name) -> str | None:
        self.seen.append(node.id)
        return "int" if node.id == "x" else None

    def leave_Name(self, node: ast.Name) -> None:
        self.seen.append(f"/{node.id}")


class Blocks:
    """Answers for names that no pass before it answers for, and notes blocks and statements."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.seen = visitor, []

    def visit_Name(self, node: ast.Name) -> str:
        self.seen.append(f"{node.id} on line {self.visitor.position.statement.lineno}")
        return "str"

    def leave_block(self, block: list[ast.stmt]) -> None:
        self.seen.append(len(block))


def visited(text: str, trace: dict | None = None) -> tuple[Visitor, Names, Blocks]:
    """Visit a file with two passes."""
    source = Source(text)
    visitor = Visitor(source, trace or {})
    names, blocks = Names(), Blocks(visitor)
    visitor.register([names, blocks])
    visitor.visit(source.tree)
    return visitor, names, blocks


def test_nodes_are_visited_in_the_order_of_the_text() -> None:
    _, names, _ = visited("f(b, *a, k=c)\nx if y else z\n")
    assert names.seen == "f /f b /b a /a c /c x /x y /y z /z".split()


def test_the_first_pass_that_answers_converts_a_node() -> None:
    visitor, _, blocks = visited("x\ny\n")
    assert blocks.seen == ["y on line 2", 2]
    assert [visitor.kinds[id(s.value)] for s in visitor._source.tree.body] == ["int", "str"]


def test_blocks_are_left_after_their_statements() -> None:
    _, _, blocks = visited("if a:\n    b\nelse:\n    c\n    d\n")
    assert blocks.seen == ["a on line 1", "b on line 2", "c on line 4", "d on line 5", 1, 2, 1]


def test_a_position_is_that_of_the_innermost_statement_and_function() -> None:
    visitor, _, _ = visited("x\n")
    assert visitor.position.statements == [] and visitor.position.functions == []
    function = ast.parse("def f(): ...").body[0]
    with visitor.position.inside(function):
        assert visitor.position.scope is function and visitor.position.functions == [function]
    assert visitor.position.scope is visitor._source.tree


def test_a_run_tells_the_kind_that_no_pass_knows() -> None:
    visitor, _, _ = visited("1.5\n", {"1:0-1:3": [["builtins.float"]]})
    assert [*visitor.kinds.values()] == ["float"]
