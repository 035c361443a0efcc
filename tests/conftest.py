"""What holds for all tests."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from server.client import Viewer
from tests.conformance.setups import SETUPS, has_its_turn
from tests.support.contract import Message, contract
from tests.support.counts import EXAMPLES, LONG

# Speed is no matter of right or wrong here: a busy machine must not fail a test.
settings.register_profile(
    "facedown", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=EXAMPLES
)
settings.load_profile("facedown")

RULES = ("domain", "domain_tarot", "games", "projections")
REPEATING = (
    *("test_actions", "test_dealing", "test_follow", "test_patch", "test_playout", "test_properties"),
    *("test_secrets", "test_views"),
)
SERVING = (
    *("test_asyncapi", "test_cli", "test_cli_replay", "test_client_answers", "test_cluster", "test_doctor"),
    *("test_faults", "test_http_basics", "test_http_hosts", "test_logs", "test_metrics", "test_news"),
    *("test_outcomes", "test_pipe", "test_rematch", "test_settings", "test_stop", "test_talk"),
    *("test_transfer_commands", "test_unreadable", "test_ws_malformed"),
)
"""What counts for the branch coverage: the tests of the rules, and the quickest of the server's that together
reach nearly all that the others do. To trace a line costs more than to run it, so all others run without, as
do those that go through the same lines many times: the files named above, tests with generated examples, and
those marked ``no_cover``."""


def measured(item: pytest.Item) -> bool:
    """Whether a test counts for the branch coverage."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        return False
    if folder in RULES:
        return item.path.stem not in REPEATING
    return folder in ("server", "tables") and item.path.stem in SERVING


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Three workers on two cores, in the quick suite: many of its tests wait for other processes."""
    cores = os.cpu_count() or 1
    return None if LONG else cores + cores // 2


def setup_of(item: pytest.Item) -> tuple[str, int] | None:
    """The game and the number of seats of a test that runs over all setups, also if over more than that."""
    params: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    for value in params.values():
        for one in (value, *value) if isinstance(value, tuple) else ():
            if one in SETUPS:
                game, seats = one
                return game, seats
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test of all setups is quick with one of every game, and long with the others."""
    for item in items:
        setup = setup_of(item)
        if setup is not None and not has_its_turn(item.name.partition("[")[0], setup):
            item.add_marker(pytest.mark.long)


def tracing(config: pytest.Config) -> Any:
    """What `pytest-cov` measures with in this process, if it does."""
    return getattr(config.pluginmanager.getplugin("_cov"), "cov_controller", None)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """In a worker of `pytest-xdist`, `pytest-cov` has begun like in a single process, and now begins anew.

    The earlier measurement is never read, but would go on whenever the later one pauses.
    """
    if hasattr(session.config, "workerinput") and (earlier := tracing(session.config)):
        earlier.pause()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let `pytest-cov` pause where nothing is measured, for fixtures as well."""
    controller = tracing(item.config)
    if controller is None or measured(item):
        return (yield)
    controller.pause()
    try:
        return (yield)
    finally:
        controller.resume()


@pytest.fixture(autouse=True, scope="session")
def held_to_the_schemas() -> Iterator[None]:
    """What the client library receives in this process is checked like what the clients of the tests do."""
    read = Viewer._unpacked

    def unpacked(viewer: Viewer, frame: str | bytes) -> Message:
        message = read(viewer, frame)
        contract().received(message)
        return message

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Viewer, "_unpacked", unpacked)
        yield
