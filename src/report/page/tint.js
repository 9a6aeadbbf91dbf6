// The scale of surprisals: ten steps of one lightness scale, from what was expected to what was not.

/** Where each step begins, in nats. */
const STEPS_NATS = [0, 0.1, 0.3, 0.7, 1.4, 2.3, 3.5, 5, 7, 10];

/** The step of a surprisal; none where it is not known. */
function tintStep(nats) {
  if (nats === null) return null;
  if (Number.isNaN(nats)) return 9;
  let step = 0;
  while (step + 1 < STEPS_NATS.length && nats >= STEPS_NATS[step + 1]) step++;
  return step;
}

/** A surprisal as it is told, to a thousandth of a nat. */
function natsText(nats) {
  return nats === null ? 'not scored' : Number.isNaN(nats) ? 'not a number' : fixed(nats, 3);
}

/** The colours beside their numbers. */
function tintLegend() {
  const steps = STEPS_NATS.map((from, step) => element('li', { class: `t${step}` }, `${from}${step === 9 ? '+' : ''}`));
  return element(
    'div',
    { class: 'tint-legend' },
    element('span', { id: 'tint-words' }, 'surprisal in nats, from'),
    element('ol', { 'aria-labelledby': 'tint-words' }, steps),
  );
}
