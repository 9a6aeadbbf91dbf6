// A text, token by token, each tinted by its surprisal, in the sections of its prompt.

const ROWS_SHOWN = 24;
const LEAST_TOKENS = 40;

/** One text. `budget` is how many tokens may be shown, `answer` which of its tokens count as the answer, `cut` which are not read. */
class HeatMap {
  constructor(page, { id, name, tokens, answer, cut, budget, first = 0 }) {
    Object.assign(this, { page, id, name, answer, cut, budget, first });
    this.tokens = spelled(tokens);
    this.rows = speakerRows(this.tokens, page.summary.styles);
    this.isTight = tokens.length > budget;
  }

  element() {
    const { address } = this.page;
    const pager = new Pager(this.rows.length, ROWS_SHOWN, pageOf(address, this.id), 'parts', (own) =>
      this.turn(this.id, own),
    );
    const rows = this.rows.slice(pager.from, pager.to);
    const open = this.opened(rows);
    const unfolded = rows.filter((row) => !this.folds(row) || open.has(this.keyOf(row))).length;
    this.rowBudget = this.isTight
      ? Math.max(LEAST_TOKENS, Math.floor(this.budget / Math.max(1, unfolded)))
      : this.budget;
    const made = element(
      'div',
      {
        class: 'text heat',
        'data-map': this.id,
        onkeydown: (event) => this.pressed(event),
        onfocusin: (event) => this.entered(event),
        onmouseover: (event) => this.hovered(event),
      },
      rows.map((row) => this.row(row, open)),
    );
    this.made = made;
    const wanted =
      address.state.token.startsWith(`${this.id}.`) &&
      made.querySelector(`#${CSS.escape(`token-${address.state.token}`)}`);
    const stop = wanted || made.querySelector('.tok');
    if (stop) stop.tabIndex = 0;
    if (wanted) {
      wanted.classList.add('chosen');
      this.page.inspect(this.wordsOf(wanted));
    }
    return [made, pager.element()];
  }

  turn(id, own) {
    const { address } = this.page;
    address.amend({ rows: withPage(address.state.rows, id, own) });
  }

  keyOf(row) {
    return `${this.id}.${row.from}`;
  }

  /** Examples are folded where not all tokens fit. */
  folds(row) {
    return this.isTight && row.example !== null;
  }

  /** Which folded rows are open: the ones opened last, as many as fit. */
  opened(rows) {
    const keys = [...setOf(this.page.address.state.open)].reverse();
    const found = new Set();
    let left = this.budget;
    for (const key of keys) {
      const row = rows.find((one) => this.keyOf(one) === key);
      if (!row || (found.size && row.tokens.length > left)) continue;
      left -= row.tokens.length;
      found.add(key);
    }
    return found;
  }

  row(row, open) {
    const name = speakerName(row);
    const label = [name, row.role].filter(Boolean).join(', ') || 'text';
    const kind = `line s-${['begin', 'ice', 'round', 'end'].includes(row.section) ? row.section : 'none'}`;
    const key = this.keyOf(row);
    if (this.folds(row) && !open.has(key))
      return element('div', { class: `${kind} folded` }, this.fold(row, key, label, false));
    const id = key.replace('.', '-');
    const pager = new Pager(row.tokens.length, this.rowBudget, pageOf(this.page.address, id), 'tokens', (own) =>
      this.turn(id, own),
    );
    const shown = row.tokens.slice(pager.from, pager.to);
    return element(
      'div',
      { class: kind },
      element('b', {}, visibleLine(name)),
      element('i', {}, visibleLine(row.role)),
      element(
        'div',
        {},
        this.folds(row) && this.fold(row, key, label, true),
        element(
          'pre',
          { role: 'listbox', 'aria-label': `${this.name}: ${visibleLine(label)}`, 'aria-orientation': 'horizontal' },
          shown.map((token, place) => this.token(token, row.from + pager.from + place)),
        ),
        pager.element(),
      ),
    );
  }

  fold(row, key, label, isOpen) {
    const { address } = this.page;
    const known = row.tokens.map((token) => token.nll).filter(isNumber);
    const mean = known.length
      ? ` · ${fixed(known.reduce((sum, own) => sum + own, 0) / known.length, 3)} nats/token`
      : '';
    return element(
      'button',
      {
        type: 'button',
        class: 'fold',
        id: `fold-${key}`,
        'aria-expanded': isOpen ? 'true' : 'false',
        onclick: () => address.amend({ open: toggled(address.state.open, key) }),
      },
      `${isOpen ? '▾' : '▸'} ${visibleLine(label)} · ${tokenCount(row.tokens)}${mean}`,
    );
  }

  token(token, place) {
    const { styles } = this.page.summary;
    const hidden = (own) =>
      own.map((style) =>
        element(
          'span',
          {
            class: 'k-mask',
            role: 'option',
            'aria-disabled': 'true',
            'aria-label': `hidden column ${styles[style]?.column ?? ''}`,
          },
          visibleLine(styles[style]?.column ?? 'hidden'),
        ),
      );
    if (token.kind === PIECE_STRETCH) {
      const kind = kindClass(styles[token.style]);
      return [
        hidden(token.hidden),
        element('span', { class: `stretch ${kind}`, role: 'option', 'data-bytes': token.hex }, token.shown),
        token.breaks,
        hidden(token.hiddenAfter ?? []),
      ];
    }
    const id = `token-${this.id}.${this.first + place}`;
    if (token.kind === PIECE_IMAGE)
      return [hidden(token.hidden), pictureElement(token.image, { id }), hidden(token.hiddenAfter ?? [])];
    const step = tintStep(token.nll);
    const position = this.first + place;
    const kinds = [
      'tok',
      step === null ? 'unscored' : `t${step}`,
      kindClass(styles[token.style]),
      token.kind === PIECE_ADDED && 'added',
      token.isRaw && 'raw',
      isIn(this.answer, position) && 'answer',
      isIn(this.cut, position) && 'cut',
    ].filter(Boolean);
    const made = element(
      'span',
      {
        class: kinds.join(' '),
        role: 'option',
        tabindex: '-1',
        id,
        'aria-label': `${token.shown.trim() || 'space'}, ${natsText(token.nll)}${token.nll === null ? '' : ' nats'}`,
        'data-nats': token.nll === null ? '' : natsText(token.nll),
        'data-bytes': token.hex,
      },
      token.runs
        ? token.runs.map((run) => element('span', { class: kindClass(styles[run.style]) }, run.text))
        : token.shown,
    );
    return [hidden(token.hidden), made, token.breaks, hidden(token.hiddenAfter ?? [])];
  }

  /** All that is known of a token, in a line. */
  wordsOf(target) {
    const position = Number(target.id.split('.').pop());
    const token = this.tokens[position - this.first];
    if (!token) return '';
    const style = this.page.summary.styles[token.style] ?? {};
    const { nll } = token;
    return [
      `“${token.shown}”`,
      token.about,
      token.image && pictureSize(token.image),
      `token ${grouped(token.place)}`,
      !token.image && `id ${token.id}`,
      nll === null ? 'not scored' : `${natsText(nll)} nats`,
      isNumber(nll) && `${fixed(nll / Math.LN2, 2)} bits`,
      isNumber(nll) && `p ≈ ${shareText(Math.exp(-nll))}`,
      token.kind === PIECE_ADDED && 'added by the tokenizer',
      isIn(this.cut, position) && 'cut off to fit',
      speakerName({ example: null, ...style }),
      style.role,
      style.column ? `${style.kind} ${style.column}` : style.kind,
    ]
      .filter(Boolean)
      .map(visibleLine)
      .join(' · ');
  }

  hovered(event) {
    const target = event.target.closest('.tok');
    if (target) this.page.inspect(this.wordsOf(target));
  }

  entered(event) {
    const target = event.target.closest('.tok');
    if (!target) return;
    for (const other of this.made.querySelectorAll('.tok[tabindex="0"]')) other.tabIndex = -1;
    for (const other of document.querySelectorAll('.tok.chosen')) other.classList.remove('chosen');
    target.tabIndex = 0;
    target.classList.add('chosen');
    this.page.inspect(this.wordsOf(target));
    this.page.address.note({ token: target.id.slice('token-'.length) });
  }

  pressed(event) {
    const target = event.target.closest('.tok');
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (
      !target ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      (!step && event.key !== 'Home' && event.key !== 'End')
    )
      return;
    const all = [...this.made.querySelectorAll('.tok')];
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : all.indexOf(target) + step;
    all[Math.min(Math.max(0, next), all.length - 1)].focus();
    event.preventDefault();
  }
}

/** Whether a place is in a range that may not be there. */
function isIn(range, place) {
  return Boolean(range) && place >= range[0] && place < range[1];
}

function kindClass(style) {
  return ['template', 'field', 'mask', 'markup'].includes(style?.kind) ? `k-${style.kind}` : 'k-unknown';
}

/** Three digits: a surprisal to a thousandth of a nat says no more. */
function shareText(share) {
  const percent = 100 * share;
  return `${percent < 0.001 ? percent.toExponential(1) : Number(percent.toPrecision(3))} %`;
}
