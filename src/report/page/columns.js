// The index: what lists, filters and sorting need of every sample, a column each.

const FLAGS = { right: 1, wrong: 2, failed: 4, tie: 8, near_tie: 16, warned: 32, flipped: 64 };
const WIDTHS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

class Columns {
  constructor(summary) {
    this.summary = summary;
    this.samples = summary.samples;
    this.found = new Map();
    this.reading = new Map();
  }

  /** Reads columns; those that are read already cost nothing. */
  async read(names) {
    await Promise.all(
      names.map((name) => {
        if (!this.reading.has(name)) this.reading.set(name, this.readOne(name));
        return this.reading.get(name);
      }),
    );
  }

  async readOne(name) {
    const number = this.summary.columns.findIndex((column) => column.name === name);
    if (number < 0) throw new Error(`this file has no column ${name}; write the page again`);
    const bytes = await inflated(line(byId('index').textContent, number));
    const { kind } = this.summary.columns[number];
    this.found.set(name, kind === 'text' ? new TextColumn(bytes, this.samples) : numbersOf(kind, bytes));
  }

  has(name) {
    return this.found.has(name);
  }

  /** A number of a sample, or its text, null for none. */
  of(name, sample) {
    const column = this.found.get(name);
    return column instanceof TextColumn ? column.text(sample) : column[sample];
  }

  column(name) {
    return this.found.get(name);
  }

  isFlagged(sample, flag) {
    return (this.found.get('flags')[sample] & FLAGS[flag]) !== 0;
  }

  /** The columns of figures, which rows show and are sorted by. */
  figures() {
    return this.summary.columns.filter((column) => column.kind === 'f32');
  }

  /** The number of the group that a sample is of. */
  groupOf(sample) {
    const { groups } = this.summary;
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (groups[middle].first <= sample) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The sample of a group with this row, or -1: rows of a group rise. */
  find(group, row) {
    const { first, samples } = this.summary.groups[group];
    const rows = this.found.get('row');
    let low = first;
    let high = first + samples - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (rows[middle] === row) return middle;
      if (rows[middle] < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** Numbers whose bytes lie apart: first all first bytes, then all second bytes. */
function numbersOf(kind, bytes) {
  const Numbers = WIDTHS[kind];
  const width = Numbers.BYTES_PER_ELEMENT;
  const count = bytes.length / width;
  const together = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; plane++) {
    for (let place = 0; place < count; place++) together[place * width + plane] = bytes[plane * count + place];
  }
  return new Numbers(together.buffer);
}

/** A text for each sample, kept as bytes. */
class TextColumn {
  constructor(bytes, count) {
    this.bytes = bytes;
    this.ends = new Uint32Array(count);
    for (let number = 0, from = 0; number < count; number++) {
      const end = bytes.indexOf(10, from);
      this.ends[number] = end < 0 ? bytes.length : end;
      from = this.ends[number] + 1;
    }
  }

  text(number) {
    const start = number ? this.ends[number - 1] + 1 : 0;
    if (this.bytes[start] === 0 && this.ends[number] === start + 1) return null;
    return UTF8.decode(this.bytes.subarray(start, this.ends[number]));
  }
}
