"""Files of strategies in MindSpore's formats."""

from pathlib import Path

import pytest

from sporax._src.sharding import parameter_file
from sporax._src.sharding.parameter_file import Strategies
from sporax._src.sharding.parameter_layout import Cut
from sporax._src.sharding.parameter_proto import CLASSES

CUTS = {
    "0-w": Cut((2, 4), ((1,), (0,))),
    "0-v": Cut((2, 2, 4), ((0, 1), ()), step=8, parts=2),
    "1-w": Cut((8,), ((),), split=(3, 5), field=2),
}
WRITTEN = Strategies(CUTS, {"MatMul": [[2, 1], [1, 4]], "Relu": [[8]]}, 1)


@pytest.mark.parametrize("end", ["ckpt", "json"])
def test_what_is_written_is_read(end: str, tmp_path: Path) -> None:
    file = tmp_path / "folder" / f"s.{end}"
    parameter_file.write_strategies(file, WRITTEN)
    assert parameter_file.read_strategies(str(file), "load") == WRITTEN
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_layouts_by_name_and_stage() -> None:
    assert WRITTEN.by_stage() == {"w": {0: CUTS["0-w"], 1: CUTS["1-w"]}, "v": {0: CUTS["0-v"]}}
    assert Strategies({"w": CUTS["0-w"]}).by_stage() == {"w": {0: CUTS["0-w"]}}


@pytest.mark.parametrize("name", CUTS)
def test_a_message_is_a_layout(name: str) -> None:
    assert parameter_file.cut_of_message(name, parameter_file.message_of(CUTS[name])) == CUTS[name]


def test_the_number_of_messages_tells_two_forms_of_tensor_maps_apart() -> None:
    one = parameter_file.message_of(CUTS["0-w"]).tensor_map
    each = parameter_file.message_of(CUTS["0-v"]).tensor_map
    assert [list(m.dim) for m in one] == [[1, 0]]
    assert [list(m.dim) for m in each] == [[0, 1], [-1], []]


def test_an_empty_message_is_no_layout() -> None:
    with pytest.raises(ValueError, match=r"^'w' has no dev_matrix or no tensor_map$"):
        parameter_file.cut_of_message("w", CLASSES["ParallelLayouts"]())


def test_a_file_of_groups(tmp_path: Path) -> None:
    parameter_file.write_group(tmp_path / "g.pb", [0, 4])
    message = CLASSES["ParallelGroupMap"].FromString((tmp_path / "g.pb").read_bytes())
    (group,) = message.parallel_group_item
    assert (group.group_name, list(group.parallel_group_ranks.dim)) == ("0-4", [0, 4])
    assert list(message.ckpt_restore_rank_list.dim) == [0, 4]


@pytest.mark.parametrize(
    "content, kind, text",
    [
        (None, ValueError, "load: there is no file of strategies"),
        (b"", ValueError, "load: the file of strategies .* is empty"),
        (b"\xff\xff", TypeError, "is no file of strategies: it must be protobuf"),
    ],
)
def test_files_that_are_none(content: bytes | None, kind: type[Exception], text: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "s").write_bytes(content)
    with pytest.raises(kind, match=text):
        parameter_file.read_strategies(tmp_path / "s", "load")
