/** Mein Schatz: draw and lay, or take a stack before the sixth orc comes. */
import { card, symbol } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { cardName } from '../words.js';
import { group, pickable, pile } from './parts.js';

const MOST_SHOWN = 5;

export const meinSchatz = {
  stand: ({ game }) => `${t('stand_round', { round: game.round })} · ${t('target_silver', { count: game.target })}`,
  claims: (type, name) => ['place', 'token'].includes(name),
  seat(frame, seat) {
    const gnome = frame.game.gnomes[seat];
    const badges = [
      { icon: 'coin', text: t('gold', { count: gnome.gold }), kind: gnome.gold > 0 ? 'strong' : '' },
      { icon: 'coin', text: t('silver', { count: gnome.silver }) },
    ];
    if (gnome.in_round) badges.push({ text: t('without_treasure') });
    return { score: gnome.value, badges, extra: gnome.in_round ? null : taken(gnome) };
  },
  board(frame) {
    const { game } = frame;
    return [
      h('div', { class: 'cave' },
        deck(frame),
        h('ol', { class: 'orcs', 'aria-label': t('orcs', { count: game.orcs, all: game.orcs_in_all }) }, Array.from({ length: game.orcs_in_all }, (_, n) =>
          h('li', { key: `orc-${n}`, class: n < game.orcs ? 'out' : '', 'aria-hidden': 'true' }, symbol('orc')))),
        game.drawn.length > 0 && group(t('drawn'), card(game.drawn[0], { kind: 'arrive' }))),
      lastMove(frame),
      h('ul', { class: 'places', 'aria-label': t('places') }, game.places.map((place) => h('li', { key: `place-${place.place}` }, drawPlace(frame, place)))),
      tokens(frame),
      lastRound(frame),
    ];
  },
  reasons: (frame) => lastRound(frame, true),
};

/** What a seat did last in this round, in words; its place is marked as well. */
function lastMove({ game, words }) {
  const move = game.last_move;
  if (!move) return null;
  return h('p', { class: 'lately', 'data-last-move': move.did }, t(`move.${move.did}`, { who: words.seat(move.seat), n: move.place === undefined ? '' : move.place + 1 }));
}

function deck(frame) {
  const offer = frame.composer.offers.find((one) => one.type === 'draw');
  return h('div', null, pile(frame.game.deck, t('deck'), offer ? { label: frame.words.act('draw'), onclick: () => frame.does(() => frame.composer.choose(offer)) } : {}));
}

/** One of the four places, with its stack. */
function drawPlace(frame, { place, stack, taken_by: by }) {
  const pick = pickable(frame, ['place'], place);
  const name = t('place_number', { n: place + 1 });
  const label = [name, by === undefined ? t('stack_of', { count: stack.length }) : t('taken_by', { who: frame.words.seat(by) })].join(': ');
  const shown = stack.slice(-MOST_SHOWN);
  const content = [
    h('span', { class: 'stack', style: { '--cards': shown.length } }, shown.map((code, index) => h('span', { key: `c${stack.length - shown.length + index}`, class: 'layer', style: { '--n': index } }, card(code)))),
    h('span', { class: 'place-label' }, by === undefined ? `${name} · ${stack.length}` : [icon('check'), t('taken_by', { who: frame.words.seat(by) })]),
  ];
  const last = frame.game.last_move?.place === place;
  const classes = `place ${last ? 'last' : ''} ${by !== undefined ? 'closed' : ''} ${pick.picked ? 'picked' : ''}`;
  if (!pick.onclick) return h('div', { class: classes, role: 'img', 'aria-label': label }, content);
  return h('button', { type: 'button', class: `${classes} can`, 'aria-label': label, 'aria-pressed': pick.picked, onclick: pick.onclick, 'data-param': 'place', 'data-value': place }, content);
}

function tokens(frame) {
  const { game } = frame;
  if (game.tokens.length === 0 && game.gnome_tokens === 0) return null;
  return group(t('tokens'), h('ul', { class: 'tokens' },
    game.tokens.map((token) => {
      const pick = pickable(frame, ['token'], token);
      const content = [symbol(token), h('span', null, cardName(token))];
      return h('li', { key: token }, pick.onclick
        ? h('button', { type: 'button', class: `token can ${pick.picked ? 'picked' : ''}`, 'aria-pressed': pick.picked, onclick: pick.onclick, 'data-param': 'token', 'data-value': token }, content)
        : h('span', { class: 'token' }, content));
    }),
    game.gnome_tokens > 0 && h('li', { key: 'gnomes' }, h('span', { class: 'token' }, t('gnome_tokens', { count: game.gnome_tokens })))));
}

function taken(gnome) {
  return h('div', { class: 'taken' },
    gnome.token ? [symbol(gnome.token), cardName(gnome.token)] : t('token_unseen'),
    h('span', null, ' · ', t('stack_of', { count: gnome.stack.length })));
}

/** How the last round was paid, and why. */
function lastRound(frame, open = false) {
  const last = frame.game.last_round;
  if (!last || (frame.game.phase === 'over' && !open)) return null;
  const { words, game } = frame;
  const fresh = open || game.deck >= 30;
  const symbols = Object.keys(last.scores[0].symbols);
  return h('details', { key: `round-${last.round}-${open}`, class: 'summary', open: fresh },
    h('summary', null, t('round_over', { round: last.round })),
    h('div', { class: 'scrolls', tabindex: 0 }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('player')), h('th', { scope: 'col' }, t('token')), h('th', { scope: 'col' }, t('in_stack')), h('th', { scope: 'col' }, t('treasures')), h('th', { scope: 'col' }, t('coins')))),
      h('tbody', null, last.scores.map((score) => h('tr', { key: `s${score.seat}` },
        h('th', { scope: 'row' }, words.seat(score.seat)),
        h('td', null, symbol(score.token), ` ${cardName(score.token)}`),
        h('td', null, symbols.filter((name) => score.symbols[name] > 0).map((name) => h('span', { key: name, class: 'icon-count', title: cardName(name) }, symbol(name), score.symbols[name]))),
        h('td', null, t('treasures_of', { all: score.treasures, own: score.matching, mice: score.mice })),
        h('td', null, t(`paid.${score.why}`))))))));
}
