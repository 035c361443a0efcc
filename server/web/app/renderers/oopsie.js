/** Oopsie: two teams of two bid the places in which each will finish. */
import { card } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { nth } from '../words.js';
import * as tarot from './tarot.js';

export const oopsie = {
  stand: tarot.stand,
  claims: tarot.claims,
  seat(frame, seat) {
    const facts = tarot.seatFacts(frame, seat, frame.game.scores[seat % 2]);
    const mark = t('team', { team: seat % 2 === 0 ? 'A' : 'B' });
    return { ...facts, mark, badges: [...tarot.placeBid(frame, seat), ...facts.badges] };
  },
  board(frame) {
    return [tarot.centre(frame), tarot.awards(frame), tarot.lastHand(frame, nth)];
  },
  notes(frame) {
    const { passing, passed, received } = frame.game;
    return h('div', { class: 'notes' },
      passing && note(t('passing'), [passing]),
      passed?.length > 0 && note(t('passed'), passed),
      received?.length > 0 && note(t('received'), received));
  },
  own: (frame) => tarot.own(frame, tarot.birds(4)),
  reasons(frame) {
    return tarot.lastHand(frame, nth, true);
  },
};

function note(text, cards) {
  return h('p', { class: 'note' }, text, h('span', { class: 'row-of-cards tiny-cards' }, cards.map((code) => card(code, { key: code }))));
}
