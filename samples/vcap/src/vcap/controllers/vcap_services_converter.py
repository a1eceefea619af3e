"""The controller of VcapServicesConverter: makes the cluster as each VcapServicesConverter says."""

import konverge as kv

from vcap.api.v1.vcap_services_converter import VcapServicesConverter


class VcapServicesConverterReconciler:
    """Looks at one VcapServicesConverter at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the cluster as the VcapServicesConverter says, however far along it is already."""
        vcap_services_converter = await kv.ignore_not_found(ctx.client.get(VcapServicesConverter, request))
        if vcap_services_converter is None or vcap_services_converter.metadata.deletion_timestamp:
            return None
        # Here goes what the operator is for: apply the objects that vcap_services_converter.spec asks for, and name their kinds in
        # `owns(…)` below, so that they come back when they are lost.
        ready = kv.Condition(type="Ready", status="True", reason="Reconciled", message="")
        ready.observed_generation = vcap_services_converter.metadata.generation
        conditions = vcap_services_converter.status.conditions or []
        if kv.set_condition(conditions, ready):
            vcap_services_converter.status.conditions = conditions
            await ctx.client.status.update(vcap_services_converter)
        return None


def add_vcap_services_converter_controller(manager: kv.Manager) -> None:
    """Reconcile each VcapServicesConverter."""
    kv.new_controller(manager).for_(VcapServicesConverter).complete(VcapServicesConverterReconciler())
