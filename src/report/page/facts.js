// Names and values, one under another.

function factList(facts) {
  return element(
    'dl',
    { class: 'facts' },
    facts.map(([name, value]) =>
      element(
        'div',
        {},
        element('dt', {}, visibleLine(name)),
        element('dd', {}, typeof value === 'string' ? visible(value) : value),
      ),
    ),
  );
}

/** Warnings, notes and errors, the kind in words before its colour. */
function notices(sample) {
  const one = (severity, message) =>
    element('p', { class: `notice ${severity}` }, element('b', {}, severity), ' ', visible(message));
  return [
    sample.error !== undefined && sample.error !== null && one('failed', sample.error),
    (sample.warnings ?? [])
      .slice(0, 20)
      .map(({ severity, message }) => one(severity === 'note' ? 'note' : 'warning', message)),
  ];
}

/** Right, wrong or failed: a sign, a word and a colour. */
function verdictOf(columns, sample) {
  if (columns.isFlagged(sample, 'failed')) return ['failed', '!'];
  if (columns.isFlagged(sample, 'right')) return ['right', '✓'];
  if (columns.isFlagged(sample, 'wrong')) return ['wrong', '✗'];
  return ['not judged', '·'];
}

function verdictMark(columns, sample) {
  // Of a prompt alone there is nothing to judge.
  if (columns.summary.is_of_prompts) return null;
  const [word, sign] = verdictOf(columns, sample);
  return element('span', { class: `verdict v-${word.replace(' ', '-')}` }, `${sign} ${word}`);
}
