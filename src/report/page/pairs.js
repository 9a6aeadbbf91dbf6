// Pairs of variants: a matrix of their differences, and each with its intervals.

/** Rows minus columns. A colour never stands without its number, and a sign says what is beyond chance. */
function pairMatrix(page, one) {
  const shown = one.members.slice(0, 16);
  if (shown.length < 2) return null;
  const pairs = new Map();
  for (const pair of one.pairs) {
    pairs.set(`${pair.left} ${pair.right}`, { ...pair, sign: 1 });
    pairs.set(`${pair.right} ${pair.left}`, { ...pair, sign: -1 });
  }
  const largest = Math.max(...one.pairs.map((pair) => Math.abs(pair.value)).filter(isNumber), 1e-9);
  const unit = one.unit === 'percent' ? 'points' : one.unit;
  const cell = (row, column) => {
    const pair = pairs.get(`${row} ${column}`);
    if (!pair) return element('td', { class: 'diagonal' }, row === column ? '·' : NOTHING);
    const value = pair.sign * pair.value;
    const step = isNumber(value) ? Math.min(4, Math.ceil((4 * Math.abs(value)) / largest)) : 0;
    const side = step === 0 ? '' : value > 0 === (one.is_more_better ?? true) ? `better${step}` : `worse${step}`;
    const words = `${memberName(one.members[row])} minus ${memberName(one.members[column])}: ${signed(value, decimalsOf(unit))} ${unitWord(unit)}${pair.is_real ? ', beyond chance' : ''}`;
    return element(
      'td',
      { class: `number ${side}` },
      element(
        'a',
        { href: flipsLink(page, one, pair), title: words, 'aria-label': words },
        signed(value, decimalsOf(unit)),
        pair.is_real && element('b', { 'aria-hidden': 'true' }, '*'),
      ),
    );
  };
  return tableSection(
    {
      id: 'matrix',
      heading: ['Row minus column ', element('small', {}, unitWord(unit))],
      kind: 'matrix',
      head: [element('td', {}), shown.map((member) => headCell(memberName(member)))],
      rows: shown.map((member, row) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, memberName(member)),
          shown.map((_, column) => cell(row, column)),
        ),
      ),
    },
    element(
      'p',
      { class: 'note-line' },
      '* beyond chance after correction for all pairs. ',
      one.members.length > shown.length && `The first ${shown.length} of ${one.members.length} variants. `,
      'A number leads to the samples that differ.',
    ),
  );
}

function flipsLink({ summary, address }, one, pair) {
  const [left, right] = [pair.left, pair.right].map((member) => summary.groups[one.members[member].group].key);
  return address.link({
    view: 'samples',
    pair: `${left}~${right}`,
    group: '',
    filter: 'flipped',
    sample: '',
    ...OF_SAMPLE,
  });
}

function pairTable(page, one) {
  const { address } = page;
  const pager = new Pager(one.pairs.length, 20, pageOf(address, 'pairs'), 'pairs', (own) =>
    address.amend({ rows: withPage(address.state.rows, 'pairs', own) }),
  );
  if (!one.pairs.length) return null;
  const unit = one.unit === 'percent' ? 'points' : one.unit;
  const scale = scaleOf([
    0,
    ...one.pairs.flatMap((pair) => [pair.value, pair.low, pair.high, pair.simultaneous_low, pair.simultaneous_high]),
  ]);
  const rows = one.pairs.slice(pager.from, pager.to).map((pair) => {
    const names = `${memberName(one.members[pair.left])} − ${memberName(one.members[pair.right])}`;
    const flips = isNumber(pair.gained) && `${grouped(pair.gained)} : ${grouped(pair.lost)}`;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, names),
      element('td', { class: 'number strong' }, signed(pair.value, decimalsOf(unit)), pair.is_real && '*'),
      element('td', { class: 'number' }, hasInterval(pair) ? intervalText(pair, unit) : NOTHING),
      element(
        'td',
        { class: 'chart' },
        forestRow(pair, scale, `${names}: ${figureText(pair, unit)} ${unitWord(unit)}`, 0),
      ),
      element('td', { class: 'number' }, probabilityText(pair.p)),
      element('td', { class: 'number' }, probabilityText(pair.p_adjusted)),
      element('td', { class: 'number' }, flips ? element('a', { href: flipsLink(page, one, pair) }, flips) : NOTHING),
      element('td', { class: 'words' }, visible(pair.verdict ?? '')),
    );
  });
  return tableSection(
    {
      id: 'pairs',
      heading: 'Pairs',
      head: [
        headCell('pair'),
        headCell(`difference, ${unitWord(unit)}`, 'number'),
        headCell('95 %, this pair alone', 'number'),
        chartHeadCell('difference and intervals drawn', scale),
        headCell('p', 'number'),
        headCell('p, corrected', 'number'),
        headCell('won : lost', 'number'),
        headCell('in words'),
      ],
      rows,
    },
    pager.element(),
  );
}
