/** The lobby: games to play, one's own tables, and the tables that others have opened. */
import { attempt, explain } from './a11y.js';
import { CreateDialog } from './create.js';
import { h } from './dom.js';
import { list, since, t } from './i18n.js';
import { icon } from './icons.js';
import { markdown } from './markdown.js';
import { client, games, mine, quick, sit } from './net.js';
import { go } from './router.js';
import { forget, like, likes, places } from './store.js';

/** The first page. */
export class LobbyPage {
  #redraw;
  #games = [];
  #mine = [];
  #lobby;
  #filter = '';
  #problem = '';
  #create;
  #rules;
  #seatsFor = {};

  /** @param {() => void} redraw */
  constructor(redraw) {
    this.#redraw = redraw;
    this.#create = new CreateDialog(redraw);
    this.#watch();
    void this.#load();
  }

  #watch() {
    this.#lobby?.close();
    const options = this.#filter ? { game: this.#filter } : {};
    this.#lobby = client.watchLobby(options);
    this.#lobby.on('change', this.#redraw);
  }

  async #load() {
    try {
      this.#games = await games();
      this.#mine = await mine(places());
      for (const { table, code } of this.#mine) if (code === 'no_such_table') forget(table);
    } catch (error) {
      this.#problem = explain(error);
    }
    this.#redraw();
  }

  /** Stop watching. */
  leave() {
    this.#lobby?.close();
  }

  draw() {
    return h('main', { id: 'main', class: 'page lobby' },
      h('div', { class: 'hello' },
        h('h1', null, t('hello')),
        h('div', { class: 'name-field' },
          h('label', { for: 'name' }, t('your_name')),
          h('input', { id: 'name', maxlength: 40, value: likes().name, placeholder: t('guest'), autocomplete: 'nickname', oninput: (event) => like({ name: event.target.value }) }))),
      this.#problem && h('div', { class: 'problem' }, this.#problem, ' ', h('button', { type: 'button', onclick: () => this.#again() }, t('try_again'))),
      h('section', { 'aria-labelledby': 'games-title' },
        h('h2', { id: 'games-title' }, t('games')),
        h('ul', { class: 'games' }, this.#games.map((game) => this.#drawGame(game)))),
      this.#drawMine(),
      this.#drawTables(),
      this.#create.draw(),
      this.#drawRules());
  }

  async #again() {
    this.#problem = '';
    await this.#load();
  }

  #drawGame(game) {
    const seats = this.#seatsFor[game.game] ?? game.seats[0];
    return h('li', { key: game.game, class: `game-tile game-${game.game}`, 'data-game': game.game },
      h('div', { class: 'sign' }, icon(`game-${game.game}`)),
      h('div', { class: 'title' },
        h('h3', null, game.title),
        h('button', { type: 'button', class: 'quiet', 'aria-label': t('rules_of', { game: game.title }), onclick: () => this.#showRules(game) }, t('tab.rules'))),
      h('p', null, t(`about.${game.game}`) === `about.${game.game}` ? game.help.split('\n\n')[0] : t(`about.${game.game}`)),
      h('p', { class: 'count' }, icon('people'), t('for_players', { seats: list(game.seats.map(String)), count: game.seats.at(-1) })),
      h('div', { class: 'together' },
        h('button', { type: 'button', class: 'primary', 'data-create': game.game, onclick: () => this.#create.show(game) }, t('new_table'))),
      h('div', { class: 'together' },
        game.seats.length > 1 && h('select', { 'aria-label': t('quick_seats', { game: game.title }), value: String(seats), onchange: (event) => { this.#seatsFor[game.game] = Number(event.target.value); } },
          game.seats.map((n) => h('option', { value: String(n) }, t('players', { count: n })))),
        h('button', { type: 'button', 'data-quick': game.game, onclick: () => this.#quick(game, seats) }, icon('bolt'), t('quick'))));
  }

  #drawMine() {
    const known = this.#mine.filter((one) => one.facts);
    if (known.length === 0) return null;
    return h('section', { 'aria-labelledby': 'mine-title' },
      h('h2', { id: 'mine-title' }, t('my_tables')),
      h('ul', { class: 'tables' }, known.map(({ table, facts, your_turn: turn }) => h('li', { key: table, 'data-mine': table },
        h('a', { href: `#/table/${table}`, class: 'entry' },
          h('strong', null, this.#title(facts.game)),
          h('span', null, t(`status.${facts.status}`), turn ? ` · ${t('your_move')}` : ''),
          h('span', { class: 'names' }, this.#names(facts))),
        h('button', { type: 'button', class: 'quiet', onclick: () => this.#forget(table) }, t('forget'))))));
  }

  #drawTables() {
    const tables = this.#lobby?.tables ?? [];
    return h('section', { 'aria-labelledby': 'tables-title' },
      h('h2', { id: 'tables-title' }, t('tables')),
      h('div', { class: 'together' },
        h('label', { for: 'filter' }, t('show')),
        h('select', { id: 'filter', value: this.#filter, onchange: (event) => { this.#filter = event.target.value; this.#watch(); this.#redraw(); } },
          h('option', { value: '' }, t('all_games')), this.#games.map((game) => h('option', { value: game.game }, game.title))),
        this.#lobby && !this.#lobby.live && h('span', { class: 'loading' }, t('loading'))),
      tables.length === 0 && this.#lobby?.live && h('p', { class: 'empty' }, t('no_tables')),
      h('ul', { class: 'tables' }, tables.map((facts) => this.#drawEntry(facts))));
  }

  #drawEntry(facts) {
    const free = facts.seats.filter((seat) => seat.name === null).length;
    return h('li', { key: facts.table, 'data-table': facts.table },
      h('a', { href: `#/table/${facts.table}`, class: 'entry' },
        h('strong', null, this.#title(facts.game)),
        h('span', null, facts.status === 'open' ? t('free_seats', { count: free }) : t(`status.${facts.status}`), ' · ', since(facts.created_ms)),
        h('span', { class: 'names' }, this.#names(facts))),
      facts.status === 'open' && free > 0
        ? h('button', { type: 'button', class: 'primary', 'data-join': facts.table, onclick: () => this.#join(facts) }, t('join'))
        : h('a', { class: 'button', href: `#/table/${facts.table}` }, icon('eye'), t('watch')));
  }

  #names(facts) {
    return facts.seats.map((seat) => seat.name).filter((name) => name !== null).join(', ') || t('nobody_yet');
  }

  #title(name) {
    return this.#games.find((game) => game.game === name)?.title ?? name;
  }

  async #join(facts) {
    const seated = await attempt(() => sit(facts.table, name()));
    if (seated) go(`/table/${facts.table}`);
  }

  async #quick(game, seats) {
    const table = await attempt(() => quick(game.game, name(), seats));
    if (table) go(`/table/${table}`);
  }

  #forget(table) {
    if (!window.confirm(t('forget_sure'))) return;
    forget(table);
    this.#mine = this.#mine.filter((one) => one.table !== table);
    this.#redraw();
  }

  #showRules(game) {
    this.#rules = game;
    this.#redraw();
  }

  #drawRules() {
    const game = this.#rules;
    if (!game) return null;
    const close = () => {
      this.#rules = undefined;
      this.#redraw();
    };
    return h('dialog', { key: `rules-${game.game}`, class: 'dialog rules', 'aria-labelledby': 'rules-title', made: (dialog) => queueMicrotask(() => dialog.showModal()), onclose: close },
      h('h2', { id: 'rules-title' }, t('rules_of', { game: game.title })),
      h('div', { class: 'rules', tabindex: 0 }, markdown(game.help)),
      h('form', { method: 'dialog', class: 'together end' }, h('button', { class: 'primary' }, t('close'))));
  }
}

/** The reader's name, or the one for those who gave none. */
export function name() {
  return likes().name.trim() || t('guest');
}
