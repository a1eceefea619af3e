"""The operator: the kinds it defines, what it does about them, and how it runs.

`konverge create` adds lines to KINDS and to `add_to`; all of it is yours to change.
"""

import os

import konverge as kv
from konverge import log

from markdownview.api.v1.markdown_view import MarkdownView as MarkdownViewV1
from markdownview.controllers.markdown_view import add_markdown_view_controller
from markdownview.webhooks.markdown_view import add_markdown_view_webhooks

KINDS: list[type[kv.Object]] = [
    MarkdownViewV1,
]

# By which the API server reaches the webhooks, where the operator runs in a cluster.
SERVICE = kv.WebhookService(namespace="markdownview-system", name="markdownview-webhooks")


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add the controllers and webhooks to a manager."""
    add_markdown_view_controller(manager)
    add_markdown_view_webhooks(manager)
    return manager


def make_manager() -> kv.Manager:
    """Return the manager that runs in a cluster; `konverge run` and `konverge manifests` ask for it, too."""
    manager = kv.Manager(
        metrics_address=os.environ.get("METRICS_ADDRESS", ":8080"),
        health_address=os.environ.get("HEALTH_ADDRESS", ":8081"),
        leader_election=kv.LeaderElection(id="markdownview.konverge.dev"),
        webhooks=kv.WebhookServing(name="markdownview", target=SERVICE),
    )
    return add_to(manager)


if __name__ == "__main__":
    log.setup()
    make_manager().run()
