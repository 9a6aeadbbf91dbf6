// Keys that work everywhere but where somebody writes.

const KEYS = [
  ['j, k', 'next and previous sample'],
  ['/', 'search'],
  ['Enter', 'from the list into the sample'],
  ['← →', 'in a text, from token to token'],
  ['t, n', 'tint and numbers on and off'],
  ['Esc', 'back to the list'],
];

function keyTable() {
  return element(
    'dl',
    { class: 'keys' },
    KEYS.map(([key, words]) =>
      element('div', {}, element('dt', {}, element('kbd', {}, key)), element('dd', {}, words)),
    ),
  );
}

function listenToKeys(page) {
  const { address } = page;
  const actions = {
    j: () => page.step(1),
    k: () => page.step(-1),
    '/': () => page.search(),
    t: () => address.amend({ tint: address.state.tint === 'off' ? '' : 'off' }),
    n: () => address.amend({ numbers: address.state.numbers === 'on' ? '' : 'on' }),
    Escape: () => page.close(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const writes = event.target.matches?.('input, textarea, select');
    if (writes) {
      if (event.key === 'Escape') event.target.blur();
      if (event.key === 'Enter' && event.target.id === 'search') byId('list')?.focus();
      return;
    }
    const action = actions[event.key];
    if (!action || (address.state.view !== 'samples' && event.key !== '/' && event.key !== 'j')) return;
    event.preventDefault();
    action();
  });
}
