// A table of figures, in a part of the page that scrolls by itself.

/** A cell of a table's head. */
function headCell(words, kind) {
  return element('th', { scope: 'col', class: kind }, words);
}

/** The head of a column of drawings: their axis, and in words what they draw. */
function chartHeadCell(words, scale, most) {
  return headCell([element('span', { class: 'unseen' }, words), forestAxis(scale, most)], 'chart');
}

/** A table; `name` is what names it for those who hear the page: an attribute and its value. */
function scrolledTable({ name, kind = 'figures', head, rows }) {
  return element(
    'div',
    { class: 'scroll', role: 'region', ...name, tabindex: '0' },
    element('table', { class: kind }, element('thead', {}, element('tr', {}, head)), element('tbody', {}, rows)),
  );
}

/** A table under its heading, whose id is `id`, and what comes after it. */
function tableSection({ id, heading, level = 'h2', ...table }, ...after) {
  return element(
    'section',
    {},
    element(level, { id }, heading),
    scrolledTable({ name: { 'aria-labelledby': id }, ...table }),
    after,
  );
}
