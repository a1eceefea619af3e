"""An operator with webhooks and two versions of its kind, for the tests of `konverge manifests`."""

import konverge as kv

GROUP = "hooked.konverge.dev"


class PageSpec(kv.Spec):
    """What is on it."""

    text: str = ""


@kv.resource(group=GROUP, version="v1", storage=True)
class Page(kv.CustomResource[PageSpec, None]):
    """A page."""


@kv.resource(group=GROUP, version="v1beta1", kind="Page", storage=False)
class OldPage(kv.CustomResource[PageSpec, None]):
    """A page as it was."""


class Defaults:
    """Gives nothing."""

    async def default(self, page: Page) -> None:
        """Give nothing."""


def to_new(old: OldPage) -> Page:
    """Copy."""
    return Page(spec=old.spec)


def to_old(new: Page) -> OldPage:
    """Copy."""
    return OldPage(spec=new.spec)


async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
    """Do nothing."""


serving = kv.WebhookServing(target=kv.WebhookService(namespace="pages", name="page-webhooks"), name="pages")
manager = kv.Manager(webhooks=serving)
kv.new_controller(manager).for_(Page).with_defaulter(Defaults()).with_conversion(
    kv.Spoke(OldPage, to_hub=to_new, from_hub=to_old)
).complete(reconcile)
