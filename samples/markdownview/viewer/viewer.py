"""The viewer: serves the Markdown files of a folder as web pages.

    python viewer.py FOLDER [--address 0.0.0.0] [--port 3000]

A file is read at each request, so a page is never older than its file. HTML in a file is shown, not obeyed. At SIGTERM
it answers what it has accepted and ends.
"""

from __future__ import annotations

import argparse
import html
import signal
import threading
from collections.abc import Mapping
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt

FIRST_PAGES = ("README.md", "index.md")
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 17px/1.6 system-ui, sans-serif; color: #1f2933; max-width: 46rem; margin: 0 auto; padding: 1.5rem; }}
nav {{ border-bottom: 1px solid #d5dbe1; padding-bottom: .6rem; margin-bottom: 1.4rem; }}
nav a {{ margin-right: 1.2rem; color: #52606d; text-decoration: none; }}
nav a[aria-current] {{ color: #1f2933; font-weight: 600; }}
a {{ color: #0b66c3; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #d5dbe1; padding: .3rem .8rem; text-align: left; }}
code {{ background: #eef1f4; padding: .1rem .3rem; border-radius: 3px; }}
pre {{ background: #eef1f4; padding: .8rem; overflow: auto; }}
</style>
</head>
<body>
<nav>{links}</nav>
<main>
{body}</main>
<script>
setInterval(async () => {{
  const page = await (await fetch(location)).text();
  if (!page.includes("{version}")) location.reload();
}}, 1000);
</script>
</body>
</html>
"""


def files_of(folder: Path) -> dict[str, Path]:
    """Return the Markdown files of a folder by name; only these are ever served."""
    return {path.name: path for path in sorted(folder.glob("*.md")) if path.is_file()}


def page_of(files: Mapping[str, str], name: str) -> str | None:
    """Return a page; the empty name is the first one. None if there is no such file."""
    wanted = name or next((each for each in FIRST_PAGES if each in files), "")
    if wanted:
        text = files.get(wanted)
        return None if text is None else _filled(files, wanted, MARKDOWN.render(text))
    items = "".join(f"<li>{_link(each)}</li>\n" for each in files)
    return _filled(files, "Files", f"<h1>Files</h1>\n<ul>\n{items}</ul>\n")


def _filled(files: Mapping[str, str], current: str, body: str) -> str:
    links = "\n".join(_link(each, is_current=each == current) for each in files)
    version = sha256((links + body).encode()).hexdigest()[:16]  # another one: the browser loads the page again
    return PAGE.format(title=html.escape(current), links=links, body=body, version=version)


def _link(name: str, *, is_current: bool = False) -> str:
    mark = ' aria-current="page"' if is_current else ""
    return f'<a href="{quote(name)}"{mark}>{html.escape(name.removesuffix(".md"))}</a>'


class Viewer(ThreadingHTTPServer):
    """The server of one folder."""

    daemon_threads = False  # an answer that has begun is finished

    def __init__(self, address: tuple[str, int], folder: Path) -> None:
        super().__init__(address, Handler)
        self.folder = folder


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Viewer

    def do_GET(self) -> None:
        """Answer with a page."""
        name = unquote(urlsplit(self.path).path).removeprefix("/")
        if name == "healthz":
            return self._answer(HTTPStatus.OK, "ok", "text/plain")
        texts = {each: path.read_text(encoding="utf-8") for each, path in files_of(self.server.folder).items()}
        page = page_of(texts, name)
        if page is None:
            return self._answer(HTTPStatus.NOT_FOUND, f"There is no {name} here.\n", "text/plain")
        return self._answer(HTTPStatus.OK, page, "text/html")

    def _answer(self, status: HTTPStatus, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serve the Markdown files of a folder as web pages.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--address", default="0.0.0.0")  # noqa: S104 - in a container, whoever reaches the pod is meant
    parser.add_argument("--port", type=int, default=3000)
    given = parser.parse_args()
    with Viewer((given.address, given.port), given.folder) as server:
        for number in (signal.SIGTERM, signal.SIGINT):
            # Not from the handler itself: it runs in the thread that serves, which would wait for itself.
            signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
        print(f"serving {given.folder} at http://{given.address}:{server.server_address[1]}", flush=True)
        server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
