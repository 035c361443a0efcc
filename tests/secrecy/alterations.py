"""Ways to alter the open log of Hold My Beer; each gives the number of the line where it must be found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.secrecy.logs import Lines


def events(lines: Lines, kind: str) -> list[tuple[int, dict[str, Any]]]:
    """The events of a type, each with the number of its line."""
    return [
        (number, event)
        for number, line in enumerate(lines, start=1)
        for event in line.get("events", ())
        if event["type"] == kind
    ]


def other(character: str) -> str:
    return "1" if character != "1" else "2"


def alter_outcome(lines: Lines) -> int:
    number, event = events(lines, "hand_dealt")[1]
    order = event["order"]
    order[3], order[9] = order[9], order[3]
    return number


def alter_public_outcome(lines: Lines) -> int:
    number, event = events(lines, "starter_drawn")[0]
    event["order"].reverse()
    return number


def alter_one_card(lines: Lines) -> int:
    number, event = events(lines, "hand_dealt")[0]
    order = event["order"]
    order[0] = order[1]
    return number


def alter_entropy(lines: Lines) -> int:
    event = events(lines, "seat_taken")[2][1]
    event["entropy"] = event["entropy"][:-1] + other(event["entropy"][-1])
    return events(lines, "starter_drawn")[0][0]


def remove_entropy(lines: Lines) -> int:
    del events(lines, "seat_taken")[0][1]["entropy"]
    return events(lines, "starter_drawn")[0][0]


def alter_key(lines: Lines) -> int:
    number, event = events(lines, "finished")[0]
    event["deal_key"] = event["deal_key"][:-1] + other(event["deal_key"][-1])
    return number


def remove_key(lines: Lines) -> int:
    number, event = events(lines, "finished")[0]
    del event["deal_key"]
    return number


def alter_commitment(lines: Lines) -> int:
    lines[0]["commitment"] = lines[0]["commitment"][:-1] + other(lines[0]["commitment"][-1])
    return 2


def alter_both_commitments(lines: Lines) -> int:
    alter_commitment(lines)
    events(lines, "table_opened")[0][1]["commitment"] = lines[0]["commitment"]
    return len(lines)


def alter_label(lines: Lines) -> int:
    number, event = events(lines, "hand_dealt")[0]
    event["label"] = "hand-9/deal"
    return number


def repeat_label(lines: Lines) -> int:
    event = events(lines, "hand_dealt")[0][1]
    number, following = events(lines, "hand_dealt")[1]
    following["label"], following["order"] = event["label"], event["order"]
    return number


def hide_an_outcome(lines: Lines) -> int:
    number, event = events(lines, "hand_dealt")[0]
    event["order"][5] = None
    return number


def swap_commits(lines: Lines) -> int:
    lines[20], lines[21] = lines[21], lines[20]
    return 21


def swap_commits_and_renumber(lines: Lines) -> int:
    """Two moves of one trick in the other order: only the rules tell."""
    lines[20], lines[21] = lines[21], lines[20]
    for name in ("version", "at_ms"):
        lines[20][name], lines[21][name] = lines[21][name], lines[20][name]
    return 21


def drop_a_commit(lines: Lines) -> int:
    del lines[30]
    return 31


def repeat_a_commit(lines: Lines) -> int:
    lines.insert(30, copy.deepcopy(lines[30]))
    return 32


def truncate(lines: Lines) -> int:
    del lines[-1]
    return len(lines)


def truncate_at_the_head(lines: Lines) -> int:
    del lines[1]
    return 2


def turn_the_clock_back(lines: Lines) -> int:
    lines[12]["at_ms"] = 5
    return 13


def play_another_card(lines: Lines) -> int:
    number, event = events(lines, "card_played")[4]
    event["card"] = events(lines, "card_played")[5][1]["card"]
    return number


def move_by_another_seat(lines: Lines) -> int:
    number, event = events(lines, "card_played")[0]
    lines[number - 1]["by"] = event["seat"] = (event["seat"] + 1) % 3
    return number


def alter_the_result(lines: Lines) -> int:
    number, event = events(lines, "finished")[0]
    event["scores"][0] += 1
    return number


def alter_points(lines: Lines) -> int:
    number, event = events(lines, "trick_won")[3]
    event["points"] += 1
    return number


def add_an_event(lines: Lines) -> int:
    lines[25]["events"].append({"type": "card_played", "seat": 0, "card": "fool"})
    return 26


def unknown_event(lines: Lines) -> int:
    lines[25]["events"].append({"type": "nobody_knows"})
    return 26


def alter_options(lines: Lines) -> int:
    name = next(iter(lines[0]["options"]))
    lines[0]["options"][name] = not lines[0]["options"][name]
    return 2


def finish_early(lines: Lines) -> int:
    del lines[40:-1]
    lines[-1].update(version=40, by="server", events=lines[-1]["events"][-1:])
    lines[0]["version"] = 40
    return 41


ALTERED: list[Callable[[Lines], int]] = [
    alter_outcome,
    alter_public_outcome,
    alter_one_card,
    alter_entropy,
    remove_entropy,
    alter_key,
    remove_key,
    alter_commitment,
    alter_both_commitments,
    alter_label,
    repeat_label,
    hide_an_outcome,
    swap_commits,
    swap_commits_and_renumber,
    drop_a_commit,
    repeat_a_commit,
    truncate,
    truncate_at_the_head,
    turn_the_clock_back,
    play_another_card,
    move_by_another_seat,
    alter_the_result,
    alter_points,
    add_an_event,
    unknown_event,
    alter_options,
    finish_early,
]
