// The overview: what was run, and its figures with their intervals.

const FIGURES_SHOWN = 40;

function overview(page) {
  const { summary, address } = page;
  return [
    element('h1', { class: 'title' }, visibleLine(summary.title)),
    summary.notes.map((note) =>
      element('p', { class: `notice ${note.severity === 'warning' ? 'warning' : 'note'}` }, visible(note.message)),
    ),
    summary.is_of_prompts ? promptTable(summary, address) : figureTables(summary, address),
    summary.comparisons.length > 0 &&
      element(
        'section',
        {},
        element('h2', {}, 'Comparisons'),
        element(
          'ul',
          { class: 'verdicts' },
          summary.comparisons
            .slice(0, 20)
            .map((one, place) =>
              element(
                'li',
                {},
                element(
                  'a',
                  { href: address.link({ view: 'comparison', compare: String(place) }) },
                  visibleLine(one.title),
                ),
                one.verdict && element('span', {}, ` ${visibleLine(one.verdict)}`),
              ),
            ),
        ),
      ),
    !summary.is_of_prompts && runTable(summary),
  ];
}

/** A table for each metric, because figures of one unit share a scale. */
function figureTables(summary, address) {
  const byMetric = new Map();
  for (const figure of summary.figures) {
    const name = `${figure.metric}\u0000${figure.unit}`;
    if (!byMetric.has(name)) byMetric.set(name, []);
    byMetric.get(name).push(figure);
  }
  let left = FIGURES_SHOWN;
  return [...byMetric.values()].slice(0, 12).map((figures, number) => {
    const id = `figures-${number}`;
    const pager = new Pager(figures.length, Math.max(8, left), pageOf(address, id), 'figures', (page) =>
      address.amend({ rows: withPage(address.state.rows, id, page) }),
    );
    left -= pager.shown;
    return figureTable(summary, address, figures, id, pager);
  });
}

function figureTable(summary, address, figures, id, pager) {
  const [{ metric, unit }] = figures;
  const bounds = unit === 'percent' ? { least: 0, most: 100 } : {};
  const scale = scaleOf(
    figures.flatMap(({ value, low, high }) => [value, low, high]),
    bounds,
  );
  const has = (name) => figures.some((figure) => summary.groups[figure.group][name]);
  const rows = figures.slice(pager.from, pager.to).map((figure) => {
    const group = summary.groups[figure.group];
    const name = visibleLine(group.dataset);
    const words = `${name}: ${figureText(figure, unit)} ${unitWord(unit)}`;
    return element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        element('a', { href: address.link({ view: 'samples', group: group.key, ...OF_SAMPLE, sample: '' }) }, name),
      ),
      has('variant') && element('td', {}, visibleLine(group.variant ?? '')),
      element('td', {}, visibleLine(summary.models[group.model].name)),
      summary.runs.length > 1 && element('td', {}, visibleLine(summary.runs[group.run].name)),
      element('td', { class: 'number strong' }, fixed(figure.value, decimalsOf(unit))),
      element('td', { class: 'number' }, hasInterval(figure) ? intervalText(figure, unit) : NOTHING),
      element('td', { class: 'chart' }, forestRow(figure, scale, words)),
      element('td', { class: 'number' }, grouped(figure.samples)),
      element('td', { class: figure.failed ? 'number bad' : 'number' }, grouped(figure.failed)),
    );
  });
  return tableSection(
    {
      id,
      heading: [visibleLine(metric), ' ', element('small', {}, unitWord(unit))],
      head: [
        headCell('data set'),
        has('variant') && headCell('variant'),
        headCell('model'),
        summary.runs.length > 1 && headCell('run'),
        headCell('value', 'number'),
        headCell('95 % interval', 'number'),
        chartHeadCell('value and interval drawn', scale),
        headCell('samples', 'number'),
        headCell('failed', 'number'),
      ],
      rows,
    },
    pager.element(),
  );
}

/** The data sets of a page of prompts. */
function promptTable(summary, address) {
  const pager = new Pager(summary.groups.length, FIGURES_SHOWN, pageOf(address, 'prompts'), 'data sets', (own) =>
    address.amend({ rows: withPage(address.state.rows, 'prompts', own) }),
  );
  const cell = (words, kind) => element('td', { class: kind }, words);
  const rows = summary.groups
    .slice(pager.from, pager.to)
    .map((group) =>
      element(
        'tr',
        {},
        element(
          'th',
          { scope: 'row' },
          element(
            'a',
            { href: address.link({ view: 'samples', group: group.key, ...OF_SAMPLE, sample: '' }) },
            groupName(group),
          ),
        ),
        cell(visibleLine(summary.models[group.model].name)),
        cell(visibleLine(group.mode)),
        cell(grouped(group.samples), 'number'),
      ),
    );
  return tableSection(
    {
      id: 'prompts',
      heading: 'Prompts',
      head: [headCell('data set'), headCell('model'), headCell('mode'), headCell('samples', 'number')],
      rows,
    },
    pager.element(),
  );
}

function runTable(summary) {
  const facts = (run) =>
    [
      [
        'models',
        summary.models
          .map((model) => visibleLine([model.name, model.dtype, model.device].filter(Boolean).join(' · ')))
          .join('; '),
      ],
      ['began', run.started],
      ['took', isNumber(run.seconds) && durationText(run.seconds)],
      ['machine', run.machine],
      ['config', run.config],
      ['command', run.command],
      ['program', run.program],
      [
        'tokens',
        isNumber(run.asked_tokens) &&
          `${grouped(run.asked_tokens)} asked, ${grouped(run.computed_tokens)} computed, ${grouped(run.reused_tokens)} reused`,
      ],
    ].filter(([, value]) => value);
  return element(
    'section',
    {},
    element('h2', {}, summary.runs.length > 1 ? 'Runs' : 'Run'),
    summary.runs
      .slice(0, 20)
      .map((run) =>
        element(
          'details',
          { open: summary.runs.length === 1 },
          element('summary', {}, visibleLine(run.name)),
          factList(facts(run)),
        ),
      ),
  );
}
