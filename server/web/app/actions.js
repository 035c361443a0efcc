/** The panel that says what the reader may do, and lets them do it: for every game, from the offers alone. */
import { parametersOf } from '../lib/actions.js';
import { values } from './composer.js';
import { h } from './dom.js';
import { first, list, t } from './i18n.js';

/**
 * @param {any} frame the table
 * @param {(type: string, name: string) => boolean} claimed whether the board lets one pick this already
 */
export function drawActions(frame, claimed) {
  const { composer, source, words } = frame;
  const offers = composer.offers;
  return h('section', { class: `actions ${frame.myTurn ? 'mine' : ''}`, 'aria-label': t('your_actions') },
    h('p', { class: 'prompt', tabindex: -1, 'data-prompt': frame.myTurn ? 'mine' : 'others' }, prompt(frame)),
    offers.length > 0 && !source.over && h('div', { class: 'offers', 'aria-busy': frame.busy },
      offers.map((offer, index) => drawOffer(frame, offer, `${offer.type}-${index}`, claimed))),
    pending(frame),
    frame.error && h('p', { class: 'problem' }, frame.error));

}

/** An action without values that is to be confirmed first. */
function pending(frame) {
  const { composer, words } = frame;
  const offer = composer.offers.find((one) => one.type === composer.type);
  if (!offer || parametersOf(offer).length > 0) return null;
  return h('div', { class: 'pending' },
    h('span', null, words.act(offer.type)),
    h('button', { type: 'button', class: 'primary', 'data-confirm': true, onclick: () => frame.does(() => composer.confirm()) }, t('confirm')),
    h('button', { type: 'button', onclick: () => frame.does(() => composer.clear()) }, t('cancel')));
}

/** What the reader is asked, or whom all wait for. */
export function prompt(frame) {
  const { source, words, seat } = frame;
  const { offers } = frame.composer;
  if (source.over) return t('over');
  if (frame.live && source.state !== 'live') return t('connection.waiting');
  if (source.view?.paused) return t('paused');
  const types = [...new Set(offers.map((offer) => offer.type))];
  if (offers.length > 0) {
    const asked = first([`prompt.${frame.name}.${types.join('+')}`, `prompt.${types.join('+')}`, `prompt.${types[0]}`], { count: needed(offers[0]) });
    if (frame.myTurn) return t('your_turn', { what: asked ?? list(types.map(words.act)) });
    return t('may_change', { who: words.seats(source.waiting) });
  }
  const others = source.waiting.filter((other) => other !== seat);
  return others.length > 0 ? t('waiting_for', { who: words.seats(others), count: others.length }) : t('moment');
}

function needed(offer) {
  const some = parametersOf(offer).map(([, choice]) => choice).find((choice) => 'some_of' in choice);
  return some ? some.min : 1;
}

/** Whether an offer has a confirm button of its own in the panel. */
function confirmsItself(offer, claimed, frame) {
  const parameters = parametersOf(offer);
  return parameters.length > 1 || parameters.some(([, choice]) => 'some_of' in choice) || (parameters.length === 1 && frame.confirms);
}

function drawOffer(frame, offer, key, claimed) {
  const { composer, words } = frame;
  const parameters = parametersOf(offer);
  if (parameters.length === 0) {
    return h('button', {
      key, type: 'button', class: 'primary act', 'data-action': offer.type,
      onclick: () => frame.does(() => composer.choose(offer)),
    }, words.act(offer.type));
  }
  const open = parameters.filter(([name]) => !claimed(offer.type, name));
  const confirms = confirmsItself(offer, claimed, frame);
  if (open.length === 0 && !confirms) return null;
  return h('div', { key, class: 'offer' },
    open.map(([name, choice]) => drawChoice(frame, offer, name, choice)),
    confirms && h('button', {
      type: 'button', class: 'primary act', 'data-finish': offer.type,
      disabled: !composer.ready(offer),
      onclick: () => frame.does(() => composer.finish(offer)),
    }, finishText(frame, offer)));
}

function finishText(frame, offer) {
  const { composer, words } = frame;
  const nothing = parametersOf(offer).every(([name]) => (composer.picked[name] ?? []).length === 0);
  const none = first([`none.${frame.name}.${offer.type}`]);
  if (nothing && none && composer.ready(offer)) return none;
  return composer.type === offer.type && composer.action ? words.action(composer.action) : words.act(offer.type);
}

function drawChoice(frame, offer, name, choice) {
  const { composer, words } = frame;
  const copies = new Map();
  const limits = 'some_of' in choice ? limit(choice) : '';
  const title = `${words.act(offer.type)}: ${words.param(offer.type, name)}`;
  return h('fieldset', { class: 'choice' },
    h('legend', null, limits ? t('choice_limits', { title, limits }) : title),
    values(choice).map((value) => {
      const number = copies.get(value) ?? 0;
      copies.set(value, number + 1);
      const id = `${value}#${number}`;
      const picked = composer.type === offer.type && composer.has(name, value, id);
      return h('button', {
        key: id, type: 'button', class: `value ${picked ? 'picked' : ''}`, 'aria-pressed': picked,
        'data-action': offer.type, 'data-param': name, 'data-value': value,
        onclick: () => frame.does(() => composer.pick(name, value, { type: offer.type, key: id })),
      }, frame.renderer.face?.(offer.type, name, value), h('span', null, words.value(offer.type, name, value)));
    }));
}

function limit({ min, max }) {
  if (min === max) return t('limit.exactly', { count: min });
  return min === 0 ? t('limit.up_to', { count: max }) : t('limit.between', { min, max });
}
