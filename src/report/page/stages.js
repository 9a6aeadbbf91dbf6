// What the stages of a data set have said of a row: a rewritten question, the passages that it found, an answer.

function stageSections(stages) {
  return stages.map((stage) =>
    element(
      'section',
      { class: 'stage' },
      element('h3', {}, visibleLine(stage.name), ' ', element('small', {}, stageRemark(stage))),
      factList(stageFacts(stage)),
      stage.passages && element('ol', { class: 'passages' }, stage.passages.map(passageItem)),
    ),
  );
}

function stageRemark(stage) {
  if (stage.is_gold) return 'its gold stood for it';
  if (stage.query === undefined) return null;
  return stage.passages ? counted(stage.passages.length, 'passage', 'passages') : 'nothing found';
}

function stageFacts(stage) {
  return [
    stage.query !== undefined && ['query', stage.query],
    stage.reply !== undefined && ['reply', stage.reply],
    stage.said !== undefined && ['said', stage.said],
    stage.gold !== undefined && stage.gold !== stage.said && ['gold', stage.gold],
  ].filter(Boolean);
}

function passageItem({ id, title, text, score, is_relevant: isRelevant }) {
  return element(
    'li',
    { class: isRelevant ? 'is-relevant' : null },
    element(
      'p',
      {},
      isRelevant && element('b', {}, '✓ relevant '),
      element('b', {}, visibleLine(title ?? id)),
      ' ',
      element('small', {}, [visibleLine(id), score !== undefined && fixed(score, 4)].filter(Boolean).join(' · ')),
    ),
    element('p', {}, visibleBlock(text)),
  );
}
