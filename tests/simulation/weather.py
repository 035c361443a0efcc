"""What goes wrong in a run, and how often: drawn from the seed, over when the run's chaos ends."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, fields


@dataclass(frozen=True)
class Weather:
    """Rates are probabilities per operation, times are seconds.

    Args:
        delay_s: the longest way of a request or an answer.
        refused: the store says no: certainly nothing was stored.
        lost: a request gets lost; its outcome stays unknown.
        unheard: it is stored, but the answer gets lost.
        late: the outcome stays unknown, and it arrives at the store some time afterwards.
        doubled: an append arrives twice, the second time later.
        repeated: the store's client repeated the append and got the answer of the repetition.
        deaf: a notification gets lost.
        echo: a notification comes twice.
        cut: how often per second a client's connection breaks.
        kills: how often per second a server process is killed.
        outages: how often per second the store is away.
        pauses: how often per second the store hangs.
        resend: how often a client sends a command twice.
        fickle: how often a client gives up a command that was answered with ``unavailable``.
    """

    delay_s: float = 0.0
    refused: float = 0.0
    lost: float = 0.0
    unheard: float = 0.0
    late: float = 0.0
    doubled: float = 0.0
    repeated: float = 0.0
    deaf: float = 0.0
    echo: float = 0.0
    cut: float = 0.0
    kills: float = 0.0
    outages: float = 0.0
    pauses: float = 0.0
    resend: float = 0.0
    fickle: float = 0.0
    losses: int = field(default=0, metadata={"fixed": True})
    """How often the store comes back with an older state."""

    def named(self) -> str:
        """What is bad about it."""
        return " ".join(
            f"{part.name}={getattr(self, part.name):.3g}"
            for part in fields(self)
            if getattr(self, part.name) != part.default
        )


_WORST = {
    "refused": 0.15,
    "lost": 0.15,
    "unheard": 0.2,
    "late": 0.2,
    "doubled": 0.3,
    "repeated": 0.3,
    "deaf": 1.0,
    "echo": 0.5,
    "cut": 0.4,
    "kills": 0.15,
    "outages": 0.08,
    "pauses": 0.06,
    "resend": 0.4,
    "fickle": 0.7,
}

CALM = Weather(delay_s=0.005)


def drawn(rng: random.Random, losses: bool) -> Weather:
    """The weather of a run: each kind of trouble in about half of the runs, some runs with none."""
    found = {
        name: rng.random() * worst if rng.random() < 0.5 else 0.0 for name, worst in sorted(_WORST.items())
    }
    found["fickle"] = rng.uniform(0.2, _WORST["fickle"])
    return Weather(delay_s=rng.choice((0.001, 0.02, 0.2)), losses=rng.randint(1, 2) if losses else 0, **found)
