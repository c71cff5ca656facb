"""What a compiled program exchanges, read off XLA's text."""

import pytest

from sporax._src.transform.parallel.hlo import Exchange, Kernels, Program

GROUPS = [
    ("{{0,3},{1,4},{2,5}}", (0, 3)),
    ("[2,3]<=[6]", (0, 1, 2)),
    ("[3,2]<=[2,3]T(1,0)", (0, 3)),
    ("mesh['a'=2,'b'=3] {'b'}", (0, 1, 2)),
    ("mesh['a'=2,'b'=3] {'a'}", (0, 3)),
    ("mesh['a'=2,'b'=3], device_ids=([3,2]T(1,0)) {'b'}", (0, 2, 4)),
    ("mesh['a'=2,'b'=4] {'b':(2)2}", (0, 1)),
    ("mesh['a'=2,'b'=4] {'a','b':(1)2}", (0, 2, 4, 6)),
]


@pytest.mark.parametrize(("text", "devices"), GROUPS)
def test_groups_are_read(text, devices):
    gather = f"%x = f32[4]{{0}} all-gather(%y), replica_groups={text}, dimensions={{0}}"
    hlo = f"ENTRY %main () -> f32[4] {{\n  {gather}\n  %y = f32[2]{{0}} parameter(0)\n}}\n"
    assert Program(hlo, 8).exchanges() == {Exchange("all-gather", devices, 16): 1}


def test_an_unknown_notation_of_groups_is_told():
    with pytest.raises(ValueError, match="in a notation that is not known: new"):
        Program("ENTRY %main () -> f32[4] {\n  %x = f32[4] all-reduce(%x), replica_groups=new\n}\n", 8).exchanges()


def test_rounds_of_loops_count():
    """A loop of five rounds of XLA's text, with a product and a started exchange in it."""
    hlo = (
        "%body (p: (f32[4,8])) -> (f32[4,8]) {\n"
        "  %p = f32[4,8]{1,0} parameter(0)\n"
        "  %w = f32[8,8]{1,0} parameter(1)\n"
        "  %dot.1 = f32[4,8]{1,0} dot(%p, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  %s = (f32[4,8]{1,0}, f32[8,8]{1,0}) all-gather-start(%dot.1), replica_groups=[4,2]<=[8], dimensions={0}\n"
        "}\n\nENTRY %main (x: f32[4,8]) -> f32[4,8] {\n"
        "  %x = f32[4,8]{1,0} parameter(0)\n"
        '  %l = f32[4,8]{1,0} while(%x), condition=%c, body=%body, backend_config={"known_trip_count":{"n":"5"}}\n'
        "}\n"
    )
    program = Program(hlo, 8)
    assert program.flops() == 5 * 2 * 4 * 8 * 8
    assert program.exchanges() == {Exchange("all-gather", (0, 1), 256): 5}


def test_kernels_are_what_a_gpu_launches():
    """A fusion is one kernel, whatever it does; what it changes in dtype counts; so do rounds of loops."""
    hlo = (
        "%fused (p: f32[4]) -> bf16[4] {\n"
        "  %p = f32[4]{0} parameter(0)\n"
        "  %e = f32[4]{0} exponential(%p)\n"
        "  ROOT %c = bf16[4]{0} convert(%e)\n"
        "}\n\n%body (b: bf16[4]) -> bf16[4] {\n"
        "  %b = bf16[4]{0} parameter(0)\n"
        "  ROOT %copy.1 = bf16[4]{0} copy(%b)\n"
        "}\n\n%buffer (a: f32[4]) -> bf16[4] {\n"
        "  %a = f32[4]{0} parameter(0)\n"
        "  ROOT %fusion = bf16[4]{0} fusion(%a), kind=kLoop, calls=%fused\n"
        "}\n\nENTRY %main (x: f32[4]) -> bf16[4] {\n"
        "  %x = f32[4]{0} parameter(0)\n"
        "  %call = bf16[4]{0} call(%x), to_apply=%buffer\n"
        '  %l = bf16[4]{0} while(%call), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"5"}}\n'
        '  %k = (bf16[4]{0}, u8[0]{0}) custom-call(%l), custom_call_target="__cudnn$fmhaSoftmax"\n'
        "  ROOT %r = bf16[4]{0} get-tuple-element(%k), index=0\n"
        "}\n"
    )
    assert Program(hlo, 1).kernels() == Kernels(
        all=7, fusions=1, custom_calls={"__cudnn$fmhaSoftmax": 1}, converts=1, copies=5
    )
