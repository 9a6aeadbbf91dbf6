// A comparison: what each variant reaches, and every pair's difference with its interval.

function comparison(page) {
  const { summary, address } = page;
  const number = Math.min(Math.max(0, Number(address.state.compare) || 0), summary.comparisons.length - 1);
  const one = summary.comparisons[number];
  if (!one) return [element('h1', {}, 'Comparison'), element('p', {}, 'This page holds no comparison.')];
  const choose = (event) => address.go({ compare: event.target.value, rows: '' });
  const options = summary.comparisons.map((other, place) =>
    element('option', { value: place, selected: place === number }, visibleLine(other.title)),
  );
  return [
    element('h1', { class: 'title' }, visibleLine(one.title)),
    summary.comparisons.length > 1 &&
      element(
        'label',
        { class: 'choice' },
        element('span', {}, 'Comparison'),
        element('select', { id: 'compare', onchange: choose }, options),
      ),
    one.verdict && element('p', { class: 'verdict-words' }, visible(one.verdict)),
    memberTable(page, one),
    pairMatrix(page, one),
    pairTable(page, one),
    (one.notes ?? []).map((note) => element('p', { class: 'note-line' }, visible(note))),
  ];
}

/** What a variant is called: by what tells it from the others. */
function memberName(member) {
  return visibleLine(member.name);
}

function memberTable({ summary, address }, one) {
  const pager = new Pager(one.members.length, 24, pageOf(address, 'members'), 'variants', (own) =>
    address.amend({ rows: withPage(address.state.rows, 'members', own) }),
  );
  const bounds = one.unit === 'percent' ? { least: 0, most: 100 } : {};
  const scale = scaleOf(
    one.members.flatMap(({ value, low, high }) => [value, low, high]),
    bounds,
  );
  const columns = one.columns ?? [];
  const rows = one.members.slice(pager.from, pager.to).map((member) =>
    element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        element(
          'a',
          {
            href: address.link({ view: 'samples', group: summary.groups[member.group].key, ...OF_SAMPLE, sample: '' }),
          },
          memberName(member),
        ),
      ),
      element('td', { class: 'number strong' }, fixed(member.value, decimalsOf(one.unit))),
      element('td', { class: 'number' }, hasInterval(member) ? intervalText(member, one.unit) : NOTHING),
      element(
        'td',
        { class: 'chart' },
        forestRow(member, scale, `${memberName(member)}: ${figureText(member, one.unit)}`),
      ),
      columns.map((column, place) =>
        element('td', { class: 'number' }, withThousands(fixed(member.more[place], decimalsOf(column.unit)))),
      ),
    ),
  );
  return tableSection(
    {
      id: 'members',
      heading: 'Variants',
      head: [
        headCell('variant'),
        headCell(`${visibleLine(one.metric)}, ${unitWord(one.unit)}`, 'number'),
        headCell('95 % interval', 'number'),
        chartHeadCell('value and interval drawn', scale),
        columns.map((column) => headCell(visibleLine(column.title), 'number')),
      ],
      rows,
    },
    pager.element(),
  );
}
