// The texts of a sample: candidates side by side, or one after another.

const TOKENS_SHOWN = 500;

class Texts {
  constructor({ page, texts, pager }) {
    Object.assign(this, { page, texts, pager });
  }

  /** What candidates share once, then what they do not, side by side. */
  ranked() {
    const { texts, page } = this;
    const shared = sharedSegments(texts);
    const [first] = texts;
    const sharedTokens = first.counts.slice(0, shared).reduce((sum, own) => sum + own, 0);
    const own = texts.reduce((sum, { tokens }) => sum + tokens.length - sharedTokens, 0);
    const fits = sharedTokens + own <= TOKENS_SHOWN;
    const sharedBudget = fits ? TOKENS_SHOWN : Math.max(LEAST_TOKENS, TOKENS_SHOWN - Math.min(own, TOKENS_SHOWN / 2));
    const each = fits
      ? TOKENS_SHOWN
      : Math.max(LEAST_TOKENS, Math.floor((TOKENS_SHOWN - Math.min(sharedTokens, sharedBudget)) / texts.length));
    return [
      sharedTokens > 0 && [
        element('h3', {}, 'All candidates ', element('small', {}, tokenCount(first.tokens.slice(0, sharedTokens)))),
        new HeatMap(page, {
          id: 'shared',
          name: 'all candidates',
          tokens: first.tokens.slice(0, sharedTokens),
          answer: null,
          cut: first.about.cut,
          budget: sharedBudget,
        }).element(),
      ],
      element(
        'div',
        { class: 'side-by-side' },
        texts.map((text, place) => this.candidate(text, this.pager.from + place, sharedTokens, each)),
      ),
    ];
  }

  candidate({ about, tokens, other, again }, place, from, budget) {
    const { page } = this;
    const name = `candidate ${visibleLine(about.label ?? place + 1)}`;
    return element(
      'section',
      { class: about.chosen ? 'candidate is-chosen' : 'candidate' },
      element(
        'h3',
        {},
        visibleLine(about.label ?? 'text'),
        ' ',
        candidateMarks(about),
        ' ',
        isNumber(about.score) && element('small', {}, fixed(about.score, 4)),
      ),
      new HeatMap(page, {
        id: `c${place}`,
        name,
        tokens: tokens.slice(from),
        first: from,
        answer: about.answer,
        cut: about.cut,
        budget,
      }).element(),
      other && [
        element('h4', {}, 'after the normalizing text'),
        new HeatMap(page, {
          id: `n${place}`,
          name: `${name}, normalizing text`,
          tokens: other,
          answer: null,
          budget: Math.min(budget, 200),
        }).element(),
      ],
      again.length > 0 && [element('h4', {}, 'asked in other ways'), again.map((one) => this.again(one, name, budget))],
    );
  }

  /** A candidate asked in another way, folded until somebody wants to see it. */
  again({ about, tokens }, name, budget) {
    const { address } = this.page;
    const isOpen = tokens !== undefined;
    const way = visibleLine(about.asked_as);
    const sum = isNumber(about.sum) ? ` · ${fixed(about.sum, 3)} nats` : '';
    return [
      element(
        'button',
        {
          type: 'button',
          class: 'fold',
          id: `fold-${about.key}`,
          'aria-expanded': isOpen ? 'true' : 'false',
          onclick: () => address.amend({ open: toggled(address.state.open, about.key) }),
        },
        `${isOpen ? '▾' : '▸'} ${way}${sum}`,
      ),
      isOpen &&
        new HeatMap(this.page, {
          id: about.key,
          name: `${name}, ${way}`,
          tokens,
          answer: about.answer,
          cut: about.cut,
          budget: Math.min(budget, 200),
        }).element(),
    ];
  }

  /** Texts on their own, or turn after turn: of each what the one before had not. */
  turns() {
    const { texts, page } = this;
    const own = texts.map((text, place) => {
      const before = place ? sharedSegments([texts[place - 1], text]) : 0;
      return text.counts.slice(0, before).reduce((sum, count) => sum + count, 0);
    });
    const total = texts.reduce((sum, { tokens }, place) => sum + tokens.length - own[place], 0);
    const budget =
      total <= TOKENS_SHOWN ? TOKENS_SHOWN : Math.max(LEAST_TOKENS, Math.floor(TOKENS_SHOWN / texts.length));
    return texts.map(({ about, tokens }, place) => [
      element(
        'h3',
        {},
        about.turn === undefined ? (page.summary.is_of_prompts ? 'Prompt' : 'Text') : `Turn ${about.turn + 1}`,
        ' ',
        element(
          'small',
          {},
          tokenCount(tokens.slice(own[place])),
          isNumber(about.score) && ` · ${fixed(about.score, 4)}`,
        ),
      ),
      new HeatMap(page, {
        id: `c${this.pager.from + place}`,
        name: about.turn === undefined ? 'text' : `turn ${about.turn + 1}`,
        tokens: tokens.slice(own[place]),
        first: own[place],
        answer: about.answer,
        cut: about.cut,
        budget,
      }).element(),
    ]);
  }
}

/** How many tokens there are, where they are known. */
function tokenCount(tokens) {
  const isKnown = tokens.every((token) => token.kind !== PIECE_STRETCH);
  return isKnown ? counted(tokenTotal(tokens), 'token', 'tokens') : 'its tokens are not known';
}

/** The texts of a body, which has a list for each thing that is known of them. */
function textsOf({ texts }) {
  const columns = Object.entries(texts ?? {});
  const count = texts?.segment?.length ?? 0;
  return Array.from({ length: count }, (_, place) => {
    const about = Object.fromEntries(
      columns.filter(([, values]) => values[place] !== null).map(([name, values]) => [name, values[place]]),
    );
    const pair = (from, to) => (about[from] === undefined ? undefined : [about[from], about[to]]);
    return {
      ...about,
      answer: pair('answer_from', 'answer_to'),
      extracted: pair('extracted_from', 'extracted_to'),
      cut: pair('cut_from', 'cut_to'),
    };
  });
}
