// The images that prompts name: each as a picture that is in the file, or with the reason why it is not.

const PICTURE_TYPES = ['image/png', 'image/jpeg'];

class Pictures {
  constructor(summary, blocks) {
    this.all = summary.pictures ?? [];
    this.blocks = blocks;
  }

  /** What is known of the image that a piece stands for: its name and pixels, the tokens it takes, and its picture as a link. */
  async of({ id, bytes }) {
    const [rows, tokens] = new Varints(bytes).all();
    const about = this.all[id] ?? { name: '', width: 0, height: 0, missing: 'nothing is known of it' };
    return { ...about, rows, tokens, link: await this.link(about) };
  }

  async link({ type, block }) {
    if (block === undefined || !PICTURE_TYPES.includes(type)) return null;
    const bytes = await this.blocks.block(block);
    return `data:${type};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  }
}

/** The size of an image, as its model was shown it. */
function pictureSize({ width, height, tokens }) {
  return `${grouped(width)} × ${grouped(height)}, ${counted(tokens, 'token', 'tokens')}`;
}

/** An image where it stands in a text: the picture over its name and its size. */
function pictureElement(image, attributes) {
  const name = visibleLine(image.name);
  const reason = image.link ? '' : `not shown: ${visibleLine(image.missing ?? 'its type is not known')}`;
  return element(
    'span',
    {
      ...attributes,
      class: 'tok picture',
      role: 'option',
      tabindex: '-1',
      'aria-label': ['image', name, pictureSize(image), reason].filter(Boolean).join(', '),
      'data-bytes': '',
      'data-nats': '',
    },
    image.link && element('img', { src: image.link, alt: name }),
    element('b', {}, name),
    element('span', {}, pictureSize(image)),
    reason && element('i', {}, reason),
  );
}

/** How many tokens these are: an image takes as many as it has rows. */
function tokenTotal(tokens) {
  return tokens.reduce((sum, { image }) => sum + (image ? image.rows : 1), 0);
}

/** Tokens with their places in the text. */
function placed(tokens) {
  let place = 0;
  return tokens.map((token) => {
    const own = { ...token, place };
    place += token.image ? token.image.rows : 1;
    return own;
  });
}
