// Compressed blocks: many to an element, decoded when something in them is seen.

const KEPT_BLOCKS = 24;

class Blocks {
  constructor(layout) {
    this.layout = layout;
    this.kept = new Map();
  }

  /** What is in a block, of which the last few are kept. */
  block(number) {
    let found = this.kept.get(number);
    if (found) this.kept.delete(number);
    else {
      found = this.read(number);
      found.catch(() => this.kept.delete(number));
    }
    this.kept.set(number, found);
    if (this.kept.size > KEPT_BLOCKS) this.kept.delete(this.kept.keys().next().value);
    return found;
  }

  async read(number) {
    const size = this.layout.per_element;
    const holder = await arrived(`blocks-${Math.floor(number / size)}`);
    return inflated(line(holder.textContent, number % size));
  }
}

/** The line of a text with this number. */
function line(text, number) {
  let start = 0;
  for (let skipped = 0; skipped < number; skipped++) start = text.indexOf('\n', start) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** An element of the file, which may still be on its way: it is whole when something follows it. */
async function arrived(id) {
  for (;;) {
    const found = byId(id);
    if (found && (found.nextElementSibling || document.readyState !== 'loading')) return found;
    if (document.readyState !== 'loading') throw new Error(`this file lacks its part ${id}; write the page again`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The bytes of a zlib stream in letters. */
async function inflated(letters) {
  const stream = new Blob([bytesOfLetters(letters)]).stream().pipeThrough(new DecompressionStream('deflate'));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error('a part of this file is damaged or cut off; write the page again');
  }
}

/** The parts of a block: each a length in four bytes and as many bytes. */
function parts(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = [];
  for (let place = 0; place < bytes.length;) {
    const length = view.getUint32(place, true);
    found.push(bytes.subarray(place + 4, place + 4 + length));
    place += 4 + length;
  }
  return found;
}
