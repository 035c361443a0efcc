"""The AsyncAPI description names every message, and every reference in it leads somewhere."""

from __future__ import annotations

import json
from typing import Any

from server.asyncapi import description
from server.wire import TO_CLIENT, TO_SERVER


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [ref for inner in value.values() for ref in references(inner)]
    if isinstance(value, list):
        return [ref for inner in value for ref in references(inner)]
    return []


def test_every_reference_leads_somewhere() -> None:
    document = json.loads(description())
    found = references(document)
    assert len(found) > 50
    for reference in found:
        where: Any = document
        for part in reference.removeprefix("#/").split("/"):
            where = where[part]


def test_every_message_is_there_in_its_direction() -> None:
    document = json.loads(description())
    for operation, kinds in (("fromClient", TO_SERVER), ("toClient", TO_CLIENT)):
        listed = document["operations"][operation]["messages"]
        assert [entry["$ref"].rsplit("/", 1)[1] for entry in listed] == [kind.__name__ for kind in kinds]
        for kind in kinds:
            assert document["components"]["messages"][kind.__name__]["name"] == kind.__struct_config__.tag
