// One sample: what was asked, what was answered, and what each token cost.

class Sample {
  constructor(page, number, body) {
    this.page = page;
    this.number = number;
    this.body = body;
    this.group = page.summary.groups[page.columns.groupOf(number)];
    this.row = page.columns.of('row', number);
  }

  /** Reads the tokens of its texts, and of those asked in other ways that are unfolded. */
  async read() {
    const all = textsOf(this.body).map((about, place) => ({ ...about, key: `a${place}` }));
    const own = all.filter((about) => about.asked_as === undefined);
    this.pager = new Pager(own.length, CANDIDATES_SHOWN, pageOf(this.page.address, 'texts'), 'texts', (turned) =>
      this.page.address.amend({ rows: withPage(this.page.address.state.rows, 'texts', turned) }),
    );
    const open = setOf(this.page.address.state.open);
    this.texts = await Promise.all(
      own.slice(this.pager.from, this.pager.to).map(async (about) => {
        const others = all.filter((other) => other.asked_as !== undefined && other.label === about.label);
        const again = others.map(async (other) => (open.has(other.key) ? this.readText(other) : { about: other }));
        return { ...(await this.readText(about)), again: await Promise.all(again) };
      }),
    );
    return this;
  }

  async readText(about) {
    const { model } = this.group;
    const segments = await this.page.segments.chain(this.segmentOf(about.segment));
    const counts = segments.map((segment) => segment.pieces.length);
    const tokens = await this.page.segments.tokens(segments, model);
    const other =
      about.normalizer === undefined || about.normalizer === null
        ? null
        : await this.page.segments.tokens(await this.page.segments.chain(this.segmentOf(about.normalizer)), model);
    return { about, segments, counts, tokens, other };
  }

  /** Segments of a sample are counted from its own first one, because small numbers compress well. */
  segmentOf(number) {
    return this.body.segments_from + number;
  }

  elements() {
    const { page, body, group, texts } = this;
    const title = `${groupName(group)} · row ${grouped(this.row)}`;
    const ranked = texts.length > 0 && texts.some(({ about }) => about.label !== undefined && about.label !== null);
    return [
      element(
        'header',
        { class: 'sample-head' },
        element('h2', { id: 'sample-title' }, title),
        verdictMark(page.columns, this.number),
        element(
          'nav',
          { 'aria-label': 'samples' },
          element('button', { type: 'button', id: 'back', onclick: () => page.close() }, '‹ list'),
          element('button', { type: 'button', onclick: () => page.step(-1), title: 'previous (k)' }, '↑ previous'),
          element('button', { type: 'button', onclick: () => page.step(1), title: 'next (j)' }, '↓ next'),
        ),
      ),
      notices(body),
      factList(this.facts()),
      stageSections(body.stages ?? []),
      texts.some(({ about }) => about.reply !== undefined) && this.replies(),
      ranked && candidateTable(texts, group.rule),
      this.pager.element(),
      texts.length > 0 && [this.tools(), ranked ? new Texts(this).ranked() : new Texts(this).turns()],
      this.elsewhere(),
      body.columns && this.columns(),
    ];
  }

  facts() {
    const { body, group, page } = this;
    const told = (value) => (value === null || value === undefined ? element('i', {}, 'none') : String(value));
    const compared = body.compared;
    const isOther = compared && (compared[0] !== body.gold || compared[1] !== body.prediction);
    return [
      ['gold', told(body.gold)],
      !page.summary.is_of_prompts && ['prediction', told(body.prediction)],
      ...Object.entries(body.facts ?? {}),
      isOther && ['compared', `${compared[1]} with ${compared[0]}`],
      ...Object.entries(body.scores ?? {}).map(([name, value]) => [
        name,
        fixed(value, Number.isInteger(value) ? 0 : 4),
      ]),
      page.summary.models.length > 1 && ['model', page.summary.models[group.model].name],
      page.summary.runs.length > 1 && ['run', page.summary.runs[group.run].name],
      body.dropped_examples > 0 && ['dropped examples', grouped(body.dropped_examples)],
      body.truncated_tokens > 0 && ['truncated', counted(body.truncated_tokens, 'token', 'tokens')],
    ].filter(Boolean);
  }

  /** What was generated, with the part of it that was taken as the answer. */
  replies() {
    return this.texts
      .filter(({ about }) => about.reply !== undefined)
      .map(({ about }, turn) => {
        const bytes = UTF8_BYTES.encode(about.reply);
        const [from, to] = about.extracted ?? [bytes.length, bytes.length];
        const stretch = (start, end) => visibleBlock(UTF8.decode(bytes.subarray(start, end)));
        const name = about.turn === undefined ? 'Reply' : `Reply ${turn + 1}`;
        return element(
          'section',
          { class: 'reply' },
          element(
            'h3',
            {},
            name,
            ' ',
            element(
              'small',
              {},
              [about.finish, about.extracted ? 'the answer is marked' : 'no stretch of it is the answer']
                .filter(Boolean)
                .join(' · '),
            ),
          ),
          element(
            'pre',
            {},
            stretch(0, from),
            about.extracted &&
              element(
                'mark',
                { class: 'extracted' },
                element('span', { class: 'unseen' }, 'answer: '),
                stretch(from, to),
              ),
            stretch(to, bytes.length),
          ),
        );
      });
  }

  tools() {
    const { address } = this.page;
    const { state } = address;
    const toggle = (id, words, isOn, changes) =>
      element(
        'button',
        {
          type: 'button',
          id,
          class: 'chip',
          'aria-pressed': isOn ? 'true' : 'false',
          onclick: () => address.amend(changes),
        },
        words,
      );
    const isScored = this.texts.some(({ tokens }) => tokens.some((token) => token.nll !== null));
    return element(
      'div',
      { class: 'tools' },
      isScored && [
        toggle('tint', 'tint', state.tint !== 'off', { tint: state.tint === 'off' ? '' : 'off' }),
        toggle('numbers', 'numbers', state.numbers === 'on', { numbers: state.numbers === 'on' ? '' : 'on' }),
      ],
      isScored && state.tint !== 'off' && tintLegend(),
      element(
        'p',
        { class: 'legend' },
        // Style 0 is what is not known: then there is nothing to explain.
        this.page.summary.styles.length > 1 && [
          ['begin', 'ice', 'round', 'end'].map((name) => [element('b', { class: `s-${name}` }, name), ' ']),
          element('span', { class: 'k-template' }, 'template'),
          ' ',
          element('span', { class: 'k-field' }, 'column’s value'),
          ' ',
          element('span', { class: 'k-markup' }, 'markup'),
          ' ',
          element('span', { class: 'k-mask' }, 'hidden column'),
          ' ',
        ],
        this.texts.some(({ about }) => about.answer) && element('span', { class: 'answer' }, 'answer'),
        this.texts.some(({ about }) => about.cut) && [' ', element('span', { class: 'cut' }, 'cut off')],
      ),
    );
  }

  /** The same row under other variants, models and runs. */
  elsewhere() {
    const { page, group, number } = this;
    const others = page.summary.groups
      .map((other, place) => [other, other.rows_of === group.rows_of ? page.columns.find(place, this.row) : -1])
      .filter(([, sample]) => sample >= 0);
    if (!group.rows_of || others.length < 2) return null;
    const shown = others.slice(0, 16);
    const told = (name, sample) => page.columns.of(name, sample) ?? 'none';
    return tableSection({
      id: 'elsewhere',
      level: 'h3',
      heading: [
        'The same row ',
        element(
          'small',
          {},
          `in ${counted(others.length, 'group', 'groups')}${others.length > shown.length ? `, the first ${shown.length}` : ''}`,
        ),
      ],
      head: ['group', 'verdict', 'prediction'].map((words) => headCell(words)),
      rows: shown.map(([other, sample]) =>
        element(
          'tr',
          { class: sample === number ? 'is-chosen' : null },
          element(
            'th',
            { scope: 'row' },
            sample === number ? page.nameOf(other) : element('a', { href: page.linkTo(sample) }, page.nameOf(other)),
          ),
          element('td', {}, verdictMark(page.columns, sample)),
          element('td', {}, visibleLine(told('prediction', sample))),
        ),
      ),
    });
  }

  columns() {
    const facts = Object.entries(this.body.columns)
      .slice(0, 40)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    return element(
      'details',
      // What a stage reads of a row stands in no text of its own: the dialogue that a question leans on.
      { class: 'columns', open: this.body.stages !== undefined },
      element('summary', {}, `Columns of the row (${Object.keys(this.body.columns).length})`),
      factList(facts),
    );
  }
}
