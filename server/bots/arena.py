"""Lets policies play against each other, and says how often one of them wins.

``python -m server.bots.arena trick-and-trade strong greedy --seats 4 --games 400`` seats one strong bot among
greedy ones, on each seat in turn. A victory that is shared by three counts a third.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import msgspec

from domain import table as tables
from domain.dealing import KEY_BYTES, commitment
from domain.events import Commit
from domain.registry import games
from domain.table import Decision, Spectators, Table, TableOpened
from domain.visibility import see
from projections import history
from server.bots.policies import PLAYOUTS, POLICIES, QUICK, STRONG, Action, AnyGame, seeded, strong


class Match:
    """One table, played without a server by a policy for each seat.

    Args:
        game: the game.
        policies: by seat.
        seed: what the cards and the choices follow from.
        playouts: how many games a strong bot plays out for a move.
    """

    def __init__(self, game: AnyGame, policies: Sequence[str], seed: str, playouts: int = PLAYOUTS) -> None:
        self.game = game
        self.playouts = playouts
        self.policies = policies
        key = random.Random(seed).randbytes(KEY_BYTES)  # noqa: S311 - an arena deals for itself
        self.commits: list[Commit] = []
        opened = TableOpened(
            table=seed,
            game=game.name,
            seats=len(policies),
            options=msgspec.to_builtins(game.parse_options({}, len(policies))),
            epoch="arena",
            listed=False,
            spectators=Spectators(),
            reveal="end",
            autostart=True,
            commitment=commitment(seed, key),
            deal_key=key,
            host_hash=b"",
        )
        self._commit("host", tables.decide_open(game, opened))
        for seat, policy in enumerate(policies):
            sat = tables.decide_sit(
                game, self.table, seat=seat, name=policy, token_hash=b"", entropy=None, policy=policy
            )
            self._commit("host", sat)
        self.table: Table
        self._commit("server", tables.decide_start(game, self.table))

    def _commit(self, by: int | str, decision: Decision) -> None:
        version = len(self.commits) + 1
        self.commits.append(Commit(version, 0, by, decision.events))
        self.table = tables.stamped(decision.table, version, 0)

    def log(self, seat: int) -> list[dict[str, Any]]:
        """The log as ``seat`` may read it, as it goes over the wire."""
        lines = [history.header(self.table, seat), *(history.line(commit, seat) for commit in self.commits)]
        read: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(lines))
        return read

    def choose(self, seat: int, policy: str) -> Action:
        """What ``policy`` does on ``seat`` now."""
        seen = see(self.table.state, seat)  # type: ignore[type-var]
        offers = self.game.actions(seen, seat)
        rng = seeded(self.table.id, self.table.version, seat)
        if policy == STRONG:
            return strong(self.game, self.log(seat), seat, offers, rng, self.playouts)
        return QUICK[policy](self.game, seen, seat, offers, rng)

    def step(self) -> None:
        """Let a seat that is asked act."""
        seat = tables.waiting(self.game, self.table)[0]
        action = self.choose(seat, self.policies[seat])
        self._commit(seat, tables.decide_act(self.game, self.table, seat, action))

    def play(self) -> tuple[int, ...]:
        """Play to the end; gives the seats that won."""
        while not self.table.over:
            self.step()
        assert self.table.result is not None
        return self.table.result.winners


@dataclass(frozen=True)
class Record:
    """How often the champion won.

    Args:
        seats: at tables of this size.
        shares: for each game 1 for a victory, less for a shared one, 0 for none.
        fair: what a player like all others would win.
    """

    seats: int
    shares: tuple[float, ...]
    fair: float

    @property
    def rate(self) -> float:
        """The share of games won."""
        return sum(self.shares) / len(self.shares)

    @property
    def lower(self) -> float:
        """The lower end of Wilson's interval, one-sided at 95 %."""
        z, number, rate = 1.645, len(self.shares), self.rate
        middle = rate + z * z / (2 * number)
        spread = z * sqrt(rate * (1 - rate) / number + z * z / (4 * number * number))
        return (middle - spread) / (1 + z * z / number)

    def __str__(self) -> str:
        won = f"{self.rate:.1%} of {len(self.shares)} games"
        return (
            f"{self.seats} seats: won {won}; at least {self.lower:.1%} (95 %), where {self.fair:.1%} is even"
        )


def partners(match: Match, seat: int) -> frozenset[int]:
    """``seat`` and whoever wins and loses with it: those who would rank last with it if it gave up."""
    places = match.game.forfeit(match.table.state, seat).places
    return frozenset(other for other, place in enumerate(places) if place == places[seat])


def contest(
    name: str, champion: str, others: str, seats: int, playouts: int, number: int
) -> tuple[float, float]:
    """Game ``number``: the champion's share of the victory, and the share of a player like all others.

    The champion's seat goes round from game to game; its partners, if it has any, play as it does.
    """
    seat = number % seats
    match = Match(games()[name], [others] * seats, f"arena {name} {seats} {number}", playouts)
    side = partners(match, seat)
    match.policies = [champion if one in side else others for one in range(seats)]
    winners = match.play()
    return len(side & set(winners)) / len(winners), len(side) / seats


def record(
    name: str,
    champion: str,
    others: str,
    seats: int,
    number: int,
    *,
    processes: int = 1,
    playouts: int = PLAYOUTS,
) -> Record:
    """Let ``champion`` play ``number`` games against ``others`` on all other seats."""
    run = partial(contest, name, champion, others, seats, playouts)
    if processes == 1:
        played = list(map(run, range(number)))
    else:
        with ProcessPoolExecutor(processes) as pool:
            played = list(pool.map(run, range(number), chunksize=4))
    return Record(seats, tuple(share for share, _ in played), played[0][1])


def records(arguments: argparse.Namespace) -> Iterator[Record]:
    """The records that the command line asks for."""
    for seats in arguments.seats or games()[arguments.game].seats:
        yield record(
            arguments.game,
            arguments.champion,
            arguments.others,
            seats,
            arguments.games,
            processes=arguments.processes,
            playouts=arguments.playouts,
        )


def main(argv: Sequence[str] | None = None) -> None:
    """Play what the command line says and print the records."""
    parser = argparse.ArgumentParser(prog="python -m server.bots.arena", description=__doc__)
    parser.add_argument("game", choices=tuple(games()))
    parser.add_argument("champion", choices=POLICIES)
    parser.add_argument("others", choices=POLICIES)
    parser.add_argument(
        "--seats", type=int, action="append", help="may be repeated; all of the game's without"
    )
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--playouts", type=int, default=PLAYOUTS, help="of a strong bot, for each move")
    parser.add_argument("--processes", type=int, default=1)
    for found in records(parser.parse_args(argv)):
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
