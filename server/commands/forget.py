"""``facedown forget``: takes the name of a person out of stored tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import typer

from server.archive import Archived, Folder
from server.commands.common import MISUSED, as_json, counted, fail, note, settings_of
from server.commands.transfer import with_store
from server.forget import Forgotten, NobodyThere, Whom, forget
from server.jobs import UNREADABLE, NoSuchTable
from server.store.base import Archive


def run(
    tables: list[str],
    env: Mapping[str, str],
    *,
    seat: int | None,
    name: str | None,
    everywhere: bool,
    json: bool,
    **options: object,
) -> None:
    """Take a name out of tables, and write which.

    Args:
        tables: their ids; none with ``everywhere``.
        env: the environment, which names the store.
        seat: everybody who sat there.
        name: everybody who bore it.
        everywhere: all tables, the archived ones too; only with a name.
        options: settings of the command line; None for those not given.
    """
    if everywhere == bool(tables):
        fail("name the tables, or all of them with --all", MISUSED)
    if name is None and (everywhere or seat is None):
        fail("say whose name: --name, or --seat at the tables that you name", MISUSED)
    settings = settings_of(env, options)
    path = settings.archive_folder

    async def work(bare: Archive) -> list[Forgotten]:
        folder = None if path is None else Folder(path)
        keep_s = settings.archive_keep_days * 86_400
        store = bare if folder is None else cast(Archive, Archived(bare, folder, keep_s))
        idents = tables
        if everywhere:
            filed = [] if folder is None else folder.tables()
            idents = sorted({*await bare.tables(), *filed})
        found: list[Forgotten] = []
        for ident in idents:
            try:
                found += await forget(store, ident, Whom(seat, name))
            except NoSuchTable:
                if not everywhere:
                    raise
            except NobodyThere:
                nobody.append(ident)
            except (*UNREADABLE, OSError) as error:
                unread.append(ident)
                note(f"{ident} cannot be changed: {error}")
        await bare.compact()
        searched.extend(idents)
        return found

    searched: list[str] = []
    nobody: list[str] = []
    unread: list[str] = []

    found = with_store(env, options, work)
    if json:
        typer.echo(as_json([{"table": one.table, "names": one.names} for one in found]))
    else:
        for one in found:
            typer.echo(f"{one.table}: {one.names} removed")
    note(f"names were taken out of {counted(len(found), 'table')}, and the store's files were written anew")
    if found:
        note("backups, exports and logs that were taken before still hold them")
    if everywhere and not found:
        note(f"nobody of this name is left at any of {counted(len(searched), 'table')}")
    if unread:
        left = "table was left as it is" if len(unread) == 1 else "tables were left as they are"
        fail(f"{len(unread)} {left}")
    if nobody and not everywhere:
        fail(f"nobody to forget: no such person ever sat at {', '.join(nobody)}")
