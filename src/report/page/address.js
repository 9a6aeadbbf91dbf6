// What is looked at, as the part of the address after `#`: a link to it shows the same.

const VIEWS = ['overview', 'comparison', 'samples'];

/** What the address says where it says nothing. */
const USUAL = {
  view: 'overview',
  group: '',
  filter: '',
  q: '',
  sort: '',
  down: '',
  pair: '',
  at: '',
  sample: '',
  from: '',
  tint: '',
  numbers: '',
  open: '',
  token: '',
  compare: '',
  rows: '',
  theme: '',
};

/** What belongs to one sample and means nothing for the next. */
const OF_SAMPLE = { from: '', open: '', token: '' };

class Address {
  /** `changed` is called with the new state whenever the address is another. */
  constructor(changed) {
    this.changed = changed;
    this.state = this.read();
    addEventListener('hashchange', () => this.reread());
    addEventListener('popstate', () => this.reread());
  }

  read() {
    const [view, query] = location.hash.slice(1).split('?');
    const state = { ...USUAL, view: VIEWS.includes(view) ? view : USUAL.view };
    for (const [name, value] of new URLSearchParams(query ?? '')) {
      if (name in USUAL && name !== 'view') state[name] = value;
    }
    return state;
  }

  reread() {
    if (location.hash === this.hash(this.state)) return;
    this.state = this.read();
    this.changed(this.state);
  }

  /** The address of the state with changes. */
  link(changes = {}) {
    return this.hash({ ...this.state, ...changes });
  }

  hash(state) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) {
      if (name !== 'view' && value !== USUAL[name]) query.set(name, value);
    }
    const text = String(query);
    return `#${state.view}${text ? `?${text}` : ''}`;
  }

  /** Goes to the state with changes, as a step that "back" takes back. */
  go(changes) {
    this.put(changes, 'pushState');
  }

  /** The same without such a step, for what is typed and scrolled. */
  amend(changes) {
    this.put(changes, 'replaceState');
  }

  put(changes, how) {
    const next = { ...this.state, ...changes };
    const hash = this.hash(next);
    if (hash !== location.hash) history[how](null, '', hash);
    this.state = next;
    this.changed(next);
  }

  /** Writes the address and shows nothing anew. */
  note(changes) {
    this.state = { ...this.state, ...changes };
    const hash = this.hash(this.state);
    if (hash !== location.hash) history.replaceState(null, '', hash);
  }
}

/** A set written as words with commas between. */
function setOf(words) {
  return new Set(words.split(',').filter((word) => word));
}

/** The words of a set with one more or one less. */
function toggled(words, word) {
  const set = setOf(words);
  if (!set.delete(word)) set.add(word);
  return [...set].join(',');
}
