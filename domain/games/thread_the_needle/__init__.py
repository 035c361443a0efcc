"""Thread the Needle: a tarot trick-taker in which you bid the range in which your points will end."""

from domain.games.thread_the_needle.rules import ThreadTheNeedle

GAME = ThreadTheNeedle()
