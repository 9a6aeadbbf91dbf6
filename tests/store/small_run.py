"""A small run in a folder of its own, and what may be read of it afterwards.

Five data sets under a tiny model: candidates of three kinds, texts, continuations. `Outputs` holds what the command,
`evaluate` and `export` say of a whole run; `check` compares what they say of a database that was changed.
"""
import json
import pathlib
import shutil

import program

CHECKPOINT = program.REPOSITORY / 'tests/fixtures/e2e_models/tiny-llama-bos'
# One whose tokens are other texts.
OTHER_CHECKPOINT = program.REPOSITORY / 'models/pocket'
TABLES = ['samples', 'candidates', 'tokens']
ROWS = 12
# How often a command may be refused and repeated until all is well.
PATIENCE = 3

CHOICES = '''dict(abbr={abbr!r}, path={path!r},
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={{'a': '{{text}} {end}cat', 'b': '{{text}} {end}dog sat'}}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator'){more}))'''
TEXTS = '''dict(abbr='texts', path='data/one.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column=None),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{text} the time'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLOnlyInferencer')),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))'''
WRITTEN = '''dict(abbr='written', path='data/one.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{text}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=3)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))'''


def choices(abbr, path='data/one.jsonl', end='the ', more=''):
    return CHOICES.format(abbr=abbr, path=path, end=end, more=more)


def config(*datasets, checkpoint=CHECKPOINT):
    model = f"dict(type='HuggingFaceCausalLM', abbr='tiny', path={str(checkpoint)!r}, max_seq_len=128)"
    return f'datasets = [{", ".join(datasets)}]\nmodels = [{model}]\n'


def usual(metric='AccEvaluator'):
    datasets = [choices('one'), choices('two', 'data/two.jsonl'), choices('spelled', more=", rule='per_char'"),
                TEXTS, WRITTEN]
    return config(*datasets).replace('AccEvaluator', metric)


def rows(first=0, count=ROWS, more=None):
    """Rows whose golds are of no pattern, so that a swap of two shows."""
    return [dict(text=f'once {index} upon', answer='ab'[index * index // 3 % 2], **(more(index) if more else {}))
            for index in range(first, first + count)]


class SmallRun:
    """A folder with config and data, in which the program is run with the work folder `out`."""

    def __init__(self, folder, text=None):
        self.folder = pathlib.Path(folder)
        (self.folder / 'data').mkdir(parents=True, exist_ok=True)
        self.write_config(text or usual())
        self.write_rows('one', rows())
        self.write_rows('two', rows(first=50))

    def write_config(self, text, name='config.py'):
        (self.folder / name).write_text(text)

    def write_rows(self, name, own):
        text = ''.join(f'{json.dumps(row)}\n' for row in own)
        (self.folder / f'data/{name}.jsonl').write_text(text)

    @property
    def database(self):
        return self.folder / 'out/surprisal.db'

    def command(self, config='config.py', *more):
        return ['run', config, '--device', 'cpu', '--threads', '1', '-w', 'out', '--json', *more]

    def run(self, config='config.py', *more):
        return program.run(self.command(config, *more), self.folder)

    def evaluate(self, name='latest'):
        return program.run(['evaluate', name, '-w', 'out', '--json'], self.folder)

    def export(self, table, name='latest'):
        return program.run(['export', name, '-w', 'out', '--table', table, '--format', 'jsonl'], self.folder)

    def write_database(self, content):
        """Puts a database in the place of the one that is there, with all that SQLite keeps beside it."""
        for path in self.database.parent.glob('surprisal.db*'):
            path.unlink()
        self.database.write_bytes(content)

    def remove(self):
        shutil.rmtree(self.folder / 'out', ignore_errors=True)

    def keep(self, name):
        """Keeps the work folder under a name, to come back to with `restore`."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.folder / 'out', self.folder / name)

    def restore(self, name):
        self.remove()
        shutil.copytree(self.folder / name, self.folder / 'out')


class Outputs:
    """What a whole run says, and the comparison with it."""

    def __init__(self, run, config='config.py', tables=TABLES):
        self.config, self.tables = config, tables
        said = run.run(config)
        assert said.is_done, said
        self.results = said.results
        self.lines = {}
        for table in tables:
            said = run.export(table)
            assert said.is_done, said
            self.lines[table] = said.lines()

    def reads(self, run, name='latest'):
        """What reads a run: what it is called, how it is asked, and whether it said what it should."""
        yield 'evaluate', lambda: run.evaluate(name), lambda said: said.results == self.results
        for table in self.tables:
            yield f'export {table}', lambda: run.export(table, name), lambda said: said.lines() == self.lines[table]

    def wrong_run(self, run, tally):
        """What is wrong about the repeated command. Refused once, it has to work when it is repeated."""
        for _ in range(2):
            said = run.run(self.config)
            if said.is_done:
                return [] if said.results == self.results else [f'run: OTHER FIGURES, {said}']
            if not said.is_refused:
                return [f'run: {said}']
            tally.note('run refused')
        return [f'run refuses for ever: {said}']

    def wrong_reads(self, run, restore, tally):
        """What is wrong about every way of reading, each from what `restore` brings back."""
        for name, ask, is_right in self.reads(run):
            restore()
            said = ask()
            if said.is_done and is_right(said):
                continue
            if not said.is_refused:
                yield f'{name}: OTHER FIGURES, {said}' if said.is_done else f'{name}: {said}'
                continue
            tally.note(f'{name} refused')
            # What every such message says: repeat the command. A broken tree of pages shows bit by bit.
            for _ in range(PATIENCE):
                wrong = self.wrong_run(run, tally)
                said, before = ask(), said
                if wrong or not said.is_refused:
                    break
            if wrong or not (said.is_done and is_right(said)):
                last = wrong[0] if wrong else f'OTHER FIGURES, {said}' if said.is_done else said
                yield f'{name} said {before}; after the command was repeated {last}'
