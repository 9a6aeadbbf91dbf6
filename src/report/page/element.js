// Elements of the page. Text of the data only ever becomes text nodes and attributes, never markup.

/** An element with attributes, `on…` listeners and children; children that are null or false are left out. */
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same in a drawing. */
function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child);
  }
}

/** Puts other children in the place of an element's. */
function refill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

function byId(id) {
  return document.getElementById(id);
}

/** Says something to those who hear the page; the same words twice are said twice. */
function announce(words) {
  const own = byId('announcements');
  own.textContent = own.textContent === words ? `${words}\u00a0` : words;
}
