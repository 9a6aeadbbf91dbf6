// Text of which nothing hides or pretends: controls, marks that turn the direction of writing, and bytes that are no character.

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]/gu;

/** A text with a name in the place of each letter that cannot be seen. */
function visible(text) {
  return String(text).replace(HIDDEN, (letter) => `⟨${codeName(letter)}⟩`);
}

function codeName(letter) {
  return `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The same on one line. */
function visibleLine(text) {
  return visible(text).replace(/\n/g, '⏎').replace(/\t/g, '⇥');
}

/** A text of which line ends and tabs can be seen, and still break and move. */
function visibleBlock(text) {
  return visible(text).replace(/\n/g, '⏎\n').replace(/\t/g, '⇥\t');
}

/** Bytes as hexadecimal digits. */
function hexadecimal(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const UTF8_BYTES = new TextEncoder();

/** The text that bytes are, or null where they are not whole characters. */
function textOfBytes(bytes) {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return null;
  }
}
