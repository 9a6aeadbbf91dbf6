// Which samples are listed, and in which order.

const FILTERS = [
  ['right', 'right', 'The prediction is right'],
  ['wrong', 'wrong', 'The prediction is not right'],
  ['flipped', 'flipped', 'Right in one of what is compared, wrong in another'],
  ['near_tie', 'near-tie', 'The two best candidates are closer than the noise of the number format'],
  ['failed', 'failed', 'There is no answer'],
  ['warned', 'warned', 'Something about the prompt is odd'],
];

/** The columns that are searched. */
const SEARCHED = ['gold', 'prediction', 'text'];

class Selection {
  constructor(summary, columns) {
    this.summary = summary;
    this.columns = columns;
    this.orders = new Map();
    this.searched = new Map();
  }

  /** The samples that a state asks for, in its order. Its columns must have been read. */
  choose(state) {
    const passes = this.passing(state);
    const found = new Uint32Array(this.columns.samples);
    let count = 0;
    const order = this.order(state.sort);
    const length = this.columns.samples;
    const isDown = state.down === '1';
    // Samples without the figure stay last.
    const known = order ? order.known : length;
    for (let place = 0; place < length; place++) {
      const own = isDown && place < known ? known - 1 - place : place;
      const sample = order ? order.samples[own] : own;
      if (passes[sample]) found[count++] = sample;
    }
    return found.subarray(0, count);
  }

  /** For each sample 1 if it is asked for. */
  passing(state) {
    const passes = new Uint8Array(this.columns.samples);
    for (const { first, samples } of this.groups(state)) passes.fill(1, first, first + samples);
    let wanted = 0;
    for (const word of setOf(state.filter)) wanted |= FLAGS[word] ?? 0;
    const flags = this.columns.column('flags');
    if (state.pair) {
      this.keepFlips(passes, state.pair);
      wanted &= ~FLAGS.flipped;
    }
    if (wanted) {
      for (let sample = 0; sample < passes.length; sample++) {
        if ((flags[sample] & wanted) !== wanted) passes[sample] = 0;
      }
    }
    for (const word of words(state.q)) this.keepFound(passes, word);
    return passes;
  }

  groups(state) {
    const pair = state.pair.split('~');
    if (pair.length === 2) return this.summary.groups.filter((group) => pair.includes(group.key));
    return this.summary.groups.filter((group) => !state.group || group.key === state.group);
  }

  /** Keeps rows that are right in one group of a pair and wrong in the other. */
  keepFlips(passes, pair) {
    const [left, right] = pair.split('~').map((key) => this.summary.groups.findIndex((group) => group.key === key));
    const flipped = new Uint8Array(passes.length);
    if (left >= 0 && right >= 0) {
      const { first, samples } = this.summary.groups[left];
      const flags = this.columns.column('flags');
      const rows = this.columns.column('row');
      const verdict = FLAGS.right | FLAGS.wrong;
      for (let sample = first; sample < first + samples; sample++) {
        const other = this.columns.find(right, rows[sample]);
        if (other >= 0 && ((flags[sample] ^ flags[other]) & verdict) === verdict) flipped[sample] = flipped[other] = 1;
      }
    }
    for (let sample = 0; sample < passes.length; sample++) passes[sample] &= flipped[sample];
  }

  /** Keeps samples whose row is a word, or whose gold, prediction or text holds it, whatever its case. */
  keepFound(passes, word) {
    const found = new Uint8Array(passes.length);
    for (const name of SEARCHED) this.find(name, word, found);
    if (/^\d{1,9}$/.test(word)) {
      const row = Number(word);
      this.columns.column('row').forEach((own, sample) => {
        if (own === row) found[sample] = 1;
      });
    }
    for (let own = 0; own < passes.length; own++) passes[own] &= found[own];
  }

  /** Marks the samples whose text in a column holds a word. */
  find(name, word, found) {
    const { text, ends } = this.searchText(name);
    let sample = 0;
    for (
      let place = text.indexOf(word);
      place >= 0 && sample < ends.length;
      place = text.indexOf(word, ends[sample++])
    ) {
      while (ends[sample] <= place) sample++;
      found[sample] = 1;
    }
  }

  /** A column in small letters, and where the line of each sample ends in it. */
  searchText(name) {
    if (!this.searched.has(name)) {
      const text = UTF8.decode(this.columns.column(name).bytes).toLowerCase();
      const ends = new Uint32Array(this.columns.samples);
      for (let sample = 0, from = 0; sample < ends.length; sample++) {
        const end = text.indexOf('\n', from);
        from = end < 0 ? text.length + 1 : end + 1;
        ends[sample] = from;
      }
      this.searched.set(name, { text, ends });
    }
    return this.searched.get(name);
  }

  /** Samples by a column of figures, the smallest first, and how many of them have a figure. */
  order(name) {
    const values = name && this.columns.has(name) ? this.columns.column(name) : null;
    if (!(values instanceof Float32Array)) return null;
    if (!this.orders.has(name)) {
      const all = new Uint32Array(values.length).map((_, sample) => sample);
      const known = all.filter((sample) => !Number.isNaN(values[sample]));
      known.sort((left, right) => values[left] - values[right] || left - right);
      const samples = new Uint32Array(values.length);
      samples.set(known);
      samples.set(
        all.filter((sample) => Number.isNaN(values[sample])),
        known.length,
      );
      this.orders.set(name, { samples, known: known.length });
    }
    return this.orders.get(name);
  }

  /** How many samples of the groups have each flag. */
  counts(state) {
    const key = `${state.group}\u0000${state.pair}`;
    if (this.counted?.key !== key) {
      const flags = this.columns.column('flags');
      // First how often each combination of flags occurs: there are few.
      const combinations = new Map();
      for (const { first, samples } of this.groups(state)) {
        const counts = new Uint32Array(1 << 16);
        for (let sample = first; sample < first + samples; sample++) counts[flags[sample]]++;
        counts.forEach((count, combination) => {
          if (count) combinations.set(combination, (combinations.get(combination) ?? 0) + count);
        });
      }
      const counts = Object.fromEntries(FILTERS.map(([flag]) => [flag, 0]));
      for (const [combination, count] of combinations) {
        for (const [flag] of FILTERS) counts[flag] += combination & FLAGS[flag] ? count : 0;
      }
      this.counted = { key, counts };
    }
    return this.counted.counts;
  }
}

/** The words of a search in small letters; what stands between quotes is one. */
function words(query) {
  return Array.from(query.toLowerCase().matchAll(/"([^"]+)"?|(\S+)/g), (match) => match[1] ?? match[2]);
}
