"""Launchers of several machines meet, are numbered, and learn of each other's end; who does not fit is named."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from launching import PROGRAMS, command, free_port

from sporax._src.processes import machines
from sporax._src.processes.machines import Absent, Meeting, Node, attend, gather

_all: list[Future] = []
SECRET = "a secret that all launchers know"


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return a free address; no service is hosted. All launchers have left afterwards."""
    monkeypatch.setattr(machines.rendezvous, "host", lambda *_: SimpleNamespace(end=lambda: None))
    yield f"127.0.0.1:{free_port()}"
    while _all:
        future = _all.pop()
        if future.exception() is None:
            future.result().end("")


def _meet(
    address: str, size: int, nodes: list[Node], patience: float = 30, secrets: tuple[str, ...] = (), least: int = 0
) -> list[Future]:
    """Let launchers arrive one after the other, the first as node 0."""
    pool = ThreadPoolExecutor(len(nodes))
    met = [pool.submit(gather, address, size, nodes[0], SECRET, patience, 20, least)]
    for number, node in enumerate(nodes[1:]):
        time.sleep(0.3)
        secret = secrets[number] if secrets else SECRET
        met.append(pool.submit(attend, address, node, secret, patience, 20))
    _all.extend(met)
    return met


def _node(host: str, local: int, number: int = -1, program: str = "train.py") -> Node:
    return Node(host, local, number, program)


@pytest.mark.parametrize(
    ("others", "firsts"),
    [
        ([_node("b", 1), _node("c", 2)], [0, 2, 3]),
        ([_node("b", 1, 2), _node("c", 2, 1)], [0, 4, 2]),
        ([_node("b", 1), _node("c", 2, 1)], [0, 4, 2]),
    ],
)
def test_nodes_are_numbered(address: str, others: list[Node], firsts: list[int]) -> None:
    met = [future.result(60) for future in _meet(address, 5, [_node("a", 2, 0), *others])]
    assert [meeting.first for meeting in met] == firsts and len({meeting.address for meeting in met}) == 1
    assert met[0].why_others_ended() == ""
    met[1].end("process 2 was ended by SIGKILL.")
    number = 1 + (firsts[1] > firsts[2])
    assert met[0].wait_for_others() == f"node {number} (b): process 2 was ended by SIGKILL."
    met[0].end("node 1 failed")
    assert _within_a_second(met[2]) == "node 0: node 1 failed"


def _within_a_second(meeting: Meeting) -> str:
    end = time.monotonic() + 1
    while not (why := meeting.why_others_ended()) and time.monotonic() < end:
        time.sleep(0.05)
    return why


def test_all_end_well(address: str) -> None:
    first, second = (future.result(60) for future in _meet(address, 2, [_node("a", 1), _node("b", 1)]))
    threading.Timer(0.3, second.end, [""]).start()
    assert first.wait_for_others() == "" and second.wait_for_others() == ""


def test_a_launcher_that_is_gone_is_named(address: str) -> None:
    first, second = (future.result(60) for future in _meet(address, 2, [_node("a", 1), _node("b", 1)]))
    second._others["node 0"].connection.close()
    assert first.wait_for_others() == "node 1 (b) is lost (its launcher has gone)."


@pytest.mark.parametrize(
    ("size", "others", "told"),
    [
        (4, [_node("b", 1)], "1 of 4 processes have not come in 2 s; there are 2 from a (node 0), 1 from b (node 1)."),
        (4, [_node("b", 3)], "there are 5 processes of 4: 2 from a (node 0), 3 from b (node 1)."),
        (4, [_node("b", 2, program="other.py")], "b runs other.py; a runs train.py."),
    ],
)
def test_launchers_that_do_not_fit_end_with_one_error(address: str, size: int, others: list[Node], told: str) -> None:
    for future in _meet(address, size, [_node("a", 2), *others], patience=2):
        with pytest.raises(Absent) as error:
            future.result(60)
        assert str(error.value) == told


def test_a_run_may_go_on_with_fewer(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(machines, "_LAST_CALL", 2.0)
    met = [future.result(60) for future in _meet(address, 8, [_node("a", 2), _node("b", 3)], least=4)]
    assert [(meeting.first, meeting.size) for meeting in met] == [(0, 5), (2, 5)]
    told = "sporax: 3 of 8 processes have not come; the run goes on with 5: 2 from a (node 0), 3 from b (node 1)"
    assert told in capfd.readouterr().err
    with pytest.raises(Absent, match="6 of 8 processes have not come in 1 s"):
        gather(f"127.0.0.1:{free_port()}", 8, _node("a", 2, 0), SECRET, 1, 20, 4)


def test_a_node_that_comes_twice_is_refused(address: str) -> None:
    met = _meet(address, 3, [_node("a", 1), _node("b", 1, 1), _node("c", 1, 1), _node("d", 1)])
    assert [met[i].result(60).first for i in (0, 1, 3)] == [0, 1, 2]
    with pytest.raises(Absent, match=r"there is a node 1 already: b\."):
        met[2].result(60)


def test_strangers_are_refused(address: str, capfd: pytest.CaptureFixture) -> None:
    nodes = [_node("a", 1), _node("b", 1), _node("c", 1)]
    met = _meet(address, 2, nodes, secrets=("another secret of a run", SECRET))
    assert [met[i].result(60).first for i in (0, 2)] == [0, 1]
    with pytest.raises(Absent, match=f"node 0 at {address} has not answered b: .* Is SPORAX_SECRET the same there"):
        met[1].result(60)
    assert "sporax: refused a connection from 127.0.0.1: it has another SPORAX_SECRET" in capfd.readouterr().err


def test_a_stranger_who_leaves_at_once_does_no_harm(address: str, capfd: pytest.CaptureFixture) -> None:
    pool = ThreadPoolExecutor(2)
    _all.append(pool.submit(gather, address, 2, _node("a", 1), SECRET, 30, 20))
    time.sleep(0.5)
    host, port = address.split(":")
    with socket.create_connection((host, int(port))) as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closed by a reset
    _all.append(pool.submit(attend, address, _node("b", 1), SECRET, 30, 20))
    assert _all[-1].result(60).first == 1
    assert "sporax: refused a connection from 127.0.0.1: " in capfd.readouterr().err


def test_who_is_node_0() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert gather(f"127.0.0.1:{port}", 2, _node("a", 1, 1), SECRET, 1, 20) is None
        assert gather(f"127.0.0.1:{port}", 2, _node("a", 1), SECRET, 1, 20) is None
        assert gather("192.0.2.1:8118", 2, _node("a", 1), SECRET, 1, 20) is None
        with pytest.raises(
            RuntimeError, match=rf"cannot listen at 127\.0\.0\.1:{port} \(Address already in use\); name"
        ):
            gather(f"127.0.0.1:{port}", 2, _node("a", 1, 0), SECRET, 1, 20)
    with pytest.raises(
        Absent,
        match=rf"a has not reached node 0 at 127\.0\.0\.1:{port} in 1 s \(Connection refused\)\. Is that the address",
    ):
        attend(f"127.0.0.1:{port}", _node("a", 1), SECRET, 1, 20)


def test_what_launchers_must_have_in_common(tmp_path) -> None:
    (tmp_path / "train.py").write_text("1")
    told = machines.program_of([str(tmp_path / "train.py"), "--lr"], "3", 16)
    assert told.startswith("train.py (6b86b273ff34), sporax 3, JAX ") and told.endswith(", -n 16")
    assert machines.program_of(["-m"], "3", 16).startswith("-m (no file)")


# --- two network namespaces as two machines ---------------------------------------------------------------------------

TWO_MACHINES = """
set -e
ip link set lo up; ip link add name here0 type veth peer name there0
unshare -n sleep 300 & other=$!
sleep 0.5; ip link set there0 netns $other
ip addr add 10.76.0.1/24 dev here0; ip link set here0 up
nsenter -t $other -n sh -c 'ip link set lo up; ip addr add 10.76.0.2/24 dev there0; ip link set there0 up'
one=; two=
case $HOW in
  hosts) printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" > hosts; mount --bind hosts /etc/hosts;;
  dropped) tc qdisc add dev here0 root tbf rate 20mbit burst 3k limit 12k || { kill $other; echo no queue; exit; };;
  interface)
    ip link add own0 type veth peer name own1; ip addr add 10.77.0.1/24 dev own0; ip link set own0 up; ip link set own1 up
    ip route add default dev own0; one="--interface here0"; two="--interface there0";;
  uneven) two="--local_worker_num 2";;
esac
program=$1; shift
"$@" --node_rank 0 $one $program > one 2>&1 & one=$!
case $HOW in late) sleep 6;; esac
case $HOW in
  missing) two=$one;;
  *) nsenter -t $other -n "$@" $two $program > two 2>&1 & two=$!;;
esac
case $HOW in
  cut) until grep -q 'step 3' one; do sleep 0.2; done; ip link set here0 down;;
  killed|fewer) until grep -q 'step 3' one; do sleep 0.2; done; kill -9 $two;;
esac
wait $one && s1=0 || s1=$?
test $two = $one && s2=$s1 || { wait $two && s2=0 || s2=$?; }
tc -s qdisc show dev here0 | grep -o 'dropped [0-9]*' || true
kill $other
echo statuses $s1 $s2
"""


def _can_make_namespaces() -> bool:
    try:
        return subprocess.run(["unshare", "-nm", "ip", "link"], capture_output=True).returncode == 0
    except OSError:
        return False


def _on_two_machines(
    folder: Path, how: str, *options: object, size: int = 2, patience: int = 60
) -> tuple[list[str], str, str, str]:
    """Run a program on two machines; return the statuses of both launchers, what each prints, and what the network tells."""
    where = ("--local_worker_num", 1, "--master_addr", "10.76.0.1", "--cluster_time_out", patience, "--silence", 8)
    launch = command(*where, *options, processes=size)
    start = ["unshare", "-nm", "bash", "-c", TWO_MACHINES, "bash", str(PROGRAMS / "machines.py"), *launch]
    given = os.environ | {"HOW": how, "SPORAX_SECRET": SECRET}
    run = subprocess.run(start, cwd=folder, env=given, capture_output=True, text=True, timeout=300)
    one, two = ((folder / name).read_text() if (folder / name).exists() else "" for name in ("one", "two"))
    assert "what():" not in one and "*** Check failure" not in one + two, one + two
    return run.stdout.split()[-2:], one, two, run.stdout + run.stderr


needs_namespaces = pytest.mark.skipif(
    not _can_make_namespaces(), reason="two machines need network namespaces, which root may make"
)


@pytest.mark.slow
@needs_namespaces
@pytest.mark.parametrize("how", ["good", "late", "hosts", "dropped", "interface", "uneven"])
def test_two_machines_train_together(tmp_path, how: str) -> None:
    """Also if one comes late, a hosts file calls the machine 127.0.1.1, packets are lost, or the default route leads elsewhere."""
    size = 3 if how == "uneven" else 2
    statuses, one, two, network = _on_two_machines(tmp_path, how, size=size)
    if statuses == ["no", "queue"]:
        pytest.skip("packets are dropped by a queue of Linux that is not here")
    assert statuses == ["0", "0"], one + two + network
    assert f"rank 0 of {size}, local rank" in one and f"rank {size - 1} of {size}, local rank" in two
    assert how != "dropped" or int(network.split("dropped")[1].split()[0]) > 0, network


@pytest.mark.slow
@needs_namespaces
@pytest.mark.parametrize("how", ["cut", "killed"])
def test_a_machine_that_is_lost_is_named(tmp_path, how: str) -> None:
    statuses, one, two, _ = _on_two_machines(tmp_path, how)
    assert "0" not in statuses and "node 1 (" in one and "is lost (" in one, one + two
    assert how != "cut" or "node 0 is lost (" in two, two


@pytest.mark.slow
@needs_namespaces
def test_a_run_goes_on_without_a_machine_that_is_lost(tmp_path) -> None:
    restarts = ("--max_restarts", 1, "--min_worker_num", 1)
    statuses, one, two, _ = _on_two_machines(tmp_path, "fewer", *restarts, patience=10)
    assert statuses[0] == "0" and "rank 0 of 2, local rank" in one and "rank 0 of 1, local rank" in one, one + two
    assert "1 of 2 processes have not come; the run goes on with 1: " in one


@needs_namespaces
def test_a_machine_that_does_not_come_is_missed(tmp_path) -> None:
    statuses, one, _, _ = _on_two_machines(tmp_path, "missing", patience=3)
    assert "0" not in statuses and "1 of 2 processes have not come in 3 s; there are" in one, one
