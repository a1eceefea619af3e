"""Lines that are added to an author's main module."""

from __future__ import annotations

from konverge.cli.scaffold.main_module import Import, Unplaced, Wiring, wired

WIRING = Wiring(
    (Import("shop.api.v2.cart", "Cart", "CartV2"), Import("shop.controllers.cart", "add_cart_controller")),
    kinds=("CartV2",),
    calls=("add_cart_controller",),
)
BARE = '''\
"""An operator."""

import konverge as kv

KINDS: list[type[kv.Object]] = []


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add all."""
    return manager
'''
WIRED = '''\
"""An operator."""

import konverge as kv

from shop.api.v2.cart import Cart as CartV2
from shop.controllers.cart import add_cart_controller

KINDS: list[type[kv.Object]] = [
    CartV2,
]


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add all."""
    add_cart_controller(manager)
    return manager
'''


def test_lines_go_where_they_belong() -> None:
    """Imports below the others, the kind into the list, the call before the return."""
    assert wired(BARE, WIRING) == (WIRED, [])


def test_what_is_there_is_not_added_again() -> None:
    """A command may be given twice."""
    assert wired(WIRED, WIRING) == (WIRED, [])


def test_imports_are_sorted_as_isort_does() -> None:
    """Numbers by their value, and nothing below an import of several lines is torn apart."""
    text = WIRED.replace(
        "from shop.controllers.cart import add_cart_controller",
        "from shop.api.v10.cart import (\n    Cart as CartV10,\n)",
    )
    new = Wiring((Import("shop.api.v3.cart", "Cart", "CartV3"), Import("shop.webhooks.cart", "add_cart_webhooks")))
    found, _ = wired(text, new)
    assert (
        "from shop.api.v2.cart import Cart as CartV2\n"
        "from shop.api.v3.cart import Cart as CartV3\n"
        "from shop.api.v10.cart import (\n    Cart as CartV10,\n)\n"
        "from shop.webhooks.cart import add_cart_webhooks\n\n"
    ) in found


def test_an_edited_module_keeps_its_shape() -> None:
    """Comments stay, a list on one line is opened, a function without a return gets the call at its end."""
    text = (
        "KINDS = [Old]  # in order\n\n\ndef add_to(manager):\n"
        "    for each in (): each(manager)  # none\n    # the rest\n\n\ndef other(): ...\n"
    )
    found, unplaced = wired(text, Wiring(kinds=("CartV2",), calls=("add_cart",)))
    assert unplaced == []
    assert found == (
        "KINDS = [\n    Old,\n    CartV2,\n]  # in order\n\n\ndef add_to(manager):\n"
        "    for each in (): each(manager)  # none\n    add_cart(manager)\n    # the rest\n\n\ndef other(): ...\n"
    )


def test_lines_without_a_place_are_told() -> None:
    """Nothing is guessed about a module that has another shape, but for its imports."""
    found, unplaced = wired('"""Mine."""\nx = 1\n', WIRING)
    assert unplaced == [Unplaced("CartV2,", "KINDS"), Unplaced("add_cart_controller(manager)", "add_to")]
    imports = "".join(f"{each}\n" for each in WIRING.imports)
    assert found == f'"""Mine."""\n\n{imports}x = 1\n'


def test_a_module_that_cannot_be_parsed_is_left_alone() -> None:
    """All of the lines are told."""
    found, unplaced = wired("def add_to(manager:\n", WIRING)
    assert found == "def add_to(manager:\n"
    assert [each.where for each in unplaced] == ["the imports", "the imports", "KINDS", "add_to"]
