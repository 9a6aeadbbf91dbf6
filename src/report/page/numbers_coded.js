// Whole numbers as few bytes.

/** Whole numbers of seven bits a byte, the low ones first; the top bit says that more follow. */
class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.place = 0;
  }

  next() {
    let number = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.place++];
      number += (byte & 127) * scale;
      if (byte < 128) return number;
      scale *= 128;
    }
  }

  all() {
    const numbers = [];
    while (this.place < this.bytes.length) numbers.push(this.next());
    return numbers;
  }
}

/** Whole numbers in two streams, so that common ones cost a byte and the bytes of a stream are alike: a head below 192 is the number itself, one
 * below 255 stands for 192 + 256 · (head − 192) + a byte of the tail, and 255 for three bytes of the tail, the low one first. */
class SplitNumbers {
  constructor(heads, tails) {
    Object.assign(this, { heads, tails, head: 0, tail: 0 });
  }

  next() {
    const head = this.heads[this.head++];
    if (head < 192) return head;
    if (head < 255) return 192 + 256 * (head - 192) + this.tails[this.tail++];
    this.tail += 3;
    return this.tails[this.tail - 3] | (this.tails[this.tail - 2] << 8) | (this.tails[this.tail - 1] << 16);
  }
}
