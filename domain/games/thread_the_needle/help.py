"""The rules in short, for players."""

from typing import Final

HELP: Final = """\
Say in which range your points will end, then capture just that many.

**4 or 5 seats.** Everybody gets 15 cards (5 seats: all 78; 4 seats: without the 6, 7 and 8 of every suit);
3 form the *Talon*. In turn, bid a level of the scoring card; several may bid the same. Then 15 tricks are
played. Follow the led suit if you can; if you cannot, play a trump if you can, higher than every trump in
the trick if you have one. The highest trump wins, without one the highest card of the led suit. The winner
scores the trick and leads; the last trick takes the Talon as well.

Points: Roi 4, Dame 3, Cavalier 2, Valet 1, each 5 of a side suit 5, each trump 2, the Fool -2.

- The **Fool** is the highest trump, fits any trick and never has to be played while another card can be.
- Winning with the **21**: keep the points or discard them.
- Winning with a **Bird** (trumps 1 to 4, with 5 seats 1 to 5): you may look at the Talon and exchange one
  card. A Bird that an opponent played and you captured is 1 game point at once.

At the end of a hand the level of your points gives its game points, and 5 more if you bid it. The game ends
after a hand in which somebody has 20 (5 seats: 25), or after 4 (5 seats: 5) hands; most game points win.

**2 seats.** 50 cards (all trumps, suits from 8). 10 in hand, and before each seat 13 *strawmen*: 7 face
down, 6 face up over them. A face-up strawman is played like a card in hand; a back card that nothing covers
turns up after the trick. The 21 keeps the points or gives them to the opponent. A Bird looks at one row or
column of the 2x2 Talon. The winner of the last trick turns the Talon up and takes a row or column; the rest
scores for the other. The seat with fewer game points bids first and leads. One seat a hand may bid the
**Needle** (40): made, it wins the game; missed, the hand gives it nothing. 4 hands.

**Options.** The scoring cards and the layout of the strawmen are reconstructed; `scoring_card` replaces the
card by that of a printed box. With `overtrump_on_trump_lead` off, any trump follows a led trump. With
`failed_needle_keeps_birds` off, a seat that misses the Needle loses its points for Birds of that hand, too.
"""
