"""A hook of mkdocs: a link that leads out of the documentation, into the repository, becomes plain text on the site.

In the repository such links lead to code and samples; the site has neither. A link to a page that is not there stays,
and mkdocs complains of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\.?/[^)#]+)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text without the links that lead out."""
    docs = Path(config.docs_dir).resolve()
    folder = Path(page.file.abs_src_path).resolve().parent

    def shown(link: re.Match[str]) -> str:
        return link[0] if (folder / link[2]).resolve().is_relative_to(docs) else link[1]

    return _LINK.sub(shown, markdown)
