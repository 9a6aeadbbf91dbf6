// Texts as chains of stretches of tokens: what texts share is in the file once.

const UNSCORED = 0xffff;
const LARGE = 0xfffe;
/** Kinds of pieces: part of the text, added around it, text whose tokens are not known, or an image. */
const PIECE_ADDED = 1;
const PIECE_STRETCH = 2;
const PIECE_IMAGE = 3;

class Segments {
  constructor(summary, blocks) {
    this.layout = summary.blocks;
    this.models = summary.models;
    this.blocks = blocks;
    this.pictures = new Pictures(summary, blocks);
    this.pieces = new Map();
    this.decoded = new Map();
  }

  /** The segments that end in this one, the first of the text first; each with its number. */
  async chain(last) {
    const found = [];
    for (let number = last; number !== null;) {
      const segment = await this.segment(number);
      found.unshift({ number, ...segment });
      number = segment.parent;
    }
    return found;
  }

  async segment(number) {
    const starts = this.layout.segment_starts;
    let block = 0;
    for (let high = starts.length - 1; block < high;) {
      const middle = (block + high + 1) >> 1;
      if (starts[middle] <= number) block = middle;
      else high = middle - 1;
    }
    let segments = this.decoded.get(block);
    if (!segments) {
      const bytes = await this.blocks.block(this.layout.first_segment + block);
      segments = segmentsOf(bytes, starts[block]);
      this.decoded.set(block, segments);
      if (this.decoded.size > KEPT_BLOCKS) this.decoded.delete(this.decoded.keys().next().value);
    }
    return segments[number - starts[block]];
  }

  /** The dictionary of a model's pieces. */
  dictionary(model) {
    if (!this.pieces.has(model)) {
      const reading = this.blocks.read(this.models[model].pieces_block).then((bytes) => new Dictionary(bytes));
      this.pieces.set(model, reading);
    }
    return this.pieces.get(model);
  }

  /** The tokens of a text's segments as values: id, kind, bytes, nll in nats (null where it is not known), the styles of its bytes, its place, and what an image is. */
  async tokens(segments, model) {
    const dictionary = await this.dictionary(model);
    const own = segments.flatMap((segment) => {
      const marks = new MarkWalk(segment.marks);
      let large = 0;
      const tokens = segment.pieces.map((piece, place) => {
        const token = dictionary.piece(piece);
        const thousandths = segment.surprisals[place];
        const nll =
          thousandths === UNSCORED ? null : thousandths === LARGE ? segment.large[large++] : thousandths / 1000;
        const isText = token.kind !== PIECE_ADDED && token.kind !== PIECE_IMAGE;
        const length = isText ? token.bytes.length : 0;
        return { ...token, nll, ...marks.take(length) };
      });
      const last = tokens[tokens.length - 1];
      if (last) last.hiddenAfter = marks.skip([]);
      return tokens;
    });
    const images = own.filter((token) => token.kind === PIECE_IMAGE);
    const seen = images.map(async (token) => {
      token.image = await this.pictures.of(token);
    });
    await Promise.all(seen);
    return placed(own);
  }
}

/** Which marks bytes lie under, token after token. */
class MarkWalk {
  constructor(marks) {
    this.marks = marks;
    this.mark = 0;
    this.left = marks.length ? marks[0][0] : 0;
  }

  /** The next bytes: as styles with their lengths, and the empty marks (hidden columns) before them. */
  take(length) {
    const hidden = this.skip([]);
    const styles = [];
    const style = this.current();
    while (length > 0) {
      this.skip(hidden);
      const own = this.mark < this.marks.length ? Math.min(length, this.left) : length;
      styles.push([own, this.current()]);
      this.left -= own;
      length -= own;
      if (this.left === 0) this.step();
    }
    return { styles, style, hidden };
  }

  /** The style under the next byte; after the last mark, its own. */
  current() {
    const mark = this.marks[Math.min(this.mark, this.marks.length - 1)];
    return mark ? mark[1] : 0;
  }

  step() {
    this.mark++;
    this.left = this.mark < this.marks.length ? this.marks[this.mark][0] : 0;
  }

  skip(hidden) {
    while (this.mark < this.marks.length && this.left === 0) {
      hidden.push(this.current());
      this.step();
    }
    return hidden;
  }
}

class Dictionary {
  constructor(bytes) {
    const [ids, kinds, lengths, raw] = parts(bytes);
    this.ids = new Varints(ids).all();
    this.kinds = kinds;
    this.raw = raw;
    this.starts = [0];
    for (const length of new Varints(lengths).all()) this.starts.push(this.starts[this.starts.length - 1] + length);
  }

  piece(number) {
    const bytes = this.raw.subarray(this.starts[number], this.starts[number + 1]);
    return { id: this.ids[number], kind: this.kinds[number], bytes };
  }
}

function segmentsOf(bytes, first) {
  const [shapes, pieceHeads, pieceTails, surprisalHeads, surprisalTails, marks, large] = parts(bytes);
  const shape = new Varints(shapes);
  const piece = new SplitNumbers(pieceHeads, pieceTails);
  const surprisal = new SplitNumbers(surprisalHeads, surprisalTails);
  const mark = new Varints(marks);
  const larges = new DataView(large.buffer, large.byteOffset, large.byteLength);
  const found = [];
  let nextLarge = 0;
  while (shape.place < shapes.length) {
    const back = shape.next();
    const parent = back ? first + found.length - back : null;
    const count = shape.next();
    const segment = { parent, pieces: [], surprisals: [], marks: [], large: [] };
    const markCount = shape.next();
    for (let token = 0; token < count; token++) {
      segment.pieces.push(piece.next());
      const thousandths = surprisal.next();
      segment.surprisals.push(thousandths);
      if (thousandths === LARGE) segment.large.push(larges.getFloat32(4 * nextLarge++, true));
    }
    for (let number = 0; number < markCount; number++) segment.marks.push([mark.next(), mark.next()]);
    found.push(segment);
  }
  return found;
}
