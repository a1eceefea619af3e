"""The controller of VcapServicesConverter: from the Secret of its name, the Secret `<name>-vcap` with VCAP_SERVICES."""

from typing import Any

import konverge as kv
from konverge.controller import is_controlled_by
from konverge.models import core_v1

from vcap.api.v1.vcap_services_converter import VcapServicesConverter
from vcap.document import KEY, vcap_services

CREDENTIALS = "vcap.example.com/credentials"  # a label: only Secrets that have it wake the operator
IGNORE = "vcap.example.com/ignore"  # a label: changes of what has it are let pass


@kv.rbac("vcap.example.com", "vcapservicesconverters", verbs=["get", "list", "watch"], only=True)
@kv.rbac("vcap.example.com", "vcapservicesconverters/status", verbs="update", only=True)
@kv.rbac("", "secrets", verbs=["get", "list", "watch", "create", "update", "delete"], only=True)
@kv.rbac("events.k8s.io", "events", verbs=(), only=True)  # it records none
class VcapServicesConverterReconciler:
    """Looks at one name at a time: that of a converter, or of a Secret for which there may be a converter."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Convert the credentials, or take the result away where there are none."""
        converter = await kv.ignore_not_found(ctx.client.get(VcapServicesConverter, request))
        if converter is None or converter.metadata.deletion_timestamp:
            return  # a Secret that nobody converts, or a converter that is gone: nothing to do, and no reason to retry
        credentials = await kv.ignore_not_found(ctx.client.get(core_v1.Secret, request))
        ready = await self._convert(ctx.client, converter, credentials)
        ready.observed_generation = converter.metadata.generation
        conditions = converter.status.conditions or []
        if kv.set_condition(conditions, ready):
            converter.status.conditions = conditions
            await ctx.client.status.update(converter)

    async def _convert(
        self, client: kv.Client, converter: VcapServicesConverter, credentials: core_v1.Secret | None
    ) -> kv.Condition:
        name = f"{converter.metadata.name}-vcap"
        result = core_v1.Secret(metadata=kv.ObjectMeta(name=name, namespace=converter.metadata.namespace))
        there = await kv.ignore_not_found(client.get(core_v1.Secret, result.metadata))
        if there is not None and not is_controlled_by(there, converter):
            return _not_ready("NameTaken", f"the Secret {name} is someone else's: delete it, or rename the converter")
        if credentials is None:
            if there is not None:
                await kv.ignore_not_found(client.delete(there))
            return _not_ready("NoCredentials", f"there is no Secret {converter.metadata.name}")
        document = vcap_services(converter, credentials.data or {})

        def mutate(live: core_v1.Secret) -> None:
            live.data = {**(live.data or {}), KEY: document}
            kv.set_controller_reference(converter, live)

        await kv.create_or_update(client, result, mutate)
        return kv.Condition(type="Ready", status="True", reason="Converted", message=f"in the Secret {name}")


def _not_ready(reason: str, message: str) -> kv.Condition:
    return kv.Condition(type="Ready", status="False", reason=reason, message=message)


class SpecChangedOrResync(kv.GenerationChanged):
    """Drops changes of the status, most of which are our own; lets pass what the resync shows again."""

    def update(self, event: kv.UpdateEvent[Any]) -> bool:
        """Whether what is wanted changed, or it is time to look again."""
        return event.is_resync or super().update(event)


def add_vcap_services_converter_controller(manager: kv.Manager) -> None:
    """Reconcile each converter, and look again when its result or the Secret of its own name changes."""
    (
        kv.new_controller(manager)
        .for_(VcapServicesConverter, predicates=SpecChangedOrResync())
        .owns(core_v1.Secret)
        .watches(core_v1.Secret, kv.EnqueueRequestForObject(), predicates=kv.LabelSelectorMatches(CREDENTIALS))
        .with_event_filter(~kv.LabelSelectorMatches(IGNORE))
        .complete(VcapServicesConverterReconciler())
    )
