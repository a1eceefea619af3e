from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.proxy.balancer import Balancer
from konverge.cluster.proxy.plan import Target

ONE, TWO, THREE = (Target(f"127.65.0.{number}", 80) for number in (1, 2, 3))


@given(count=st.integers(1, 7), asked=st.integers(1, 50))
def test_everyone_has_the_same_share(count: int, asked: int) -> None:
    """To within one connection, and each is tried once."""
    targets = [Target("127.65.0.1", number) for number in range(1, count + 1)]
    balancer = Balancer()
    balancer.update(targets, 0.0)
    orders = [balancer.order("c", 0.0) for _ in range(asked)]
    firsts = [order[0] for order in orders]
    shares = [firsts.count(target) for target in targets]
    assert max(shares) - min(shares) <= 1
    assert all(sorted(order) == targets for order in orders)


def test_nobody_is_there() -> None:
    """Then there is nobody to try."""
    assert Balancer().order("c", 0.0) == []


def test_a_client_goes_where_it_went_before() -> None:
    """As long as it comes within the time, and its target is there."""
    balancer = Balancer()
    balancer.update((ONE, TWO, THREE), 10.0)
    balancer.connected("c", TWO, 0.0)
    assert [balancer.order("c", 9.0)[0] for _ in range(3)] == [TWO, TWO, TWO]
    assert {balancer.order("d", 9.0)[0] for _ in range(3)} == {ONE, TWO, THREE}
    assert {balancer.order("c", 10.0)[0] for _ in range(3)} == {ONE, TWO, THREE}
    balancer.connected("c", TWO, 10.0)
    balancer.update((ONE, THREE), 10.0)
    assert balancer.order("c", 11.0)[0] in {ONE, THREE}


def test_without_affinity_nobody_is_remembered() -> None:
    """Nor after it is taken off."""
    balancer = Balancer()
    balancer.update((ONE, TWO), 10.0)
    balancer.connected("c", TWO, 0.0)
    balancer.update((ONE, TWO), 0.0)
    balancer.update((ONE, TWO), 10.0)
    assert {balancer.order("c", 1.0)[0] for _ in range(2)} == {ONE, TWO}
