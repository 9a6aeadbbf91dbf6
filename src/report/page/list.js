// The list of samples: only the rows in sight are elements.

/** The height of a row in the style, in root letters. */
const ROW_REM = 3;
const ROWS_AROUND = 6;

class List {
  constructor(page) {
    this.page = page;
    this.samples = new Uint32Array(0);
    this.chosen = -1;
    this.rows = element('div', { class: 'rows', role: 'rowgroup' });
    this.head = element('div', { class: 'row-head', role: 'row' });
    this.element = element(
      'div',
      {
        class: 'list',
        role: 'grid',
        'aria-label': 'samples',
        tabindex: '0',
        id: 'list',
        onscroll: () => this.scrolled(),
        onkeydown: (event) => this.pressed(event),
        onclick: (event) => this.clicked(event),
      },
      this.head,
      this.rows,
    );
    this.pixels = rowPixels();
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  /** Shows other samples; `at` is the first row to be seen. */
  show(samples, state, at) {
    this.samples = samples;
    this.state = state;
    this.figure =
      this.page.columns.figures().find((column) => column.name === state.sort) ?? this.page.columns.figures()[0];
    const cell = (words, kind) => element('span', { role: 'columnheader', class: kind }, words);
    refill(
      this.head,
      cell(this.page.summary.is_of_prompts ? 'odd' : 'verdict', 'c-verdict'),
      cell('row', 'c-row'),
      cell(this.page.summary.is_of_prompts ? 'gold' : 'gold → prediction', 'c-answer'),
      this.figure && cell(visibleLine(this.figure.title), 'c-figure'),
      cell('text', 'c-text unseen'),
    );
    this.element.setAttribute('aria-rowcount', samples.length + 1);
    this.rows.style.height = `${samples.length * this.pixels}px`;
    if (at !== null) this.element.scrollTop = at * this.pixels;
    this.drawn = '';
    this.draw();
  }

  choose(sample, mayScroll) {
    this.chosen = sample;
    const place = this.samples.indexOf(sample);
    if (place >= 0 && mayScroll) this.reveal(place);
    this.drawn = '';
    this.draw();
  }

  reveal(place) {
    const list = this.element;
    const room = list.clientHeight - this.head.offsetHeight;
    const top = place * this.pixels;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + this.pixels > list.scrollTop + room) list.scrollTop = top + this.pixels - room;
  }

  scrolled() {
    this.draw();
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      if (!this.element.isConnected) return;
      const at = Math.round(this.element.scrollTop / this.pixels);
      this.page.address.note({ at: at ? String(at) : '' });
    }, 150);
  }

  resized() {
    const pixels = rowPixels();
    if (pixels !== this.pixels) {
      const at = this.element.scrollTop / this.pixels;
      this.pixels = pixels;
      this.rows.style.height = `${this.samples.length * pixels}px`;
      this.element.scrollTop = at * pixels;
      this.drawn = '';
    }
    this.draw();
  }

  /** Makes the rows in sight. */
  draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.pixels) - ROWS_AROUND);
    const fit = Math.ceil(this.element.clientHeight / this.pixels) + 2 * ROWS_AROUND;
    const last = Math.min(this.samples.length, first + fit);
    const key = `${first} ${last}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const rows = [];
    for (let place = first; place < last; place++) rows.push(this.row(place));
    refill(this.rows, rows);
    const own = this.samples.indexOf(this.chosen);
    if (own >= first && own < last) this.element.setAttribute('aria-activedescendant', `row-${own}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  row(place) {
    const { columns, summary } = this.page;
    const sample = this.samples[place];
    const group = summary.groups[columns.groupOf(sample)];
    const isChosen = sample === this.chosen;
    const cell = (kind, ...children) => element('span', { role: 'gridcell', class: kind }, children);
    const told = (value) => (value === null ? element('i', {}, 'none') : visibleLine(value));
    const several = summary.groups.length > 1 && !this.state.group;
    const made = element(
      'div',
      {
        role: 'row',
        class: 'row',
        id: `row-${place}`,
        'aria-rowindex': place + 2,
        'aria-selected': isChosen ? 'true' : 'false',
        'data-sample': sample,
      },
      cell('c-verdict', verdictMark(columns, sample), this.signs(sample)),
      cell('c-row', `${grouped(columns.of('row', sample))}`),
      cell(
        'c-answer',
        told(columns.of('gold', sample)),
        !summary.is_of_prompts && [' → ', told(columns.of('prediction', sample))],
        several && element('small', {}, `  ${groupName(group)}`),
      ),
      this.figure &&
        cell('c-figure', fixed(columns.of(this.figure.name, sample), Math.min(3, decimalsOf(this.figure.unit)))),
      cell('c-text', visibleLine(columns.of('text', sample) ?? '')),
    );
    made.style.transform = `translateY(${place * this.pixels}px)`;
    return made;
  }

  signs(sample) {
    const told = [
      ['flipped', '⇄'],
      ['near_tie', '≈'],
      ['warned', '⚠'],
    ].filter(([flag]) => this.page.columns.isFlagged(sample, flag));
    if (!told.length) return null;
    const words = told.map(([flag]) => flag.replace('_', '-')).join(', ');
    return element(
      'span',
      { class: 'signs', role: 'img', 'aria-label': words, title: words },
      told.map(([, sign]) => sign).join(''),
    );
  }

  clicked(event) {
    const row = event.target.closest('.row');
    if (row) this.page.open(Number(row.dataset.sample));
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const fit = Math.max(1, Math.floor(this.element.clientHeight / this.pixels) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: fit, PageUp: -fit, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.page.step(steps[event.key]);
    else if (event.key === 'Enter') byId('sample')?.focus();
    else return;
    event.preventDefault();
  }
}

function rowPixels() {
  return ROW_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** What a group of samples is called. */
function groupName(group) {
  return visibleLine(group.variant ? `${group.dataset}@${group.variant}` : group.dataset);
}
