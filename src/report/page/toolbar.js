// What is asked of the samples: a search, a data set, filters, an order.

const GROUPS_OFFERED = 80;
const TYPING_MS = 60;

class Toolbar {
  constructor(page) {
    this.page = page;
    const { address, columns } = page;
    const { is_cut: isCut } = page.summary.columns.find((column) => column.name === 'text');
    const ask = (changes) => address.amend({ ...changes, at: '' });
    this.search = element('input', {
      type: 'search',
      id: 'search',
      placeholder: isCut ? 'Search answers and beginnings of texts' : 'Search answers and texts',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'search-words',
      oninput: () => {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => ask({ q: this.search.value }), TYPING_MS);
      },
    });
    this.group = element('select', {
      id: 'group',
      onchange: () => address.go({ group: this.group.value, pair: '', at: '' }),
    });
    const orders = [
      ['', 'as in the data'],
      ...columns.figures().map((column) => [column.name, visibleLine(column.title)]),
    ];
    this.sort = element(
      'select',
      { id: 'sort', onchange: () => ask({ sort: this.sort.value }) },
      orders.map(([value, words]) => element('option', { value }, words)),
    );
    this.down = element('button', {
      type: 'button',
      id: 'down',
      onclick: () => ask({ down: address.state.down ? '' : '1' }),
    });
    this.chips = FILTERS.map(([flag, words, about]) => {
      const count = element('span', { class: 'count' });
      const chip = element(
        'button',
        {
          type: 'button',
          class: 'chip',
          id: `filter-${flag}`,
          title: about,
          onclick: () => ask({ filter: toggled(address.state.filter, flag) }),
        },
        words,
        ' ',
        count,
      );
      return { flag, chip, count };
    });
    this.pair = element('p', { class: 'pair' });
    this.count = element('output', { id: 'count', for: 'search group sort' });
    this.element = element(
      'form',
      { class: 'toolbar', role: 'search', onsubmit: (event) => event.preventDefault() },
      element('label', { class: 'choice wide' }, element('span', { class: 'unseen' }, 'Search'), this.search),
      element(
        'span',
        { class: 'unseen', id: 'search-words' },
        `Row, gold, prediction and ${isCut ? 'the first letters of the' : ''} text. All words must be there; "two words" are one. Key: slash.`,
      ),
      element('label', { class: 'choice' }, element('span', {}, 'of'), this.group),
      element('label', { class: 'choice' }, element('span', {}, 'by'), this.sort),
      this.down,
      element(
        'div',
        { class: 'chips', role: 'group', 'aria-label': 'only samples that are' },
        this.chips.map(({ chip }) => chip),
      ),
      this.count,
      this.pair,
    );
  }

  show(state, found) {
    // For tests: which search the list is of.
    this.element.dataset.q = state.q;
    if (document.activeElement !== this.search && this.search.value !== state.q) this.search.value = state.q;
    this.offerGroups(state);
    this.sort.value = state.sort;
    const isDown = state.down === '1';
    this.down.textContent = isDown ? '↓' : '↑';
    this.down.setAttribute('aria-label', isDown ? 'last first' : 'first first');
    this.down.title = isDown ? 'last first' : 'first first';
    const wanted = setOf(state.filter);
    const counts = this.page.selection.counts(state);
    for (const { flag, chip, count } of this.chips) {
      chip.setAttribute('aria-pressed', wanted.has(flag) ? 'true' : 'false');
      // What no sample is need not be offered.
      chip.hidden = counts[flag] === 0 && !wanted.has(flag);
      count.textContent = grouped(counts[flag]);
    }
    const words = `${grouped(found)} of ${counted(this.page.columns.samples, 'sample', 'samples')}`;
    if (this.count.textContent && this.count.textContent !== words) announce(words);
    this.count.textContent = words;
    this.showPair(state);
  }

  offerGroups(state) {
    const { groups } = this.page.summary;
    const key = `${state.group}\u0000${state.pair}`;
    if (this.offered === key) return;
    this.offered = key;
    const near = groups.filter((group, place) => place < GROUPS_OFFERED || group.key === state.group);
    const all = groups.length > near.length ? `all (the overview leads to each of ${groups.length})` : 'all';
    refill(
      this.group,
      element('option', { value: '' }, all),
      near.map((group) => element('option', { value: group.key }, this.page.nameOf(group))),
    );
    this.group.value = state.group;
  }

  showPair(state) {
    const names = state.pair
      .split('~')
      .map((key) => this.page.summary.groups.find((group) => group.key === key))
      .filter(Boolean);
    this.pair.hidden = names.length !== 2;
    refill(
      this.pair,
      names.length === 2 && [
        'Right in one, wrong in the other: ',
        element('b', {}, names.map((group) => this.page.nameOf(group)).join(' and ')),
        ' ',
        element(
          'button',
          { type: 'button', onclick: () => this.page.address.go({ pair: '', filter: '', at: '' }) },
          'all samples',
        ),
      ],
    );
  }
}
