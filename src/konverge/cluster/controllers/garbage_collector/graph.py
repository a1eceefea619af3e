"""The graph of who owns whom, kept from what watches show. Pure: facts in, what to look at out.

A node is an object, found by its uid. Its dependents name it in their owner references. An owner that no watch shows
is a *virtual* node: somebody says that it exists, under a name and kind that may be wrong, and a live read has to tell.
It is there as long as somebody says so. What the graph answers is whom to look at (`Findings`); it never says what to
do, and a look that turns out to be needless does no harm.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

import msgspec

from konverge.cluster.controllers.garbage_collector.absent import AbsentOwners
from konverge.cluster.controllers.garbage_collector.identity import Identity, Reference

ORPHAN: Final = "orphan"  # the finalizer of an object whose dependents are to be kept
FOREGROUND: Final = "foregroundDeletion"  # and of one that goes after its dependents


class Stage(Enum):
    """How far the deletion of an object is."""

    LIVE = "live"
    ORPHANING = "orphaning"  # it goes as soon as its dependents no longer name it
    FOREGROUND = "foreground"  # it goes as soon as no dependent blocks it
    GOING = "going"  # it goes, and its dependents are looked at when it is gone


class Seen(msgspec.Struct, frozen=True):
    """What a watch shows of an object, as far as it matters here."""

    identity: Identity
    owners: tuple[Reference, ...] = ()
    finalizers: tuple[str, ...] = ()
    being_deleted: bool = False

    @property
    def stage(self) -> Stage:
        """How far its deletion is."""
        if not self.being_deleted:
            return Stage.LIVE
        if ORPHAN in self.finalizers:
            return Stage.ORPHANING
        return Stage.FOREGROUND if FOREGROUND in self.finalizers else Stage.GOING


class Node:
    """An object in the graph; there is one for each object of the cluster, so it holds no more than it needs."""

    __slots__ = ("_dependents", "blockers", "gone", "identity", "owners", "stage", "virtual")

    def __init__(self, identity: Identity, *, virtual: bool) -> None:
        self.identity = identity
        self.owners: tuple[Reference, ...] = ()
        self.stage = Stage.LIVE
        self.virtual = virtual
        self.gone = False  # it is virtual, and known not to exist under this identity
        self.blockers = 0  # how many dependents must be gone before it: counted, so that 10,000 of them cost no more
        self._dependents: dict[Node, bool] | None = None  # and whether each blocks; most objects have none

    @property
    def has_dependents(self) -> bool:
        """Whether anyone names it as an owner."""
        return bool(self._dependents)

    @property
    def dependents(self) -> Iterable[Node]:
        """Who names it as an owner."""
        return tuple(self._dependents or ())

    @property
    def blocking(self) -> Iterable[Node]:
        """The dependents that must be gone before it."""
        return tuple(node for node, blocks in (self._dependents or {}).items() if blocks)

    def link(self, dependent: Node) -> None:
        """Note a dependent, or that it blocks or no longer does."""
        if self._dependents is None:
            self._dependents = {}
        blocks = any(owner.blocks for owner in dependent.owners if owner.uid == self.identity.uid)
        self.blockers += blocks - self._dependents.get(dependent, False)
        self._dependents[dependent] = blocks

    def unlink(self, dependent: Node) -> None:
        """Forget a dependent."""
        if self._dependents is not None:
            self.blockers -= self._dependents.pop(dependent, False)

    def __repr__(self) -> str:
        return f"Node({self.identity}, {self.stage.value}{', virtual' if self.virtual else ''})"


class Findings:
    """What follows from a fact: objects to look at, and references that point into another namespace."""

    __slots__ = ("_look_at", "misplaced")

    def __init__(self) -> None:
        self._look_at: dict[str, None] = {}
        self.misplaced: list[tuple[Identity, Identity]] = []  # who refers, and to whom in a namespace that is not its

    @property
    def look_at(self) -> tuple[str, ...]:
        """The uids of the objects to look at, each once."""
        return tuple(self._look_at)

    def look(self, *nodes: Node) -> None:
        """Add nodes to look at."""
        for node in nodes:
            self._look_at[node.identity.uid] = None


class Graph:
    """Everything that is known to exist, and everything that something says exists."""

    def __init__(self, absent: AbsentOwners) -> None:
        self._nodes: dict[str, Node] = {}
        self._absent = absent

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def get(self, uid: str) -> Node | None:
        """Return a node by its uid."""
        return self._nodes.get(uid)

    # --- what watches show ---

    def observe(self, seen: Seen) -> Findings:
        """Take in an object that is there."""
        found = Findings()
        node = self._nodes.get(seen.identity.uid)
        if node is None:
            node = self._nodes[seen.identity.uid] = Node(seen.identity, virtual=False)
        elif node.virtual:
            self._meet(node, seen.identity, found=found)
        self._set_owners(node, seen.owners, found=found)
        self._advance(node, seen.stage, found=found)
        return found

    def forget(self, identity: Identity) -> Findings:
        """Take out an object that is gone."""
        found = Findings()
        node = self._nodes.get(identity.uid)
        if node is not None:
            self._remove(node, identity, found=found)
        return found

    def _meet(self, node: Node, identity: Identity, *, found: Findings) -> None:
        """Learn who a virtual node really is; who knew it by another name has to be looked at."""
        for dependent in node.dependents:
            if _mismatches(dependent, identity):
                self._report_misplaced(dependent, identity, found=found)
                found.look(dependent)
        node.identity, node.virtual, node.gone = identity, False, False

    def _advance(self, node: Node, stage: Stage, *, found: Findings) -> None:
        before, node.stage = node.stage, stage
        if stage is before or stage not in (Stage.ORPHANING, Stage.FOREGROUND):
            return
        if stage is Stage.FOREGROUND:
            found.look(*node.dependents)
        found.look(node)

    # --- owners ---

    def _set_owners(self, node: Node, owners: tuple[Reference, ...], *, found: Findings) -> None:
        before = node.owners
        if owners == before:
            return
        node.owners = owners
        there = {owner.uid for owner in owners}
        known = {owner.uid for owner in before}
        for uid in dict.fromkeys(owner.uid for owner in before):
            self._relink(node, uid, stays=uid in there, found=found)
        self._add_owners(node, [owner for owner in owners if owner.uid not in known], found=found)

    def _relink(self, node: Node, uid: str, *, stays: bool, found: Findings) -> None:
        """Let an owner that the object had know what has changed; it may have waited for that."""
        owner = self._nodes.get(uid)
        if owner is None:
            return
        if stays:
            owner.link(node)
        else:
            owner.unlink(node)
            if owner.virtual and not owner.has_dependents:
                del self._nodes[uid]
        if owner.stage is Stage.FOREGROUND and not owner.blockers:
            found.look(owner)

    def _add_owners(self, node: Node, owners: Iterable[Reference], *, found: Findings) -> None:
        doubtful = False
        for reference in owners:
            owner = self._nodes.get(reference.uid)
            if owner is None:
                owner = self._nodes[reference.uid] = Node(reference.identity(node.identity.namespace), virtual=True)
            elif _doubtful(reference, node, owner):
                self._report_misplaced(node, owner.identity, found=found, sure=not owner.virtual)
                doubtful = True
            owner.link(node)
            if owner.gone or owner.stage is Stage.FOREGROUND:
                found.look(node)
            elif owner.virtual or owner.stage is Stage.ORPHANING:
                found.look(owner)  # whether it exists; or to let go of one more
        if doubtful:
            found.look(node)

    def _report_misplaced(self, node: Node, owner: Identity, *, found: Findings, sure: bool = True) -> None:
        if not sure or not owner.namespace or owner.namespace == node.identity.namespace:
            return
        for reference in node.owners:
            if reference.uid == owner.uid:
                found.misplaced.append((node.identity, reference.identity(node.identity.namespace)))
                return

    # --- what live reads tell ---

    def is_absent(self, owner: Identity) -> bool:
        """Whether an owner is known not to exist, so that nobody has to ask for it."""
        node = self._nodes.get(owner.uid)
        anywhere = msgspec.structs.replace(owner, namespace="")
        if node is not None and node.gone and node.identity in (owner, anywhere):
            return True
        return owner in self._absent or anywhere in self._absent

    def place(self, node: Node, identity: Identity) -> None:
        """Correct what is known of a virtual node."""
        if node.virtual:
            node.identity = identity

    def found_absent(self, identity: Identity) -> Findings:
        """Take in that a live read has not found an object: nothing of this uid has this name, kind and namespace."""
        found = Findings()
        node = self._nodes.get(identity.uid)
        if node is None:
            return found
        strangers = [each for each in node.dependents if _mismatches(each, identity)]
        if (node.virtual and strangers) or (not node.virtual and node.identity != identity):
            self._look_at_believers(node, identity, found=found)
            if node.virtual and node.identity == identity:
                self._try_another_name(node, strangers, found=found)
        else:
            self._remove(node, identity, found=found)
        return found

    def _look_at_believers(self, node: Node, identity: Identity, *, found: Findings) -> None:
        """The object may exist under another name; who knew it by this one has an owner that does not."""
        believers = [each for each in node.dependents if _matches(each, identity)]
        if believers:
            self._absent.add(identity)
            found.look(*believers)

    def _try_another_name(self, node: Node, strangers: Iterable[Node], *, found: Findings) -> None:
        other = another_identity(strangers, node.identity)
        if other is not None:
            node.identity, node.gone = other, False
            found.look(node)

    def _remove(self, node: Node, identity: Identity, *, found: Findings) -> None:
        owners, node.owners, node.stage = node.owners, (), Stage.LIVE
        if node.has_dependents:
            node.identity, node.virtual, node.gone = identity, True, True
            found.look(*node.dependents)
        else:
            del self._nodes[identity.uid]
        for uid in dict.fromkeys(reference.uid for reference in owners):
            self._relink(node, uid, stays=False, found=found)


def _doubtful(reference: Reference, node: Node, owner: Node) -> bool:
    """Whether a reference does not fit what is known of its owner, so that a live read has to tell."""
    namespace = owner.identity.namespace
    if namespace and namespace != node.identity.namespace:
        return True
    if not reference.names(owner.identity):
        return True
    # A virtual owner without a namespace was named by an object without one; this one has one, so one of them errs.
    return owner.virtual and namespace != node.identity.namespace


def _matches(dependent: Node, owner: Identity) -> bool:
    """Whether an object has a reference that means just this owner."""
    if owner.namespace and owner.namespace != dependent.identity.namespace:
        return False
    return any(reference.names(owner) for reference in dependent.owners if reference.uid == owner.uid)


def _mismatches(dependent: Node, owner: Identity) -> bool:
    """Whether an object has a reference to this uid that means something else."""
    if owner.namespace and owner.namespace != dependent.identity.namespace:
        return True
    return any(not reference.names(owner) for reference in dependent.owners if reference.uid == owner.uid)


def another_identity(dependents: Iterable[Node], absent: Identity) -> Identity | None:
    """Return the next name by which dependents know an owner, after one that turned out to be absent; in a circle."""
    names: dict[Identity, None] = {}
    for dependent in dependents:
        for reference in dependent.owners:
            if reference.uid == absent.uid:
                name = reference.identity(dependent.identity.namespace)
                same_kind = (name.api_version, name.kind) == (absent.api_version, absent.kind)
                if not absent.namespace and same_kind:
                    name = msgspec.structs.replace(name, namespace="")  # the kind is known to have none
                names[name] = None
    names.pop(absent, None)
    ordered = sorted(names)
    return next((name for name in ordered if name > absent), ordered[0] if ordered else None)


def interned(text: str) -> str:
    """Return a text that many nodes share, once."""
    return sys.intern(text)
