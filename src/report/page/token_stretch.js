// How tokens are spelled: a token may hold a part of a character, and bytes that are none.

/** Tokens with what is shown of each. Where that is not letter by letter what the token holds, `hex` has its bytes. */
function spelled(tokens) {
  let waiting = [];
  const shown = tokens.map((token) => ({ ...token, about: '', inside: '' }));
  const giveUp = () => {
    waiting = [];
  };
  for (const token of shown) {
    if (token.kind === PIECE_IMAGE) {
      token.shown = `image ${visibleLine(token.image.name)}`;
      token.hex = '';
      continue;
    }
    if (token.kind === PIECE_ADDED) {
      token.shown = visibleLine(UTF8.decode(token.bytes)) || '∅';
      token.hex = '';
      continue;
    }
    const own = waiting.length ? null : textOfBytes(token.bytes);
    if (own !== null) {
      spell(token, own);
      continue;
    }
    waiting.push(token);
    token.hex = hexadecimal(token.bytes);
    token.shown = rawText(token.bytes);
    token.isRaw = true;
    const together = joined(waiting.map(({ bytes }) => bytes));
    const text = textOfBytes(together);
    if (text !== null) {
      // The token that completes the characters shows them.
      token.shown = visibleBlock(text);
      token.isRaw = false;
      token.about = `completes ${visibleLine(text)}`;
      giveUp();
    } else if (textOfBytes(token.bytes) !== null) {
      spell(token, textOfBytes(token.bytes));
      giveUp();
    } else if (together.length > 12) giveUp();
  }
  return shown;
}

function spell(token, text) {
  const [, body, breaks] = /^([^]*?)(\n*)$/.exec(text);
  token.isRaw = false;
  token.shown = visibleBlock(body) + '⏎'.repeat(breaks.length);
  if (text === '') token.shown = '∅';
  token.breaks = breaks;
  token.hex = token.shown === text ? null : hexadecimal(token.bytes);
  token.runs = token.styles.length > 1 ? runsOf(token) : null;
}

/** The stretches of a token that stands in several pieces of the prompt, if its characters do not. */
function runsOf(token) {
  const runs = [];
  let place = 0;
  for (const [length, style] of token.styles) {
    const text = textOfBytes(token.bytes.subarray(place, place + length));
    if (text === null) return null;
    const isLast = place + length === token.bytes.length;
    const [, body, breaks] = /^([^]*?)(\n*)$/.exec(text);
    runs.push({ style, text: isLast ? visibleBlock(body) + '⏎'.repeat(breaks.length) : visibleBlock(text) });
    place += length;
  }
  return runs;
}

function rawText(bytes) {
  return `⟨${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(' ')}⟩`;
}

function joined(arrays) {
  const all = new Uint8Array(arrays.reduce((length, own) => length + own.length, 0));
  let place = 0;
  for (const own of arrays) {
    all.set(own, place);
    place += own.length;
  }
  return all;
}

/** Tokens as rows of one speaker: a section, an example, a role. */
function speakerRows(tokens, styles) {
  const rows = [];
  for (const [place, token] of tokens.entries()) {
    const { section = '', example = null, role = '' } = styles[speakerStyle(tokens, place)] ?? {};
    const last = rows[rows.length - 1];
    if (last && last.section === section && last.example === example && last.role === role) last.tokens.push(token);
    else rows.push({ section, example, role, from: place, tokens: [token] });
  }
  return rows;
}

/** The style of a token; one that the tokenizer has added before a text stands where that begins. */
function speakerStyle(tokens, place) {
  let own = place;
  while (tokens[own].style === 0 && tokens[own].kind === PIECE_ADDED && own + 1 < tokens.length) own++;
  return tokens[own].style;
}

function speakerName({ section, example }) {
  return section === 'ice' && example !== null ? `ice ${example + 1}` : section;
}
