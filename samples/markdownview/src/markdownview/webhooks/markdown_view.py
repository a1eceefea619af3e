"""The webhooks of MarkdownView: what the API server asks before it stores one."""

import re

import konverge as kv

from markdownview.api.v1.markdown_view import MarkdownView
from markdownview.children import VIEWER_IMAGE

LONGEST_NAME = 56  # of a Service, less the length of "viewer-"
MOST_BYTES = 1_000_000  # a ConfigMap holds 1 MiB, names and quotes included

_FILE_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9_.]*\.md")
_FIRST_PAGES = ("README.md", "index.md")


class MarkdownViewDefaults:
    """Fills in what the user left out, and the schema's own defaults cannot know."""

    async def default(self, view: MarkdownView) -> None:
        """Change the object in place."""
        view.spec.viewer_image = view.spec.viewer_image or VIEWER_IMAGE


class MarkdownViewValidator:
    """Refuses what no schema can refuse."""

    async def validate_create(self, view: MarkdownView) -> list[str]:
        """Return warnings for the user, or raise to refuse."""
        return self._checked(view)

    async def validate_update(self, old: MarkdownView, new: MarkdownView) -> list[str]:
        """Do the same for a change; what was let in before is not refused while it stays as it is."""
        return [] if old.spec == new.spec else self._checked(new)

    def _checked(self, view: MarkdownView) -> list[str]:
        found = kv.FieldErrors()
        name, files = view.metadata.name or "", view.spec.markdowns
        if len(name) > LONGEST_NAME or "." in name:
            found.invalid("metadata.name", name, f"must have {LONGEST_NAME} characters at most, and no dots")
        for file in files:
            if not _FILE_NAME.fullmatch(file):
                found.invalid(f"spec.markdowns[{file}]", file, "must be the name of a file that ends in .md")
        size = sum(len(each.encode()) for pair in files.items() for each in pair)
        if size > MOST_BYTES:
            found.invalid("spec.markdowns", f"{size} bytes", f"must have {MOST_BYTES} bytes at most")
        found.raise_for(view)
        is_led = any(page in files for page in _FIRST_PAGES)
        return [] if is_led else ["spec.markdowns has no README.md: the first page will be a list of the files"]


def add_markdown_view_webhooks(manager: kv.Manager) -> None:
    """Let the API server ask about each MarkdownView."""
    webhooks = kv.new_webhook(manager, MarkdownView)
    webhooks.with_defaulter(MarkdownViewDefaults())
    webhooks.with_validator(MarkdownViewValidator())
    webhooks.complete()
