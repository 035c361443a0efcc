/** The page of a live table. */
import { attempt, explain, notify } from './a11y.js';
import { drawActions } from './actions.js';
import { h } from './dom.js';
import { Frame } from './frame.js';
import { has, t } from './i18n.js';
import { client, FacedownError, games } from './net.js';
import { drawResult } from './result.js';
import { plate } from './seats.js';
import { Side } from './side.js';
import { forget, place, remember, tokenFor } from './store.js';
import { tools } from './tools.js';
import { drawWaiting } from './waiting.js';

/** A live table: attaches, keeps up, draws. */
export class TablePage {
  /** @type {Frame | undefined} */
  frame;
  facts;
  #problem;
  #redraw;
  #ends = [];
  /** Counts the openings: an answer to an earlier one comes too late. */
  #run = 0;

  /**
   * @param {string} id
   * @param {() => void} redraw
   */
  constructor(id, redraw) {
    this.id = id;
    this.#redraw = redraw;
    void this.#open();
  }

  /** Come to the table again, as somebody else for example. */
  async reopen() {
    this.leave();
    this.frame = undefined;
    this.#problem = undefined;
    this.#redraw();
    await this.#open();
  }

  async #open() {
    const run = (this.#run += 1);
    try {
      const token = tokenFor(this.id);
      this.facts = await client.facts(this.id, token);
      const entry = (await games()).find((one) => one.game === this.facts.game);
      if (run !== this.#run) return;
      remember(this.id, { game: this.facts.game });
      const table = client.attach(this.id, { token, views: 'full' });
      this.#ends = [() => table.detach()];
      const frame = new Frame(table, entry, () => this.#follow(), true);
      frame.connected = Object.fromEntries(this.facts.seats.map((seat) => [seat.seat, seat.connected]));
      this.side = new Side(frame, this.facts, this);
      this.#listen(table, frame);
      await table.ready;
      if (run !== this.#run) return;
      this.frame = frame;
      this.#follow();
      await this.#catchUp();
    } catch (error) {
      if (run !== this.#run) return;
      this.#problem = error;
      this.#redraw();
    }
  }

  #listen(table, frame) {
    const on = (name, listener) => this.#ends.push(table.on(name, listener));
    on('update', (update) => {
      frame.history.add([update]);
      frame.follow();
      frame.tell(update);
    });
    on('change', () => this.#follow());
    on('state', () => this.#follow());
    on('presence', ({ seat, connected }) => {
      frame.connected = { ...frame.connected, [seat]: connected };
    });
    on('attached', ({ recovered }) => {
      if (!recovered && this.frame) void this.#catchUp();
    });
    on('detached', ({ reason, error }) => {
      if (reason === 'asked' || reason === 'replaced') return;
      if (['removed', 'revoked'].includes(reason)) forget(this.id, 'token', 'seat');
      this.#problem = error ?? new FacedownError('detached', t(`detached.${reason}`));
      this.#redraw();
    });
    on('said', (said) => {
      this.side?.heard(said);
      this.#redraw();
    });
    const ticking = setInterval(() => {
      if (frame.source.deadlines.length > 0) this.#redraw();
    }, 500);
    this.#ends.push(() => clearInterval(ticking));
  }

  /** Fetch what happened before this page looked, and who sits here. */
  async #catchUp() {
    const token = tokenFor(this.id);
    try {
      const [facts, log] = await Promise.all([client.facts(this.id, token), client.log(this.id, { token })]);
      this.facts = facts;
      const { frame } = this;
      if (!frame) return;
      frame.connected = Object.fromEntries(facts.seats.map((seat) => [seat.seat, seat.connected]));
      frame.history.add(log.slice(1));
      await this.side?.catchUp();
    } catch (error) {
      // The table itself is there: the history is an addition.
      if (!(error instanceof FacedownError)) throw error;
    }
    this.#redraw();
  }

  #follow() {
    if (!this.frame) return;
    this.frame.follow();
    this.frame.tellTurn();
    this.passOn();
    this.#redraw();
  }

  /** A rematch keeps seats and tokens, so this browser knows its seat there. */
  passOn() {
    const { next } = this;
    const known = place(this.id);
    if (!next || !known || place(next) || !(known.token ?? known.host)) return;
    const { token, seat, host, game } = known;
    remember(next, { token, seat, host, game });
  }

  get next() {
    return this.frame?.source.next ?? this.frame?.view?.next;
  }

  /** Stop watching. */
  leave() {
    this.#run += 1;
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  /** Leave the seat for good. */
  async standUp() {
    const known = place(this.id);
    if (known?.token === undefined) return;
    const left = await attempt(() => client.leave(this.id, this.frame.seat ?? known.seat, known.token).then(() => true));
    if (!left) return;
    forget(this.id, 'token', 'seat');
    notify(t('left'));
    await this.reopen();
  }

  draw() {
    if (this.#problem) return this.#drawProblem();
    if (!this.frame?.view) return h('main', { id: 'main', class: 'page' }, h('p', { class: 'loading' }, t('loading')));
    const { frame } = this;
    const { view } = frame;
    return h('main', { id: 'main', class: `table-page game-${frame.name}`, 'data-version': frame.source.version, 'data-status': frame.source.status, 'data-state': frame.source.state },
      h('h1', { class: 'unseen' }, t('title_table', { game: frame.entry.title })),
      h('div', { class: 'stage' },
        tools(this),
        view.result || frame.source.over ? drawResult(this) : null,
        view.game ? drawBoard(frame) : frame.source.over ? null : drawWaiting(this),
        view.game && drawOwn(frame)),
      this.side?.draw());
  }

  #drawProblem() {
    const error = this.#problem;
    const hint = `hint.${error.code}`;
    return h('main', { id: 'main', class: 'page problem-page' },
      h('h1', null, t('cannot_open')),
      h('p', null, explain(error)),
      has(hint) && h('p', null, t(hint)),
      h('p', null,
        h('button', { type: 'button', class: 'primary', onclick: () => this.reopen() }, t('try_again')), ' ',
        tokenFor(this.id) && h('button', { type: 'button', onclick: () => { forget(this.id); void this.reopen(); } }, t('forget_and_watch')), ' ',
        h('a', { href: '#/', class: 'button' }, t('to_lobby'))));
  }
}

/** The others' seats and what lies on the table. @param {Frame} frame */
export function drawBoard(frame) {
  return h('section', { class: 'felt', 'aria-label': t('the_table') },
    h('div', { class: `opponents of-${frame.others.length}` }, frame.others.map((seat) => plate(frame, seat))),
    h('div', { class: 'board' }, frame.renderer.board(frame)));
}

/** The reader's own seat, hand and actions. @param {Frame} frame */
export function drawOwn(frame) {
  const claimed = (type, name) => frame.renderer.claims?.(type, name, frame) ?? false;
  const mine = frame.renderer.own?.(frame);
  if (frame.seat === undefined && !mine && !frame.live) return null;
  return h('section', { class: `own ${frame.myTurn ? 'turn' : ''}`, 'aria-label': t('your_place') },
    frame.seat !== undefined && h('div', { class: 'own-seat' }, plate(frame, frame.seat), frame.renderer.notes?.(frame)),
    h('div', { class: 'own-hand' },
      frame.live && drawActions(frame, claimed),
      mine && h('div', { class: 'holding' }, mine)));
}
