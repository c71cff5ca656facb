"""What a graph needs on a card. `tests/cli/commands/test_plan.py` compiles one where JAX's CUDA plugin is installed."""

from types import SimpleNamespace

from sporax._src.transform.parallel import card_plan


class Compiled:
    """A compiled function of one kernel."""

    def as_text(self) -> str:
        return 'ENTRY %main () -> f32[4] {\n  %k = f32[4]{0} custom-call(), custom_call_target="__cublas$gemm"\n}\n'

    def memory_analysis(self) -> SimpleNamespace:
        sizes = {"argument": 100, "output": 60, "alias": 50, "temp": 7}
        return SimpleNamespace(**{f"{name}_size_in_bytes": size for name, size in sizes.items()})


def test_results_that_reuse_memory_count_once() -> None:
    found = card_plan.needs_on_card(Compiled())
    assert found["memory"] == {"arguments": 100, "results": 10, "temporary": 7, "total": 117}
    assert found["kernels"]["all"] == 1 and found["kernels"]["custom_calls"] == {"__cublas$gemm": 1}


def test_a_graph_is_compiled_with_its_states_and_constants(monkeypatch) -> None:
    """Donated states first, each with the shape that the graph has for it."""
    seen = {}

    def compiled_for(card, fn, *args, donate, options):
        seen.update(card=card, args=args, donate=donate)
        return Compiled()

    monkeypatch.setattr(card_plan, "compiled_for", compiled_for)
    weight, mask = object(), object()
    graph = SimpleNamespace(
        name="train", run=None, donate=(0,), states=[mask, weight], donated=[weight], retained=[mask],
        jaxpr=SimpleNamespace(in_avals=["mask", "weight", "x"]), lifted=(None, ["table"]),
    )  # fmt: skip
    found = card_plan.kernels_of(graph, "H100")
    assert seen == {"card": "H100", "args": (["weight"], ["mask"], ["x"], ["table"]), "donate": (0,)}
    assert found["graph"] == "train" and found["memory"]["total"] == 117
