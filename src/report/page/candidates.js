// The candidates of a sample in a table, their figures side by side.

const CANDIDATES_SHOWN = 12;

/** Figures of each candidate: `texts` have their tokens. */
function candidateTable(all, rule) {
  const texts = all.map((text) => ({ ...text, about: { ...text.about, answer_sum: answerSum(text) } }));
  const has = (name) => texts.some(({ about }) => about[name] !== undefined && about[name] !== null);
  const sums = texts.map(({ about, tokens }) => {
    const scored = tokens.filter((token) => token.nll !== null).length;
    return { scored, mean: isNumber(about.sum) && scored ? about.sum / scored : null };
  });
  const scores = texts.map(({ about }) => about.score).filter(isNumber);
  const scale = scaleOf(scores);
  const rows = texts.map(({ about, tokens }, place) =>
    element(
      'tr',
      { class: about.chosen ? 'is-chosen' : null },
      element('th', { scope: 'row' }, visibleLine(about.label ?? 'text')),
      element('td', { class: 'marks' }, candidateMarks(about)),
      has('score') && element('td', { class: 'number strong' }, fixed(about.score, 4)),
      scores.length > 1 &&
        element('td', { class: 'chart' }, forestRow({ value: about.score }, scale, `score ${fixed(about.score, 4)}`)),
      has('sum') && element('td', { class: 'number' }, fixed(about.sum, 3)),
      has('sum') && element('td', { class: 'number' }, fixed(sums[place].mean, 3)),
      has('sum') &&
        element('td', { class: 'number' }, sums[place].mean === null ? NOTHING : fixed(Math.exp(sums[place].mean), 2)),
      has('answer_sum') && element('td', { class: 'number' }, fixed(about.answer_sum, 3)),
      element(
        'td',
        { class: 'number' },
        tokens.every((token) => token.kind !== PIECE_STRETCH) ? grouped(tokenTotal(tokens)) : NOTHING,
        about.answer && `, ${grouped(about.answer[1] - about.answer[0])}`,
      ),
    ),
  );
  return scrolledTable({
    name: { 'aria-label': 'candidates' },
    kind: 'figures candidates-table',
    head: [
      headCell('candidate'),
      headCell(element('span', { class: 'unseen' }, 'gold or chosen')),
      has('score') && headCell(`${visibleLine(rule ?? 'score')} ↓`, 'number'),
      scores.length > 1 && chartHeadCell('score drawn', scale, 3),
      has('sum') && headCell('Σ nats', 'number'),
      has('sum') && headCell('nats/token', 'number'),
      has('sum') && headCell('perplexity', 'number'),
      has('answer_sum') && headCell('answer nats', 'number'),
      headCell(has('answer') ? 'tokens, answer' : 'tokens', 'number'),
    ],
    rows,
  });
}

/** The surprisal of the answer; of a single token it is the token's, and need not be in the file twice. */
function answerSum({ about, tokens }) {
  const { answer_sum: told, answer } = about;
  if (told !== undefined || !answer || answer[1] - answer[0] !== 1) return told;
  return tokens[answer[0]]?.nll ?? undefined;
}

/** Gold and chosen, in words. */
function candidateMarks(about) {
  return [
    about.gold && element('span', { class: 'mark gold' }, 'gold'),
    about.gold && about.chosen && ' ',
    about.chosen && element('span', { class: 'mark chosen-mark' }, 'chosen'),
  ];
}

/** How many segments the texts begin with in common, if it is worth showing once. */
function sharedSegments(texts) {
  const [first, ...others] = texts.map(({ segments }) => segments.map(({ number }) => number));
  if (!others.length) return 0;
  let count = 0;
  while (count < first.length && others.every((other) => other[count] === first[count])) count++;
  return count;
}
