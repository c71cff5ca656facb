"""Names of torch that were not converted may be passed on, and raise the converter's reason when they are used."""

import pytest

from sporax._src.migrate.running.unconverted import NotConverted, Unconverted, refuse, skip

GONE = Unconverted("torch.gone", "torch.gone: do it by hand")


@pytest.mark.parametrize(
    "use",
    [lambda: GONE(1), lambda: GONE.inner(1), lambda: bool(GONE), lambda: [*GONE], lambda: GONE + 1, lambda: 1 - GONE],
)
def test_a_use_raises(use) -> None:
    with pytest.raises(NotConverted, match=r"torch\.gone(\.inner)?: .*do it by hand"):
        use()


def test_an_assignment_to_an_attribute_raises() -> None:
    with pytest.raises(NotConverted, match="do it by hand"):
        GONE.flag = True


def test_the_reason_names_what_was_used() -> None:
    with pytest.raises(NotConverted) as caught:
        Unconverted("kept", "torch.gone: do it by hand")()
    assert str(caught.value) == "kept: torch.gone: do it by hand"


def test_nothing_is_an_instance_of_it() -> None:
    assert not isinstance(1, GONE)
    assert not isinstance(1, (GONE, str))
    assert not issubclass(int, GONE)
    assert (GONE == 1, GONE[int] is GONE, GONE | int is GONE, int | GONE is GONE) == (False, True, True, True)
    assert not hasattr(GONE, "__wrapped__")
    assert repr(GONE) == "<torch.gone, not converted>"


def test_a_class_may_derive_from_it_but_has_no_instances() -> None:
    class Inner(GONE):
        def method(self):
            return 1

    assert issubclass(Inner, object)
    with pytest.raises(NotConverted, match="do it by hand"):
        Inner()


def test_programs_handle_it_as_a_failed_import() -> None:
    with pytest.raises(ImportError, match="why"):
        refuse("why")
    with pytest.raises(NotImplementedError, match="why"):
        refuse("why")


def test_a_skipped_statement_is_told() -> None:
    with pytest.warns(UserWarning, match="not converted and is skipped: why"):
        skip("why")
