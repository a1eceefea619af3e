"""What the API server is told about a MarkdownView."""

import konverge as kv
import pytest
from konverge.errors import Invalid

from markdownview.api.v1.markdown_view import MarkdownView, MarkdownViewSpec
from markdownview.children import VIEWER_IMAGE, deployment_of
from markdownview.webhooks.markdown_view import LONGEST_NAME, MOST_BYTES, MarkdownViewValidator


def view(name: str = "sample", **markdowns: str) -> MarkdownView:
    """Return one with these files; `__` stands for a dot."""
    files = {file.replace("__", "."): text for file, text in markdowns.items()} or {"README.md": "# Hi"}
    return MarkdownView(metadata=kv.ObjectMeta(name=name), spec=MarkdownViewSpec(markdowns=files))


async def test_the_image_is_filled_in(client: kv.Client) -> None:
    """As soon as the object is there; one that the user names stays."""
    assert (await client.create(view())).spec.viewer_image == VIEWER_IMAGE
    other = view("other")
    other.spec.viewer_image = "example.com/viewer:2"
    assert (await client.create(other)).spec.viewer_image == "example.com/viewer:2"


@pytest.mark.parametrize("name", ["x" * (LONGEST_NAME + 1), "with.dot"])
async def test_a_name_that_gives_no_service_is_refused(client: kv.Client, name: str) -> None:
    """With a cause for the field, as the API server's own checks have it."""
    with pytest.raises(Invalid, match=r"metadata\.name"):
        await client.create(view(name))


async def test_a_file_that_is_no_markdown_is_refused(client: kv.Client) -> None:
    """By its name, when it is created and when it is changed."""
    with pytest.raises(Invalid, match=r"spec\.markdowns\[notes\.txt\].*must be the name of a file that ends in \.md"):
        await client.create(view(notes__txt="…"))
    made = await client.create(view())
    made.spec.markdowns = {"../escape.md": "…"}
    with pytest.raises(Invalid, match="escape"):
        await client.update(made)


async def test_what_was_let_in_before_is_not_refused_while_it_stays() -> None:
    """An object may be older than a rule, and its labels and finalizers must go on to be writable."""
    before, after = view(notes__txt="…"), view(notes__txt="…")
    after.metadata.labels = {"team": "blue"}
    assert await MarkdownViewValidator().validate_update(before, after) == []


async def test_an_object_without_an_image_gets_the_operators() -> None:
    """It may be older than the webhook that fills it in."""
    pod = deployment_of(view()).spec.template.spec
    assert pod is not None
    assert pod.containers[0].image == VIEWER_IMAGE


async def test_more_than_a_config_map_holds_is_refused() -> None:
    """Before the operator would fail again and again."""
    with pytest.raises(Invalid, match="bytes at most"):
        await MarkdownViewValidator().validate_create(view(README__md="x" * MOST_BYTES))


async def test_a_missing_first_page_is_told() -> None:
    """As a warning: kubectl shows it, and the object is stored."""
    assert await MarkdownViewValidator().validate_create(view(README__md="# Hi")) == []
    [warning] = await MarkdownViewValidator().validate_create(view(notes__md="# Hi"))
    assert "no README.md" in warning
