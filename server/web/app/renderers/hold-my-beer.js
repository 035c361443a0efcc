/** Hold My Beer: three seats bid the place in which they will finish. */
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { nth } from '../words.js';
import { card } from '../cards.js';
import * as tarot from './tarot.js';

export const holdMyBeer = {
  stand: tarot.stand,
  claims: tarot.claims,
  seat(frame, seat) {
    const facts = tarot.seatFacts(frame, seat);
    return { ...facts, badges: [...tarot.placeBid(frame, seat), ...facts.badges] };
  },
  board(frame) {
    return [tarot.centre(frame), tarot.awards(frame), tarot.lastHand(frame, nth)];
  },
  notes(frame) {
    const laid = frame.game.discard;
    return laid && h('p', { class: 'note' }, h('span', { class: 'tiny-cards' }, card(laid)), t('your_discard'));
  },
  own: (frame) => tarot.own(frame, tarot.birds(3)),
  reasons(frame) {
    return tarot.lastHand(frame, nth, true);
  },
};
