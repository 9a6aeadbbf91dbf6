#!/usr/bin/env python3
"""Many processes at once on one folder: each gives what it gives alone, and every question is asked once.

    tests/store/sixteen_processes.py [PROCESSES]      16 without it

Half of them run one config, the others configs that share part of its questions: another metric, another name, one
more template, one more data set, corrected golds. Rounds: in an empty folder; in a folder whose database refuses a
second answer to a question; with `--fresh` in a folder that is full; with processes that are killed.
"""
import json
import pathlib
import random
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from itertools import permutations

import program
from tally import Tally

ROUNDS = 8
FRESH = 2
ROWS = 40
FINISHED = 1

CHOICES = '''dict(abbr={abbr!r}, path={path!r},
    reader_cfg=dict(input_columns=['question', 'A', 'B', 'C', 'D'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={{label: '{before}{{question}}\\nA. {{A}}\\nB. {{B}}\\n'
            'C. {{C}}\\nD. {{D}}\\nAnswer: ' + label for label in ['A', 'B', 'C', 'D']}}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type={metric!r})))'''
SUMS = '''dict(abbr={abbr!r}, path={path!r},
    reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='12+13=?\\n25\\n{{question}}\\n'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer', max_out_len=4)),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))'''


def config(*datasets):
    model = program.REPOSITORY / 'models/pocket'
    text = f"dict(type='HuggingFaceCausalLM', abbr='pocket', path={str(model)!r}, max_seq_len=512)"
    return f'datasets = [{", ".join(datasets)}]\nmodels = [{text}]\n'


def choices(abbr='choices', path='choices.jsonl', before='Question: ', metric='AccEvaluator'):
    return CHOICES.format(abbr=abbr, path=path, before=before, metric=metric)


def sums(abbr='sums', path='sums.jsonl'):
    return SUMS.format(abbr=abbr, path=path)


CONFIGS = {
    'usual': config(choices(), sums()),
    'metric': config(choices(metric='AccwithDetailsEvaluator'), sums()),
    'name': config(choices('others'), sums()),
    'template': config(choices(), sums(), choices('asked', before='Q: ')),
    'data': config(choices(), sums(), sums('more', 'more.jsonl')),
    'golds': config(choices(path='golds.jsonl'), sums()),
}
# Those that ask something of their own; the others ask what `usual` asks.
ASKING = ['usual', 'template', 'data']


def write_inputs(folder):
    for name, text in CONFIGS.items():
        (folder / f'{name}.py').write_text(text)
    shipped = program.REPOSITORY / 'configs/datasets'
    for name in ['choices', 'sums']:
        lines = (shipped / name / 'test.jsonl').read_text().splitlines(keepends=True)
        (folder / f'{name}.jsonl').write_text(''.join(lines[:ROWS]))
        if name == 'sums':
            (folder / 'more.jsonl').write_text(''.join(lines[ROWS:2 * ROWS]))
            continue
        corrected = [json.loads(line) for line in lines[:ROWS]]
        for row in corrected[::7]:
            row['answer'] = 'ABCD'['BCDA'.index(row['answer'])]
        (folder / 'golds.jsonl').write_text(''.join(f'{json.dumps(row)}\n' for row in corrected))


def command(name, work, *more):
    return ['run', f'{name}.py', '-w', work, '--device', 'cpu', '--threads', '1', '--json', *more]


def tokens(said):
    return said.outcome['work']['computed_tokens']


class Alone:
    """What each config gives alone, and some of them one after another."""

    def __init__(self, folder):
        self.folder = folder
        self.results, self.questions = {}, {}
        for name in CONFIGS:
            said = program.run(command(name, f'alone-{name}'), folder)
            assert said.is_done, said
            self.results[name] = said.results
            self.questions[name] = questions(folder / f'alone-{name}')
        assert self.results['usual'] != self.results['golds'], 'corrected golds do not show in the figures'
        self.sums_in_order = {}

    def all_questions(self, names):
        return set().union(*(self.questions[name] for name in names))

    def sums(self, names):
        """The tokens that these compute together. Whoever claims questions first computes the prefixes that they share
        with those of others, so the sum depends on the order."""
        asking = {name if name in ASKING else 'usual' for name in names}
        for order in permutations(sorted(asking)):
            if order not in self.sums_in_order:
                work = f'order-{"-".join(order)}'
                self.sums_in_order[order] = sum(tokens(program.run(command(name, work), self.folder)) for name in order)
        return {self.sums_in_order[order] for order in permutations(sorted(asking))}


def questions(work):
    with closing(sqlite3.connect(work / 'surprisal.db')) as connection:
        return {key for (key,) in connection.execute('SELECT question FROM answer')}


def database_failures(work, alone, names, before=frozenset(), fresh=0, is_killed=False):
    """What is wrong in the database afterwards; `before` are questions of one other run, and so many
    processes began anew at once, of which the last one's run counts."""
    failures = []
    expected = alone.all_questions(names) | before
    if questions(work) != expected:
        failures.append(f'{len(questions(work))} answers instead of {len(expected)}')
    with closing(sqlite3.connect(work / 'surprisal.db')) as connection:
        [(state,)] = connection.execute('PRAGMA integrity_check').fetchall()
        if state != 'ok':
            failures.append(f'integrity: {state}')
        finished = connection.execute(f'SELECT count(*), count(DISTINCT work) FROM run WHERE state = {FINISHED}').fetchone()
        runs = len(set(names)) + bool(before)
        if finished[1] != runs or not runs <= finished[0] < runs + max(fresh, 1):
            failures.append(f'{finished[0]} finished runs of {finished[1]} works instead of {runs}')
        wrong = connection.execute('''SELECT unit.id FROM unit JOIN run ON run.id = unit.run WHERE run.state = ? AND samples !=
            (SELECT count(*) FROM sample WHERE sample.unit = unit.id)''', [FINISHED]).fetchall()
        if wrong:
            failures.append(f'units {wrong} have not the samples that they should')
        for table in ['claim', 'owner']:
            [(left,)] = connection.execute(f'SELECT count(*) FROM {table}').fetchall()
            if left and not is_killed:
                failures.append(f'{left} rows of {table} are left')
    return failures


def said_failures(name, said, alone):
    if not said.is_done:
        return [f'{name}: {said}']
    failures = [f'{name}: OTHER FIGURES'] if said.results != alone.results[name] else []
    return failures + [f'{name}: {word} in {said}' for word in ['locked', 'panicked'] if word in said.err]


def watch(work):
    """A folder whose database refuses a second answer to a question."""
    connection = sqlite3.connect(work / 'surprisal.db')
    with closing(connection), connection:
        connection.execute('''CREATE TRIGGER once BEFORE INSERT ON answer
            WHEN EXISTS(SELECT 1 FROM answer WHERE question = NEW.question)
            BEGIN SELECT RAISE(ABORT, 'a question was asked twice'); END''')
    return questions(work)


def shuffled(processes, chance):
    others = [name for name in CONFIGS if name != 'usual']
    first = chance.randrange(len(others))
    names = ['usual' if place % 2 == 0 else others[(first + place // 2) % len(others)] for place in range(processes)]
    chance.shuffle(names)
    return names


def start_all(folder, work, names, more):
    return [program.start(command(name, work, *more(place)), folder) for place, name in enumerate(names)]


def try_together(folder, work, names, alone, before=frozenset()):
    said = [program.Said(process) for process in start_all(folder, work, names, lambda _: [])]
    failures = [failure for name, own in zip(names, said) for failure in said_failures(name, own, alone)]
    total, sums = sum(tokens(own) for own in said if own.is_done), alone.sums(names)
    if total not in sums:
        failures.append(f'{total} tokens computed; one after another it is one of {sorted(sums)}')
    return failures + database_failures(folder / work, alone, names, before)


def try_fresh(folder, work, names, alone):
    """Some ask everything again, in the folder that is full."""
    said = [program.Said(process) for process in
            start_all(folder, work, names, lambda place: ['--fresh'] if place < FRESH else [])]
    failures = [failure for name, own in zip(names, said) for failure in said_failures(name, own, alone)]
    if sum(map(tokens, said)) == 0:
        failures.append('--fresh computed nothing')
    return failures + database_failures(folder / work, alone, names, fresh=FRESH)


def try_kills(folder, work, names, alone, chance):
    processes = start_all(folder, work, names, lambda _: [])
    killed = chance.sample(range(len(names)), chance.choice([1, max(1, len(names) // 4), len(names) // 2]))
    failures, hit = [], 0
    for place in killed:
        time.sleep(chance.uniform(0, 0.2))
        # One that has ended by now cannot be hit any more.
        hit += processes[place].poll() is None
        processes[place].kill()
    for place, (name, process) in enumerate(zip(names, processes)):
        said = program.Said(process)
        if place not in killed:
            failures += said_failures(name, said, alone)
    for place in killed:
        failures += said_failures(names[place], program.run(command(names[place], work), folder), alone)
    return hit, failures + database_failures(folder / work, alone, names, is_killed=True)


def main():
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    tally = Tally('sixteen_processes')
    chance = random.Random(0x5eed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_inputs(folder)
        alone = Alone(folder)
        for number in range(ROUNDS if processes >= 16 else 1):
            names = shuffled(processes, chance)
            tally.record(f'round {number}, together', try_together(folder, f'empty-{number}', names, alone))
            tally.record(f'round {number}, fresh', try_fresh(folder, f'empty-{number}', names, alone))
            names = shuffled(processes, chance)
            # Made by a run that asks nothing the others ask.
            program.run(['run', program.REPOSITORY / 'configs/demo.py', '--dataset', 'rewriting', '--limit', '1',
                         '--device', 'cpu', '-w', folder / f'watched-{number}'], program.REPOSITORY)
            before = watch(folder / f'watched-{number}')
            failures = try_together(folder, f'watched-{number}', names, alone, before)
            tally.record(f'round {number}, each question once', failures)
            names = shuffled(processes, chance)
            hit, failures = try_kills(folder, f'killed-{number}', names, alone, chance)
            for _ in range(hit):
                tally.note('processes killed while they ran')
            tally.record(f'round {number}, killed', failures)
    tally.end()


if __name__ == '__main__':
    main()
