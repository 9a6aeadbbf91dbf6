// Long things a page at a time, so that what is shown stays small.

class Pager {
  /** `turn` is called with the number of the page that is wanted. */
  constructor(count, size, page, noun, turn) {
    this.count = count;
    this.size = size;
    this.pages = Math.max(1, Math.ceil(count / size));
    this.page = Math.min(Math.max(0, page), this.pages - 1);
    this.from = this.page * size;
    this.to = Math.min(count, this.from + size);
    this.shown = this.to - this.from;
    this.noun = noun;
    this.turn = turn;
  }

  element() {
    if (this.pages === 1) return null;
    const button = (words, page) =>
      element(
        'button',
        {
          type: 'button',
          disabled: page < 0 || page >= this.pages,
          onclick: () => this.turn(page),
        },
        words,
      );
    return element(
      'nav',
      { class: 'pager', 'aria-label': `pages of ${this.noun}` },
      button('‹ earlier', this.page - 1),
      element('span', {}, `${grouped(this.from + 1)} to ${grouped(this.to)} of ${grouped(this.count)} ${this.noun}`),
      button('later ›', this.page + 1),
    );
  }
}

/** The page that `rows` of the address names for something: `rows=figures-0.2,figures-1.1`. */
function pageOf(address, id) {
  const own = pagesOf(address.state.rows).get(id);
  return own ?? 0;
}

function withPage(rows, id, page) {
  const pages = pagesOf(rows);
  pages.set(id, page);
  return [...pages]
    .filter(([, own]) => own > 0)
    .map(([name, own]) => `${name}.${own}`)
    .join(',');
}

function pagesOf(rows) {
  return new Map([...setOf(rows)].map((word) => word.split('.')).map(([name, own]) => [name, Number(own) || 0]));
}
