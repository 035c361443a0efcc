"""The web app, served at ``/``: files, and what browsers are told of them.

The pages lie in ``server/web``. The modules of the JavaScript client are served below ``/lib``: an
installed package holds a copy in ``server/web/lib`` (put there when the wheel is built, see
``pyproject.toml``); in a checkout they come from where they are written.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "connect-src 'self' ws: wss:",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
"""Nothing from elsewhere and nothing inline runs; the socket is named because older browsers do not count
it as ``'self'``."""

HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    # Asked for each time, sent only when changed: a page never runs with modules of another release.
    (b"cache-control", b"no-cache"),
)


def library() -> Path:
    """Where the modules of the JavaScript client lie. Raises `FileNotFoundError` where they are missing."""
    web = Path(str(files("server") / "web"))
    for folder in (web / "lib", web.parents[1] / "clients" / "js" / "src"):
        if (folder / "client.js").is_file():
            return folder
    raise FileNotFoundError(f"the JavaScript client is neither in {web / 'lib'} nor in clients/js/src")


def routes() -> list[BaseRoute]:
    """The routes of the web app, to come after all others."""
    pages = StaticFiles(directory=str(files("server") / "web"), html=True)
    return [
        Mount("/lib", _told(StaticFiles(directory=library())), name="lib"),
        Mount("/", _told(pages), name="web"),
    ]


def _told(pages: ASGIApp) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await pages(scope, receive, with_headers)

    return serve
