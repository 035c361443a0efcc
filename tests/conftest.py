"""What holds for all tests."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from server.client import Viewer
from tests.support.contract import Message, contract

# Speed is no matter of right or wrong here: a busy machine must not fail a test.
settings.register_profile("facedown", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("facedown")


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
