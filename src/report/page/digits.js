// Bytes as letters of the file.

/** Digits of base 85: what is printable and means nothing in HTML. A base of 64 would make files 7 % larger. */
const DIGITS = Array.from({ length: 94 }, (_, place) => String.fromCharCode(33 + place)).filter(
  (letter) => !'"&\'<>\\`{}'.includes(letter),
);
const DIGIT_OF = new Uint8Array(128);
for (const [value, letter] of DIGITS.entries()) DIGIT_OF[letter.charCodeAt(0)] = value;

/** Five digits for four bytes, the first ones counting most; a last group of n bytes has n + 1. */
function bytesOfLetters(text) {
  const letters = UTF8_BYTES.encode(text);
  const whole = Math.floor(letters.length / 5);
  const rest = letters.length % 5;
  const bytes = new Uint8Array(4 * whole + Math.max(0, rest - 1));
  const number = (spot) => {
    let value = 0;
    // In 32 bits, which the four bytes have: what a multiplication loses above is none of theirs.
    for (let digit = 0; digit < 5; digit++)
      value = (Math.imul(value, 85) + (spot + digit < letters.length ? DIGIT_OF[letters[spot + digit]] : 84)) | 0;
    return value;
  };
  for (let place = 0, spot = 0; place < 4 * whole; place += 4, spot += 5) {
    const value = number(spot);
    bytes[place] = value >>> 24;
    bytes[place + 1] = value >>> 16;
    bytes[place + 2] = value >>> 8;
    bytes[place + 3] = value;
  }
  const last = rest ? number(5 * whole) : 0;
  for (let byte = 0; byte < rest - 1; byte++) bytes[4 * whole + byte] = last >>> (24 - 8 * byte);
  return bytes;
}
