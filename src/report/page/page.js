// The page: reads what the file holds and shows what the address says.

class Page {
  constructor(summary) {
    this.summary = summary;
    this.columns = new Columns(summary);
    this.blocks = new Blocks(summary.blocks);
    this.segments = new Segments(summary, this.blocks);
    this.selection = new Selection(summary, this.columns);
    this.address = new Address((state) => this.show(state));
  }

  show(state) {
    applyTheme(state.theme);
    document.body.dataset.view = state.view;
    for (const link of byId('header').querySelectorAll('nav a')) {
      const view = link.dataset.view;
      link.href = this.address.link({ view });
      if (view === state.view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    byId('theme').value = state.theme;
    if (state.view === 'samples') return this.showSamples(state).catch(showFailure);
    const view = { overview, comparison }[state.view];
    refill(byId('main'), element('div', { class: 'sheet' }, view(this)));
    return undefined;
  }

  async showSamples(state) {
    await this.columns.read(this.summary.columns.filter((column) => column.kind !== 'f32').map(({ name }) => name));
    const [first] = this.columns.figures();
    if (first) await this.columns.read([first.name]);
    if (this.address.state !== state) return;
    this.samplesView ??= new Samples(this);
    if (!this.samplesView.element.isConnected) refill(byId('main'), this.samplesView.element);
    await this.samplesView.show(state);
  }

  /** The body of a sample. */
  async body(sample) {
    const { first_body: first, samples_per_body: size } = this.summary.blocks;
    const bytes = await this.blocks.block(first + Math.floor(sample / size));
    return JSON.parse(line(UTF8.decode(bytes), sample % size));
  }

  nameOf(group) {
    const { runs, models } = this.summary;
    return [
      groupName(group),
      models.length > 1 && visibleLine(models[group.model].name),
      runs.length > 1 && visibleLine(runs[group.run].name),
    ]
      .filter(Boolean)
      .join(' · ');
  }

  /** A sample's name in the address. */
  keyOf(sample) {
    return `${this.summary.groups[this.columns.groupOf(sample)].key}/${this.columns.of('row', sample)}`;
  }

  /** The sample of a state, or -1. */
  sampleOf(state) {
    const cut = state.sample.lastIndexOf('/');
    const group = this.summary.groups.findIndex((one) => one.key === state.sample.slice(0, cut));
    return cut < 0 || group < 0 ? -1 : this.columns.find(group, Number(state.sample.slice(cut + 1)));
  }

  linkTo(sample) {
    return this.address.link({ view: 'samples', sample: this.keyOf(sample), rows: '', ...OF_SAMPLE });
  }

  open(sample) {
    this.address.go({ view: 'samples', sample: this.keyOf(sample), rows: '', ...OF_SAMPLE });
  }

  close() {
    if (!this.address.state.sample) return;
    this.address.go({ sample: '', rows: '', ...OF_SAMPLE });
    byId('list')?.focus();
  }

  /** Opens the sample so many rows further in the list. */
  step(rows) {
    const view = this.samplesView;
    if (this.address.state.view !== 'samples' || !view?.samples) {
      this.address.go({ view: 'samples' });
      return;
    }
    const { samples } = view;
    if (!samples.length) return;
    const place = samples.indexOf(this.sampleOf(this.address.state));
    const next =
      place < 0
        ? rows > 0 && Number.isFinite(rows)
          ? 0
          : rows > 0
            ? samples.length - 1
            : 0
        : Math.min(Math.max(0, place + rows), samples.length - 1);
    this.address.amend({ sample: this.keyOf(samples[next]), rows: '', ...OF_SAMPLE });
    if (next !== place) announce(this.wordsOf(samples[next]));
  }

  /** A sample in words, for those who hear the page. */
  wordsOf(sample) {
    const verdict = this.summary.is_of_prompts ? [] : [verdictOf(this.columns, sample)[0]];
    return [`row ${this.columns.of('row', sample)}`, ...verdict].join(', ');
  }

  async search() {
    if (this.address.state.view !== 'samples') this.address.go({ view: 'samples' });
    for (let tries = 0; tries < 100 && !byId('search'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    byId('search')?.select();
  }

  inspect(words) {
    this.samplesView?.inspect(words);
  }
}

function start() {
  const summary = JSON.parse(byId('summary').textContent);
  if (summary.format !== 1) throw new Error(`this page reads format 1 and the data are of format ${summary.format}`);
  // Where nothing was measured, the prompts are what there is to see.
  if (summary.is_of_prompts) USUAL.view = 'samples';
  const page = new Page(summary);
  const views = [
    ['overview', 'Overview'],
    summary.comparisons.length > 0 && ['comparison', 'Comparison'],
    summary.samples > 0 && ['samples', ['Samples ', element('span', { class: 'count' }, grouped(summary.samples))]],
  ].filter(Boolean);
  const links = views.map(([view, words]) => element('a', { 'data-view': view }, words));
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
  refill(
    byId('header'),
    element('span', { class: 'brand' }, 'surprisal'),
    element('nav', { 'aria-label': 'views' }, links),
    themePicker(page.address),
  );
  listenToKeys(page);
  page.show(page.address.state);
}

function showFailure(error) {
  const words = element(
    'p',
    { class: 'notice failed' },
    element('b', {}, 'failed'),
    ` this cannot be shown: ${visible(error.message)}`,
  );
  refill(byId('main'), words);
}

try {
  start();
} catch (error) {
  showFailure(error);
}
