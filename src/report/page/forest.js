// Figures as points with their intervals, one under another on one scale.

/** A scale over values: where each lies, in percent of the width, and round numbers for its ticks. */
function scaleOf(values, bounds = {}) {
  const finite = values.filter(isNumber);
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (!finite.length) [low, high] = [0, 1];
  const step = roundStep(Math.max(high - low, Math.abs(high) * 1e-3, 1e-6) / 4);
  low = Math.max(Math.floor(low / step - 0.15) * step, bounds.least ?? -Infinity);
  high = Math.min(Math.ceil(high / step + 0.15) * step, bounds.most ?? Infinity);
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) ticks.push(tick);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const place = (value) => 2 + 96 * Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
  return { low, high, ticks, decimals, place };
}

function roundStep(wish) {
  const power = 10 ** Math.floor(Math.log10(wish));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wish * 0.999);
}

const FOREST_HEIGHT = 22;

/** A point with its interval, and a thin line for a wider one. The words beside it say the same. */
function forestRow(figure, scale, words, reference = null) {
  const middle = FOREST_HEIGHT / 2;
  const at = (value) => `${scale.place(value).toFixed(2)}%`;
  const ticks = scale.ticks.map((tick) =>
    drawn('line', { class: 'tick', x1: at(tick), x2: at(tick), y1: 0, y2: FOREST_HEIGHT }),
  );
  const line = (kind, low, high) =>
    isNumber(low) &&
    isNumber(high) &&
    drawn('line', { class: kind, x1: at(low), x2: at(high), y1: middle, y2: middle });
  const end = (value) =>
    isNumber(value) && drawn('line', { class: 'end', x1: at(value), x2: at(value), y1: middle - 4, y2: middle + 4 });
  return drawn(
    'svg',
    { class: 'forest', width: '100%', height: FOREST_HEIGHT, role: 'img', 'aria-label': words },
    ticks,
    reference !== null &&
      drawn('line', { class: 'reference', x1: at(reference), x2: at(reference), y1: 0, y2: FOREST_HEIGHT }),
    line('wide', figure.simultaneous_low, figure.simultaneous_high),
    line('interval', figure.low, figure.high),
    end(figure.low),
    end(figure.high),
    isNumber(figure.value) && drawn('circle', { class: 'point', cx: at(figure.value), cy: middle, r: 4 }),
  );
}

/** The numbers of a scale, for the head of a column: at most so many. */
function forestAxis(scale, most = 6) {
  const number = (tick) =>
    drawn(
      'text',
      { x: `${scale.place(tick).toFixed(2)}%`, y: 12, 'text-anchor': 'middle' },
      fixed(tick, scale.decimals),
    );
  const every = Math.ceil((scale.ticks.length - 1) / (most - 1)) || 1;
  return drawn(
    'svg',
    { class: 'forest axis', width: '100%', height: 16, 'aria-hidden': 'true' },
    scale.ticks.filter((_, place) => place % every === 0).map(number),
  );
}
