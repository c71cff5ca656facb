"""Strategy files of graphs: those that a graph writes, and those that set the shardings of Parameters."""

from pathlib import Path

import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.sharding.parameter_file import Strategies, read_strategies, write_strategies
from sporax._src.sharding.parameter_layout import Cut
from sporax._src.transform.parallel import strategy_files

MESH = paper_mesh(8)


@pytest.fixture(autouse=True)
def _settings():
    yield
    ms.reset_auto_parallel_context()


def _parameter(name: str, *shape: int, trained: bool = True) -> Parameter:
    return Parameter(Tensor(np.ones(shape, np.float32)), name=name, requires_grad=trained)


def _sharding(*axes: object) -> NamedSharding:
    return NamedSharding(MESH, PartitionSpec(*axes))


STATES = [_parameter("w", 4, 8), "no Parameter", _parameter("v", 6, trained=False)]
SHARDINGS = [_sharding("d0", ("d1", "d2")), _sharding(), _sharding()]


def test_shardings_are_stored_in_parameters() -> None:
    strategy_files.record_shardings(STATES, SHARDINGS)
    assert STATES[0].param_info.sharding is SHARDINGS[0] and STATES[2].param_info.sharding is SHARDINGS[2]


@pytest.mark.parametrize("trainable, names", [(True, {"w"}), (False, {"w", "v"})])
def test_what_is_written_is_loaded(trainable: bool, names: set[str], tmp_path: Path) -> None:
    file = str(tmp_path / "s.ckpt")
    ms.set_auto_parallel_context(strategy_ckpt_config={"save_file": file, "only_trainable_params": trainable})
    strategy_files.write_shardings(STATES, iter(SHARDINGS))
    assert read_strategies(file, "test").cuts.keys() == names
    ms.reset_auto_parallel_context()
    assert strategy_files.specs_of_file(STATES, MESH) == {}
    ms.set_auto_parallel_context(strategy_ckpt_config={"load_file": file})
    specs = strategy_files.specs_of_file(STATES, MESH)
    assert specs[0] == SHARDINGS[0].spec and specs.keys() == ({0} if trainable else {0, 2})


def test_graphs_of_a_run_add_to_one_file(tmp_path: Path) -> None:
    file = str(tmp_path / "s.ckpt")
    ms.set_auto_parallel_context(strategy_ckpt_config={"save_file": file})
    for state in (_parameter("a", 8), _parameter("b", 8)):
        strategy_files.write_shardings([state], [_sharding("d0")])
    assert read_strategies(file, "test").cuts.keys() == {"a", "b"}


def test_a_file_that_does_not_fit(tmp_path: Path) -> None:
    file = tmp_path / "s.ckpt"
    write_strategies(file, Strategies({"w": Cut((4,), ((-1,), ()))}))
    write_strategies(file, Strategies({"w": Cut((3,), ((0,), ()))}))
    ms.set_auto_parallel_context(strategy_ckpt_config={"load_file": str(file)})
    with pytest.raises(RuntimeError, match=r"The file of strategies .*s\.ckpt does not fit 'w': "):
        strategy_files.specs_of_file(STATES, MESH)
