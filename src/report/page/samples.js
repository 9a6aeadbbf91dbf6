// The view of samples: what is asked, the list, and the sample that is open.

class Samples {
  constructor(page) {
    this.page = page;
    this.toolbar = new Toolbar(page);
    this.list = new List(page);
    this.inspector = element('p', { id: 'inspector', class: 'inspector', 'aria-hidden': 'true' });
    this.article = element('article', { id: 'sample', class: 'sample', tabindex: '-1', 'aria-label': 'sample' });
    this.detail = element('div', { class: 'detail' }, this.article, this.inspector);
    this.element = element(
      'div',
      { class: 'samples' },
      element('h1', { class: 'unseen' }, 'Samples'),
      this.toolbar.element,
      element('div', { class: 'split' }, this.list.element, this.detail),
    );
    this.shown = {};
    this.reading = 0;
  }

  async show(state) {
    const { page } = this;
    if (state.sort) await page.columns.read([state.sort]).catch(() => {});
    if (page.address.state !== state) return;
    this.showList(state);
    await this.showSample(state);
  }

  showList(state) {
    const asked = ['group', 'filter', 'q', 'sort', 'down', 'pair'].map((name) => state[name]).join('\u0000');
    if (asked !== this.shown.asked) {
      const isFirst = this.shown.asked === undefined;
      this.shown.asked = asked;
      this.samples = this.page.selection.choose(state);
      this.toolbar.show(state, this.samples.length);
      const sample = this.page.sampleOf(state);
      const place = sample < 0 ? -1 : this.samples.indexOf(sample);
      const at = state.at ? Number(state.at) || 0 : place > 0 ? Math.max(0, place - 3) : 0;
      this.list.chosen = sample;
      this.list.show(this.samples, state, at);
      if (isFirst) this.begin(at);
    }
  }

  /** Once the first rows are painted: the place of a link, and what the first search needs. */
  begin(at) {
    requestAnimationFrame(() => {
      this.list.element.scrollTop = at * this.list.pixels;
      setTimeout(() => {
        // For tests, which measure it.
        this.list.element.dataset.shownAt = performance.now();
        SEARCHED.forEach((name, place) => setTimeout(() => this.page.selection.searchText(name), 100 + 50 * place));
      });
    });
  }

  async showSample(state) {
    const { page } = this;
    const number = page.sampleOf(state);
    this.element.classList.toggle('has-sample', state.sample !== '');
    const isOther = state.sample !== this.shown.sample;
    this.shown.sample = state.sample;
    if (isOther) this.list.choose(number, true);
    const reading = ++this.reading;
    if (number < 0) {
      this.inspect('');
      refill(
        this.article,
        state.sample
          ? element('p', { class: 'hint' }, 'The sample of this link is not in this file: ', visible(state.sample))
          : element('div', { class: 'hint' }, element('p', {}, 'Choose a sample.'), keyTable()),
      );
      return;
    }
    if (isOther) this.inspect('');
    let children;
    try {
      const body = await page.body(number);
      children = (await new Sample(page, number, body).read()).elements();
    } catch (error) {
      children = [
        element(
          'p',
          { class: 'notice failed' },
          element('b', {}, 'failed'),
          ` this sample cannot be read: ${visible(error.message)}`,
        ),
      ];
    }
    if (reading !== this.reading) return;
    const focused = this.article.contains(document.activeElement) ? document.activeElement.id : '';
    const top = this.article.scrollTop;
    this.article.classList.toggle('is-tinted', state.tint !== 'off');
    this.article.classList.toggle('has-numbers', state.numbers === 'on');
    refill(this.article, children);
    this.article.scrollTop = isOther ? 0 : top;
    if (focused) (byId(focused) ?? this.article).focus({ preventScroll: true });
    if (state.token) byId(`token-${state.token}`)?.classList.add('chosen');
  }

  inspect(words) {
    this.inspector.textContent = words;
    this.inspector.hidden = words === '';
  }
}
