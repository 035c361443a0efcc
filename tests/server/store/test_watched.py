"""How a lost piece of news, or of history, is noticed."""

from __future__ import annotations

from server.store import keys
from server.store.watched import Place, Watched

FIRST, SECOND, THIRD = (1, 100), (2, 200), (3, 300)


def watching(*places: Place) -> Watched:
    watched = Watched()
    watched.begin("t")
    watched.joined("t", places[0])
    before = places[0]
    for place in places[1:]:
        watched.heard("t", place, before[1])
        before = place
    return watched


def differs(watched: Watched, *log: Place) -> bool:
    """Compare with a log, as the store does every few seconds."""
    ((table, asked),) = watched.places()
    at = {place[0]: place[1] for place in log}
    return watched.differs(table, asked, len(log), at.get(asked[0], 0))


def test_what_was_told_in_order_is_right() -> None:
    assert not differs(watching(FIRST, SECOND, THIRD), FIRST, SECOND, THIRD)


def test_a_log_that_goes_on_is_noticed() -> None:
    assert differs(watching(FIRST, SECOND), FIRST, SECOND, THIRD)


def test_a_missing_piece_is_noticed_although_the_last_one_came() -> None:
    watched = watching(FIRST)
    watched.heard("t", THIRD, SECOND[1])
    assert differs(watched, FIRST, SECOND, THIRD)
    watched.caught_up("t", THIRD)
    assert not differs(watched, FIRST, SECOND, THIRD)


def test_a_log_that_shrank_is_noticed() -> None:
    assert differs(watching(FIRST, SECOND, THIRD), FIRST, SECOND)


def test_a_log_that_shrank_to_where_news_was_missed_is_noticed() -> None:
    watched = watching(FIRST)
    watched.heard("t", THIRD, SECOND[1])
    assert differs(watched, FIRST)


def test_another_history_of_the_same_length_is_noticed() -> None:
    assert differs(watching(FIRST, SECOND), FIRST, (2, 999))


def test_news_that_follows_on_another_history_is_noticed() -> None:
    watched = watching(FIRST, SECOND)
    watched.heard("t", THIRD, 999)
    assert differs(watched, FIRST, (2, 999), THIRD)


def test_catching_up_with_the_shorter_log_makes_it_right() -> None:
    watched = watching(FIRST, SECOND, THIRD)
    watched.caught_up("t", SECOND)
    assert not differs(watched, FIRST, SECOND)


def test_news_during_the_comparison_puts_it_off() -> None:
    watched = watching(FIRST)
    ((table, asked),) = watched.places()
    watched.heard("t", SECOND, FIRST[1])
    assert not watched.differs(table, asked, 1, FIRST[1])


def test_a_table_that_is_only_about_to_be_watched_is_not_compared() -> None:
    watched = Watched()
    watched.begin("t")
    assert watched.places() == []
    assert watched.abandon("t")
    assert "t" not in watched


def test_what_was_told_last_is_no_news_when_it_is_told_again() -> None:
    watched = watching(FIRST, SECOND)
    assert not watched.heard("t", SECOND, FIRST[1])
    assert watched.heard("t", THIRD, SECOND[1])


def test_another_history_of_the_same_length_is_news() -> None:
    watched = watching(FIRST, SECOND)
    assert watched.heard("t", (2, 201), FIRST[1])
    assert watched.heard("t", FIRST, 0)


def test_a_table_that_nobody_watches_may_always_have_news() -> None:
    assert Watched().heard("t", FIRST, 0)


def test_news_of_an_own_commit_are_stale_until_something_else_is_known() -> None:
    watched = Watched()
    watched.begin("t")
    watched.joined("t", FIRST)
    channel, second = keys.news("t").encode(), (FIRST[0] + 1, FIRST[1] + 5)
    told = b"%d %d %d\ndata" % (*second, FIRST[1])
    assert not watched.is_stale(channel, told)
    watched.stored("t", second, FIRST[1])
    assert watched.is_stale(channel, told)
    for other in (
        (*second, FIRST[1] + 1),
        (second[0], second[1] + 1, FIRST[1]),
        (second[0] + 1, second[1], second[1]),
    ):
        assert not watched.is_stale(channel, b"%d %d %d\ndata" % other)
    assert not watched.is_stale(keys.news("u").encode(), told)
    watched.heard("t", (second[0] + 1, second[1]), second[1])
    assert not watched.is_stale(channel, told)


def test_news_of_an_own_commit_are_not_stale_where_something_is_missing_or_another_history_was_read() -> None:
    watched = Watched()
    watched.begin("t")
    watched.joined("t", FIRST)
    channel, third = keys.news("t").encode(), (FIRST[0] + 2, FIRST[1] + 5)
    watched.stored("t", third, FIRST[1] + 2)
    assert not watched.is_stale(channel, b"%d %d %d\n" % (*third, FIRST[1] + 2))
    watched.caught_up("t", third)
    watched.stored("t", (third[0] + 1, third[1]), third[1])
    assert watched.is_stale(channel, b"%d %d %d\n" % (third[0] + 1, third[1], third[1]))
    watched.caught_up("t", (third[0] + 1, third[1] + 1))
    assert not watched.is_stale(channel, b"%d %d %d\n" % (third[0] + 1, third[1], third[1]))
    watched.end("t")
    assert not watched.is_stale(channel, b"%d %d %d\n" % (third[0] + 1, third[1], third[1]))
