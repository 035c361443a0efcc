/** What happened and what can be done, in words. All words are in the catalogue; this puts them together. */
import { first, has, humanized, list, t, tells } from './i18n.js';

const COURT = ['valet', 'cavalier', 'dame', 'roi'];
/** What some viewers are not told; a sentence without it ends in `.hidden`. */
const SECRETS = ['card', 'give', 'place'];
const TAROT = ['hearts', 'spades', 'diamonds', 'clubs'];

/** The name of a card, by its code; null is one that is not seen. @param {string | null} code */
export function cardName(code) {
  if (code === null || code === undefined) return t('card.hidden');
  if (has(`card.${code}`)) return t(`card.${code}`);
  if (code.includes('+')) return combined(code.split('+'));
  const [suit, rank] = code.split('-');
  if (rank === undefined || !has(`suit.${suit}`)) return humanized(code);
  if (TAROT.includes(suit)) {
    const name = COURT.includes(rank) ? t(`rank.${rank}`) : rank;
    return t('card.of_suit', { rank: name, suit: t(`suit.${suit}`) });
  }
  return t('card.numbered', { suit: t(`suit.${suit}`), rank });
}

function combined(parts) {
  const counts = new Map();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts].map(([part, n]) => (n > 1 ? t('card.times', { n, card: cardName(part) }) : cardName(part))).join(', ');
}

/** Cards in a row; those that are not seen only counted. @param {(string | null)[]} codes */
export function cardNames(codes) {
  const known = codes.filter((code) => code !== null);
  const hidden = codes.length - known.length;
  const names = known.map(cardName);
  if (hidden > 0) names.push(t('card.hidden_count', { count: hidden }));
  return names.length > 0 ? list(names) : t('card.none');
}

/** A place in an order: 1st, 2nd. @param {number} n */
export function nth(n) {
  return first([`nth.${n}`]) ?? String(n);
}

/**
 * The words of one table.
 *
 * @param {string} game
 * @param {any} view the table's view, for names
 * @param {(type: string, name: string, value: any) => string | undefined} [special] words of the game's
 *   renderer for values that depend on the view
 */
export function wordsFor(game, view, special = () => undefined) {
  const seat = (n) => {
    if (n === null || n === undefined) return t('nobody');
    if (typeof n !== 'number') return first([`who.${n}`]) ?? humanized(n);
    return view?.seats?.[n]?.name ?? t('seat_number', { n: n + 1 });
  };
  const lot = (name) => {
    const [kind, who] = name.split('-');
    if (kind === 'lot') return t('lot', { n: who });
    return t('lot_of_bid', { who: seat(who === 'nimbus' ? who : Number(who)) });
  };
  const seats = (ns) => list(ns.map(seat));
  const awards = (all) => list(all.map((one) => award(one)));
  const word = (value) => first([`word.${value}`]) ?? humanized(value);
  const bySeat = (values) => list(values.map((value, n) => t('of_seat', { who: seat(n), value })));
  const formats = {
    seat, who: seat, to: seat, winner: seat, other: seat, lead: seat, first: seat, starter: seat,
    card: cardName, trade: cardName, token: cardName, give: cardName, take: cardName, won: cardName,
    cards: cardNames, lots: (names) => list(names.map(lot)), lot, sure: (names) => list(names.map(lot)),
    tied: (names) => list(names.map(lot)), line: word, choice: word, reason: word, then: word,
    seats, takers: seats, winners: seats, order: (all) => all.map(seat).join(', '), awards, nth,
    plus1: (n) => n + 1, byseat: bySeat, policy: word,
    places: (all) => bySeat(all.map(nth)), placebids: (all) => bySeat(all.map(nth)),
    byseatcards: (all) => bySeat(all.map(cardName)),
    trove: (all) => all.map((n) => seat(n === view?.seats.length ? 'nimbus' : n)).join(', '),
    turned: (all) => cardNames(all.map((one) => one.card)),
    bids: (all) => all.map((one) => `${award(one)}.`).join(' '),
    coins: (all) => all.map((one, n) => t('mein-schatz.scored', { ...one, who: n, paid: coins(one) }, formats)).join(' '),
  };

  function award(one) {
    const key = [`award.${one.reason}`, 'award.any'];
    return first(key, { ...one, reason: one.reason }, formats);
  }

  function coins({ gold, silver }) {
    const parts = [gold > 0 && t('coins.gold', { n: gold }), silver > 0 && t('coins.silver', { n: silver })].filter(Boolean);
    return parts.length > 0 ? list(parts) : t('coins.none');
  }

  /** An event in a sentence; empty where there is nothing to say about it. @param {any} event */
  function event(happened) {
    const { type, ...fields } = happened;
    const variant = fields.why ?? fields.outcome ?? fields.what ?? fields.choice ?? fields.then ?? fields.reason;
    const names = [`${game}.${type}`, type];
    const open = names.flatMap((name) => [`event.${name}.${variant}`, `event.${name}`]).find(has);
    const hides = open !== undefined && SECRETS.some((name) => tells(open, name) && (fields[name] ?? null) === null);
    const keys = [...(hides ? names.map((name) => `event.${name}.hidden`) : []), open ?? ''];
    return first(keys, fields, formats) ?? [humanized(type), ...Object.entries(fields).map(([name, value]) => plain(name, value))].join(' · ');
  }

  function plain(name, value) {
    return `${humanized(name)}: ${typeof value === 'string' ? humanized(value) : JSON.stringify(value)}`;
  }

  /** What a kind of action is called. @param {string} type */
  function act(type) {
    return first([`action.${game}.${type}`, `action.${type}`]) ?? humanized(type);
  }

  /** What a parameter is called. */
  function param(type, name) {
    return first([`param.${type}.${name}`, `param.${name}`]) ?? humanized(name);
  }

  /** A value of a parameter. */
  function value(type, name, given) {
    const own = special(type, name, given);
    if (own !== undefined) return own;
    if (name === 'lots') return lot(given);
    if (name === 'to') return seat(given);
    if (typeof given === 'number') return first([`value.${game}.${name}.${given}`, `value.${name}.${given}`]) ?? String(given);
    if (has(`word.${given}`)) return t(`word.${given}`);
    return cardName(given);
  }

  /** An action in words. @param {any} action */
  function action({ type, ...values }) {
    const parts = Object.entries(values).map(([name, given]) =>
      Array.isArray(given) ? list(given.map((one) => value(type, name, one))) || t('none') : value(type, name, given));
    return parts.length > 0 ? t('action_with', { action: act(type), values: parts.join(', ') }) : act(type);
  }

  return { seat, seats, lot, lots: formats.lots, card: cardName, cards: cardNames, award, awards, event, act, param, value, action, word, nth };
}
