// Numbers as people read them.

const NOTHING = '–';

function isNumber(value) {
  return typeof value === 'number' && Number.isFinite(value);
}

function fixed(value, decimals) {
  if (value === Infinity) return '∞';
  if (!isNumber(value)) return NOTHING;
  const text = value.toFixed(decimals);
  // No figure is "minus nothing".
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

function signed(value, decimals) {
  const text = fixed(value, decimals);
  return isNumber(value) && Number(value.toFixed(decimals)) > 0 ? `+${text}` : text;
}

/** Digits with their thousands apart; those behind a point stay together. */
function withThousands(digits) {
  return digits.replace(/\B(?<!\.\d*)(?=(\d{3})+$)/g, ',');
}

/** A count with its thousands apart. */
function grouped(count) {
  return isNumber(count) ? withThousands(fixed(count, 0)) : NOTHING;
}

function counted(count, one, many) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Decimals for figures of a unit. */
function decimalsOf(unit) {
  return { percent: 2, points: 2, tokens: 0, count: 0 }[unit] ?? 4;
}

const UNIT_WORDS = { percent: '%', points: 'points', nats_per_token: 'nats/token', nats: 'nats', tokens: 'tokens' };

function unitWord(unit) {
  return UNIT_WORDS[unit] ?? unit ?? '';
}

/** A figure with its interval: `98.00 (93.0 to 99.4)`. */
function figureText(figure, unit) {
  const decimals = decimalsOf(unit);
  const value = fixed(figure.value, decimals);
  return hasInterval(figure) ? `${value} (${intervalText(figure, unit)})` : value;
}

function hasInterval(figure) {
  return isNumber(figure.low) && isNumber(figure.high);
}

function intervalText({ low, high }, unit) {
  const decimals = unit === 'percent' || unit === 'points' ? 1 : 3;
  return `${fixed(low, decimals)} to ${fixed(high, decimals)}`;
}

function probabilityText(p) {
  if (!isNumber(p)) return NOTHING;
  if (p < 0.0001) return '< 0.0001';
  return p.toFixed(p < 0.01 ? 4 : p < 0.1 ? 3 : 2);
}

/** A duration in words. */
function durationText(seconds) {
  if (!isNumber(seconds)) return NOTHING;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
