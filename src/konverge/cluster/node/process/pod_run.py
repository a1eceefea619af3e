"""PodRun: one pod on this node: its volumes, and its containers brought step by step to what their plan says."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import datetime
from typing import Final

import konverge as kv
from konverge import clock
from konverge.cluster.node.process.container_record import ContainerRecord
from konverge.cluster.node.process.container_run import ContainerRun
from konverge.cluster.node.process.container_view import ContainerView, Ended, Role, roles
from konverge.cluster.node.process.downward import Whereabouts
from konverge.cluster.node.process.host import Host
from konverge.cluster.node.process.plan import plan
from konverge.cluster.node.process.pod_sources import ConfigProblem, PodSources
from konverge.cluster.node.process.prepared import Surroundings
from konverge.cluster.node.process.problem import disk_sentence
from konverge.cluster.node.process.service_account_token import PodTokens
from konverge.cluster.node.process.volume_files import Origin
from konverge.cluster.node.process.volumes import make_volumes
from konverge.cluster.pod_runtime import PodRef
from konverge.errors import ApiError
from konverge.models import core_v1

_GRACE: Final = 30.0  # seconds, where a pod says nothing
_LEAST_GRACE: Final = 2.0  # for a sidecar, after the others took all the time there was
_TRY_VOLUMES: Final = 2.0  # seconds after something was wrong with them


class PodRun:
    """A pod that this node runs."""

    def __init__(self, pod: core_v1.Pod, host: Host, recorder: kv.Recorder) -> None:
        meta = pod.metadata
        self.ref = PodRef(meta.namespace or "", meta.name or "", meta.uid or "")
        self.pod = pod  # as last seen
        self.folder = host.pod_folder(self.ref.uid)
        self.waits = ""  # why none of its containers can be started
        self.is_stopping = False
        self._grace_given: float | None = None  # seconds, since it was told to end
        self.failed: tuple[str, str] | None = None  # reason and message, where the node ends it
        self._host = host
        self._recorder = recorder
        self._tokens = PodTokens()
        self._volume_version = ""  # what its volumes were made from
        self.records = {
            each.name: ContainerRecord(each, role, host=host, folder=self.folder) for each, role in roles(pod)
        }
        self._restore(pod)

    def _restore(self, pod: core_v1.Pod) -> None:
        now = clock.now()
        for status in (*(pod.status.init_container_statuses or ()), *(pod.status.container_statuses or ())):
            if status.name in self.records:
                self.records[status.name].restore(status, now)

    def views(self) -> tuple[ContainerView, ...]:
        """Return what is known of its containers."""
        now = clock.now()
        return tuple(record.view(now) for record in self.records.values())

    @property
    def is_running(self) -> bool:
        """Whether any of its containers runs."""
        return any(record.live for record in self.records.values())

    # --- bringing it on ---

    async def sync(self, client: kv.Client, sources: PodSources, where: Whereabouts) -> float | None:
        """Do what is to be done now; return the seconds until there may be more, None if only an event brings it."""
        if self._is_ending():
            return None
        if not await self._update_volumes(client, sources, where):
            return _TRY_VOLUMES
        around = Surroundings(
            pod=self.pod,
            sources=sources,
            where=where,
            folder=self.folder,
            inherited=self._host.inherited,
            server=self._host.server(),
        )
        step = plan(self.views(), self.pod.spec.restart_policy or "Always")
        for name in step.stops:
            self.stop_container(name)
        for name in step.starts:
            if not self._is_ending():  # it may have begun to, while the one before was started
                with self._host.starting():
                    await self.records[name].start(around, ContainerWatcher(self, name))
        self._tell_crash_loops()
        again = plan(self.views(), self.pod.spec.restart_policy or "Always")
        return _sooner(again.wakes_in, self._tokens.renew_in(clock.now()))

    def _is_ending(self) -> bool:
        return self.is_stopping or self._host.is_stopping

    def update(self, pod: core_v1.Pod) -> None:
        """Know the pod as it is now; a container whose image was changed is started again with the new one."""
        self.pod = pod
        for container, _ in roles(pod):
            record = self.records[container.name]
            if record.container.image != container.image:
                note = f"Container {record.name} definition changed, will be restarted"
                ContainerWatcher(self, record.name).inform("Killing", note)
                self.stop_container(record.name)
                record.try_now()
            record.container = container

    def sources_changed(self) -> None:
        """Look again at what could not be started: a ConfigMap or a Secret is different now."""
        for record in self.records.values():
            record.try_now()

    async def _update_volumes(self, client: kv.Client, sources: PodSources, where: Whereabouts) -> bool:
        """Make its volumes say what they are to say; return whether they do."""
        try:
            tokens = await self._tokens.refresh(client, self.pod, clock.now())
            origin = Origin(pod=self.pod, sources=sources, where=where, tokens=tokens)
            version = _version(origin)
            if version != self._volume_version:
                await asyncio.to_thread(make_volumes, self._host.disk, self.folder, origin, clock.now())
                self._volume_version = version
        except ConfigProblem as problem:
            self._cannot_mount(str(problem))
        except ApiError as error:
            self._cannot_mount(f"the token of its service account was not given: {error}")
        except OSError as error:
            self._cannot_mount(disk_sentence(error))
        else:
            self.waits = ""
            return True
        # Containers that run keep what they have, as with a kubelet.
        return bool(self._volume_version)

    def _cannot_mount(self, why: str) -> None:
        if why != self.waits:
            self._recorder.warning(self.pod, "FailedMount", why, action="Mount")
        self.waits = "" if self._volume_version else why
        self._host.problems.tell(f"pod {self.ref}", why)

    def _tell_crash_loops(self) -> None:
        for view in self.views():
            if view.is_running or view.ended is None or not view.pause_left or view.waiting is not None:
                continue
            where = f"{self.ref.name}_{self.ref.namespace}({self.ref.uid})"
            note = f"Back-off restarting failed container {view.name} in pod {where}"
            self._recorder.warning(self.pod, "BackOff", note, action="Restart")
            self._host.problems.tell(f"pod {self.ref}", self._crash_sentence(view.name, view.ended))

    def _crash_sentence(self, name: str, ended: Ended) -> str:
        why = f" ({ended.message.strip()})" if ended.message else ""
        return (
            f"container {name} ends again and again, with exit code {ended.code}{why}; "
            f"see kubectl logs -n {self.ref.namespace} {self.ref.name} -c {name}"
        )

    # --- ending it ---

    def stop_container(self, name: str, grace: float | None = None) -> None:
        """Begin to end one container."""
        live = self.records[name].live
        if live is not None and not live.is_stopping:
            self._host.spawn(live.stop(self.grace if grace is None else grace), f"stop {self.ref} {name}")

    def stop(self, grace: float) -> None:
        """Begin to end all of it; asked again, a shorter grace counts."""
        if self._grace_given is None:
            for record in self.records.values():
                if record.live is not None:
                    ContainerWatcher(self, record.name).inform("Killing", f"Stopping container {record.name}")
        elif grace >= self._grace_given:
            return
        self.is_stopping = True
        self._grace_given = grace
        self._host.spawn(self.end(grace), f"stop {self.ref}")

    async def end(self, grace: float) -> None:
        """End all of it: its containers together, then its sidecars in the reverse of their order."""
        self.is_stopping = True
        loop = asyncio.get_running_loop()
        deadline = loop.time() + grace
        live = [(record.role, record.live) for record in self.records.values() if record.live is not None]
        await asyncio.gather(*(run.stop(grace) for role, run in live if run and role is not Role.SIDECAR))
        for run in reversed([run for role, run in live if role is Role.SIDECAR]):
            if run is not None:
                left = deadline - loop.time()
                await run.stop(max(left, _LEAST_GRACE) if grace > 0 else 0.0)
        self._host.wake(self.ref)

    @property
    def grace(self) -> float:
        """The seconds that its containers have to end in."""
        asked = self.pod.spec.termination_grace_period_seconds
        return _GRACE if asked is None else float(asked)

    # --- what its containers tell ---

    def changed(self) -> None:
        """Let its status be written anew."""
        self._host.wake(self.ref)

    def record_event(self, reason: str, note: str, *, is_warning: bool) -> None:
        """Record an event of the pod."""
        record = self._recorder.warning if is_warning else self._recorder.normal
        record(self.pod, reason, note, action="Container")
        if reason in ("Failed", "PortInUse", "FailedLog"):
            self._host.problems.tell(f"pod {self.ref}", note.removeprefix("Error: "))


class ContainerWatcher:
    """Hears what happens to one container, for its pod."""

    def __init__(self, pod: PodRun, name: str) -> None:
        self._pod = pod
        self._name = name

    def changed(self) -> None:
        """Let the pod's status be written anew."""
        self._pod.changed()

    def warn(self, reason: str, note: str) -> None:
        """Record a warning."""
        self._pod.record_event(reason, note, is_warning=True)

    def inform(self, reason: str, note: str) -> None:
        """Record what happened."""
        self._pod.record_event(reason, note, is_warning=False)

    def stop_soon(self, run: ContainerRun, grace: float | None) -> None:
        """End a run that cannot go on, if it is still the one that runs."""
        if self._pod.records[self._name].live is run:
            self._pod.stop_container(self._name, grace)


def _sooner(*moments: float | None) -> float | None:
    return min((each for each in moments if each is not None), default=None)


def _version(origin: Origin) -> str:
    """What volumes are made from, in short: the versions of the objects, and a digest of what has none."""
    meta = origin.pod.metadata
    objects = [*origin.sources.config_maps.values(), *origin.sources.secrets.values()]
    parts = [f"{type(each).__name__}/{each.metadata.name}/{each.metadata.resource_version}" for each in objects]
    digest = hashlib.sha256(repr((sorted(origin.tokens.items()), meta.labels, meta.annotations)).encode())
    return "\n".join([*sorted(parts), digest.hexdigest()])


def started(pod: core_v1.Pod, now: datetime) -> datetime:
    """Return when a pod was first seen by its node."""
    return pod.status.start_time or now.replace(microsecond=0)
