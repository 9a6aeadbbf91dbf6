// Light and dark: as the system says, until a reader says otherwise. The address keeps it.

const THEMES = [
  ['', 'system'],
  ['light', 'light'],
  ['dark', 'dark'],
];

function applyTheme(theme) {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  else delete root.dataset.theme;
}

function themePicker(address) {
  const choose = (event) => address.amend({ theme: event.target.value });
  const options = THEMES.map(([value, word]) => element('option', { value }, word));
  const select = element('select', { id: 'theme', onchange: choose }, options);
  select.value = address.state.theme;
  return element('label', { class: 'choice' }, element('span', {}, 'Theme'), select);
}
