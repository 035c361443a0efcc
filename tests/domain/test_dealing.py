"""The dealing algorithm: the published vectors, every part of the input, rejection, and fairness."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import dealing
from domain.dealing import KeyedDealer, commitment, joined
from tests.domain import reference_dealing

KEY = bytes(range(32))
PUBLISHED: dict[str, Any] = json.loads(reference_dealing.VECTORS.read_text(encoding="utf-8"))


def dealer(key: bytes = KEY, *entropy: bytes | None) -> KeyedDealer:
    return KeyedDealer(key, entropy)


def test_the_published_vectors_are_those_of_the_second_implementation() -> None:
    assert reference_dealing.vectors() == PUBLISHED


@pytest.mark.parametrize("vector", PUBLISHED["commitments"], ids=lambda vector: vector["table"])
def test_the_commitment_follows_the_published_vector(vector: dict[str, Any]) -> None:
    assert commitment(vector["table"], bytes.fromhex(vector["key"])) == vector["commitment"]


@pytest.mark.parametrize("vector", PUBLISHED["shuffles"], ids=lambda vector: vector["label"])
def test_a_shuffle_follows_the_published_vector(vector: dict[str, Any]) -> None:
    entropy = [part.encode() for part in vector["entropy"]]
    order = KeyedDealer(bytes.fromhex(vector["key"]), entropy).shuffle(vector["label"], vector["items"])
    assert list(order) == vector["order"]


@pytest.mark.parametrize("vector", PUBLISHED["streams"], ids=lambda vector: vector["label"])
def test_the_stream_of_numbers_follows_the_published_vector(vector: dict[str, Any]) -> None:
    seed = joined(*(part.encode() for part in vector["entropy"]))
    stream = dealing._Stream(bytes.fromhex(vector["key"]), seed, vector["label"])
    assert [f"{stream._number():016x}" for _ in vector["numbers"]] == vector["numbers"]


@given(
    key=st.binary(min_size=32, max_size=32),
    entropy=st.lists(st.binary(max_size=40), max_size=6),
    label=st.text(max_size=20),
    items=st.one_of(
        st.lists(st.text(max_size=5), max_size=60), st.lists(st.integers(-100, 100), max_size=60)
    ),
)
def test_two_independent_implementations_agree(
    key: bytes, entropy: list[bytes], label: str, items: list[Any]
) -> None:
    expected = reference_dealing.shuffle(key, entropy, label, items)
    assert list(KeyedDealer(key, entropy).shuffle(label, items)) == expected


@given(items=st.lists(st.text(max_size=4), max_size=30), data=st.data())
def test_the_order_in_which_the_items_are_given_does_not_matter(items: list[str], data: Any) -> None:
    other = data.draw(st.permutations(items))
    assert dealer().shuffle("deal", items) == dealer().shuffle("deal", other)
    assert sorted(dealer().shuffle("deal", items)) == sorted(items)


def test_a_dealer_remembers_nothing_between_shuffles() -> None:
    one = dealer()
    first = one.shuffle("a", range(50))
    one.shuffle("b", range(50))
    assert one.shuffle("a", range(50)) == first


def test_key_label_and_the_entropy_of_each_seat_change_the_outcome() -> None:
    outcomes = [
        dealer(KEY, None, None).shuffle("a", range(60)),
        dealer(KEY[::-1], None, None).shuffle("a", range(60)),
        dealer(KEY, None, None).shuffle("b", range(60)),
        dealer(KEY, b"x", None).shuffle("a", range(60)),
        dealer(KEY, None, b"x").shuffle("a", range(60)),
        dealer(KEY, b"x", b"x").shuffle("a", range(60)),
        dealer(KEY, b"xx", None).shuffle("a", range(60)),
        dealer(KEY, None, None, None).shuffle("a", range(60)),
    ]
    assert len(set(outcomes)) == len(outcomes)


def test_a_seat_without_entropy_counts_as_an_empty_part() -> None:
    assert dealer(KEY, None, b"x").shuffle("a", range(60)) == dealer(KEY, b"", b"x").shuffle("a", range(60))


def test_parts_are_joined_so_that_no_two_lists_of_parts_give_the_same_bytes() -> None:
    assert joined(b"ab", b"c") == b"\0\0\0\2ab\0\0\0\1c"
    assert joined(b"ab", b"c") != joined(b"a", b"bc") != joined(b"abc")
    assert joined() != joined(b"")


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_key_has_exactly_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        KeyedDealer(bytes(length), [])


class _Numbers(dealing._Stream):
    """A stream whose numbers are given."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)

    def _number(self) -> int:
        return self.numbers.pop(0)


@pytest.mark.interpreted
def test_a_number_in_the_uneven_tail_is_drawn_again() -> None:
    limit = 2**64 - 2**64 % 3
    assert limit == 2**64 - 1
    assert _Numbers(2**64 - 1, 5).below(3) == 2
    assert _Numbers(limit - 1).below(3) == (limit - 1) % 3
    uneven = 2**63 + 1
    assert _Numbers(uneven, 2**64 - 1, uneven - 1).below(uneven) == uneven - 1


@pytest.mark.interpreted
def test_a_power_of_two_rejects_nothing() -> None:
    assert _Numbers(2**64 - 1).below(8) == 7
    assert _Numbers(2**64 - 1).below(1) == 0


def test_every_card_comes_to_every_position_equally_often() -> None:
    """Chi-square over 3,000 shuffles of 8: 49 degrees of freedom, 99.99 % lie below 95.

    The seeds are fixed, so this cannot fail by chance; a wrong range in the Fisher-Yates loop gives
    values in the thousands.
    """
    rounds, size = 3000, 8
    seen = [[0] * size for _ in range(size)]
    for number in range(rounds):
        for position, item in enumerate(dealer().shuffle(f"round-{number}", range(size))):
            seen[item][position] += 1
    expected = rounds / size
    chi = sum((count - expected) ** 2 / expected for row in seen for count in row)
    assert chi < 95


def test_all_orders_of_four_are_equally_frequent() -> None:
    """Chi-square over the 24 orders, 23 degrees of freedom: 99.99 % lie below 57."""
    rounds = 4800
    counts: dict[tuple[int, ...], int] = {}
    for number in range(rounds):
        order = dealer().shuffle(f"four-{number}", range(4))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 57
