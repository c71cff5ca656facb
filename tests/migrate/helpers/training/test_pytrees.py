"""Nested containers as trees: the rows of the torch map that use these helpers, and what is refused."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
import torch.utils._pytree as theirs
from torch_map_rows import rows_of

from sporax._src.migrate.helpers.training import pytrees as ours

TestRows = rows_of("sporax._src.migrate.helpers.training.pytrees")

Pair = namedtuple("Pair", "left right")
TREE = [
    OrderedDict(b=1, a=(2,)),
    defaultdict(list, c=[3]),
    deque([4, 5], maxlen=3),
    Pair(6, Pair(7, {"d": 8})),
    {},
]


def test_every_container_is_made_again() -> None:
    leaves, spec = ours._tree_flatten(TREE)
    their_leaves, their_spec = theirs.tree_flatten(TREE)
    assert leaves == their_leaves == [*range(1, 9)]
    assert spec.num_nodes == their_spec.num_nodes and spec.num_children == their_spec.num_children
    made, again = spec.unflatten(leaves), their_spec.unflatten(leaves)
    assert made == again == TREE
    assert [type(part) for part in made] == [type(part) for part in TREE]
    assert made[1].default_factory is list and made[2].maxlen == 3
    paths = [ours._keystr(path) for path, _ in ours._tree_flatten_with_path(TREE)[0]]
    assert paths == [theirs.keystr(path) for path, _ in theirs.tree_flatten_with_path(TREE)[0]]


def test_specs_are_compared() -> None:
    spec = ours._tree_structure([1, (2, 3)])
    same, other = ours._tree_structure([4, (5, 6)]), ours._tree_structure([4, [5, 6]])
    assert spec == same and hash(spec) == hash(same) and spec != other and spec != 1
    assert spec.children() == [spec.child(0), spec.child(1)] and spec.child(0).is_leaf()


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("tree_unflatten", ([1], [1, 2])),
        ("tree_map", ([1, 2], [1, 2, 3])),
        ("tree_map", ([1, 2], {"a": 1})),
        ("tree_map", ({"a": 1}, {"b": 1})),
        ("tree_map", ({"a": 1}, {"a": 1, "b": 1})),
        ("tree_map", (Pair(1, 2), namedtuple("Other", "x y")(1, 2))),
        ("register_pytree_node", (list, list, list)),
    ],
)
def test_errors_are_those_of_torch(call: str, arguments: tuple) -> None:
    errors = []
    for module, prefix in ((theirs, ""), (ours, "_")):
        given = arguments
        if call == "tree_map":
            given = (lambda *leaves: leaves, *arguments)
        elif call == "tree_unflatten":
            given = (arguments[0], getattr(module, f"{prefix}tree_structure")(arguments[1]))
        with pytest.raises(ValueError) as error:
            getattr(module, prefix + call)(*given)
        errors.append(str(error.value))
    assert errors[0] == errors[1]


def test_what_is_no_spec_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected `treespec` to be a TreeSpec, but got item of type <class 'list'>"):
        ours._tree_unflatten([1], [1])


def test_a_class_without_places_has_no_paths() -> None:
    class Box:
        pass

    ours._register_pytree_node(Box, lambda box: ([1], None), lambda children, context: Box())
    with pytest.raises(ValueError, match=r"Did not find a flatten_with_keys_fn for type: .*Box"):
        ours._tree_flatten_with_path(Box())
    del ours._Nodes.by_type[Box]
