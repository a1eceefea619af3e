"""Steps: how each thing that was decided is done, and what the set's owner is told of it."""

from __future__ import annotations

import copy

import konverge as kv
from konverge.cluster.controllers.stateful_set.claims import (
    Claims,
    claims_of,
    is_contested,
    owners_differ,
    set_owners,
    wanted_claims,
)
from konverge.cluster.controllers.stateful_set.decision import Situation, Step, Verb
from konverge.cluster.controllers.stateful_set.identity import has_identity, has_volumes, put_identity, put_volumes
from konverge.errors import AlreadyExists, ApiError, KonvergeError
from konverge.models import core_v1


class ClaimIsLeaving(KonvergeError):
    """A pod needs a claim that is being deleted: it has to wait until that is gone."""


class Steps:
    """Takes the steps of one run."""

    def __init__(self, ctx: kv.Context, situation: Situation) -> None:
        self._ctx = ctx
        self._set = situation.stateful_set
        self._claims = dict(situation.claims)

    async def take(self, step: Step) -> None:
        """Take one step."""
        pod = step.pod
        match step.verb:
            case Verb.CREATE:
                await self._create(pod)
            case Verb.DELETE:
                await self._delete(pod)
            case Verb.CREATE_CLAIMS:
                await self._create_claims(pod)
                await self._set_owners(pod)
            case Verb.CORRECT:
                await self._correct(pod)
            case Verb.CORRECT_CLAIMS:
                await self._set_owners(pod)

    async def _create(self, pod: core_v1.Pod) -> None:
        try:
            await self._create_claims(pod)
            await self._ctx.client.create(pod)
            await self._set_owners(pod)
        except AlreadyExists:
            raise  # a pod of the name that is not ours: no event, as it would be one each time
        except (ApiError, ClaimIsLeaving) as error:
            self._tell("create", pod, error)
            raise
        self._tell("create", pod)

    async def _delete(self, pod: core_v1.Pod) -> None:
        try:
            await kv.ignore_not_found(self._ctx.client.delete(pod))
        except ApiError as error:
            self._tell("delete", pod, error)
            raise
        self._tell("delete", pod)

    async def _correct(self, pod: core_v1.Pod) -> None:
        corrected = copy.deepcopy(pod)
        try:
            if not has_identity(corrected):
                put_identity(corrected)
            if not has_volumes(self._set, corrected):
                put_volumes(self._set, corrected)
                await self._create_claims(corrected)
            await self._set_owners(corrected)
            await self._ctx.client.update(corrected)
        except (ApiError, ClaimIsLeaving) as error:
            self._tell("update", pod, error)
            raise
        self._tell("update", pod)

    async def _create_claims(self, pod: core_v1.Pod) -> None:
        for claim in wanted_claims(self._set, pod):
            name = claim.metadata.name or ""
            there = self._claims.get(name)
            if there is None:
                await self._create_claim(pod, claim)
            elif there.metadata.deletion_timestamp:
                raise ClaimIsLeaving(f"pvc {name} is being deleted")

    async def _create_claim(self, pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> None:
        name = claim.metadata.name or ""
        try:
            self._claims[name] = await self._ctx.client.create(claim)
        except AlreadyExists:
            raise
        except ApiError as error:
            note = f"create Claim {name} for Pod {pod.metadata.name} in StatefulSet {self._set.metadata.name}"
            self._ctx.recorder.warning(self._set, "FailedCreate", f"{note} failed error: {error.message}")
            raise
        note = f"Create Claim {name} Pod {pod.metadata.name} in StatefulSet {self._set.metadata.name} success"
        self._ctx.recorder.normal(self._set, "SuccessfulCreate", note)

    async def _set_owners(self, pod: core_v1.Pod) -> None:
        """Make the owners of a pod's claims those that the retention policy asks for."""
        claims: Claims = self._claims
        for claim in claims_of(self._set, pod, claims):
            if is_contested(self._set, pod, claim):
                self._ctx.recorder.warning(self._set, "ConflictingController", _CONTESTED.format(claim.metadata.name))
            if owners_differ(self._set, pod, claim):
                set_owners(self._set, pod, claim)
                await self._ctx.client.update(claim)

    def _tell(self, verb: str, pod: core_v1.Pod, error: Exception | None = None) -> None:
        note = f"{verb.capitalize()} Pod {pod.metadata.name} in StatefulSet {self._set.metadata.name}"
        if error is None:
            self._ctx.recorder.normal(self._set, f"Successful{verb.capitalize()}", f"{note} successful")
            return
        why = error.message if isinstance(error, ApiError) else str(error)
        self._ctx.recorder.warning(self._set, f"Failed{verb.capitalize()}", f"{note} failed error: {why}")


_CONTESTED = (
    "PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging controller, "
    "the retention policy is ignored for this claim"
)
