"""A page of a real run, from the tables that `surprisal export` writes.

Exported tokens are texts, of which parts of characters are lost; the shipped model's are whole. Sections of prompts are
asked of `surprisal view --json`.
"""

import json
import math
import pathlib
import subprocess

from reference_page import ADDED, TEXT, Page

COLUMNS = [
    ('margin', 'margin to the best other', 'nats'),
    ('score', 'score', ''),
    ('gold_nll', 'nll of the gold answer', 'nats'),
]


def export(program, folder, work, table):
    path = pathlib.Path(folder) / f'{table}.jsonl'
    if not path.exists():
        subprocess.run(
            [program, 'export', 'latest', '-w', work, '--table', table, '-o', path], check=True, capture_output=True
        )
    return [json.loads(line) for line in path.read_text().splitlines()]


def viewed(program, config, folder):
    """The pieces of every prompt, by data set, row and label."""
    path = pathlib.Path(folder) / 'view.json'
    if not path.exists():
        path.write_bytes(
            subprocess.run([program, 'view', config, '--all', '--json'], check=True, capture_output=True).stdout
        )
    found = {}
    for view in json.loads(path.read_text()):
        for prompt in view['prompts']:
            key = (view['dataset'], view['sample'], prompt['label'])
            found[key] = (prompt['pieces'], view['warnings'])
    return found


def wilson(share, trials):
    z = 1.959963984540054
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return 100 * (middle - half), 100 * (middle + half)


def exported_page(program, config, folder):
    """The page of `config`, whose run is made in `folder` unless it is there."""
    folder = pathlib.Path(folder)
    work = folder / 'outputs'
    if not work.exists():
        subprocess.run([program, 'run', config, '-w', work], check=True, capture_output=True)
    samples = export(program, folder, work, 'samples')
    candidates, tokens = {}, {}
    for line in export(program, folder, work, 'candidates'):
        candidates.setdefault((line['dataset'], line['row']), []).append(line)
    for line in export(program, folder, work, 'tokens'):
        tokens.setdefault((line['dataset'], line['row'], line['candidate']), []).append(line)
    pieces = viewed(program, config, folder)
    page = Page(
        f'{pathlib.Path(config).name} · pocket',
        [{'name': samples[0]['model'], 'dtype': 'f32', 'device': 'cpu'}],
        COLUMNS,
    )
    page.runs.append({'name': samples[0]['run'], 'config': str(config)})
    datasets = []
    for sample in samples:
        if sample['dataset'] not in datasets:
            datasets.append(sample['dataset'])
            begin_group(page, sample, [own for own in samples if own['dataset'] == sample['dataset']])
        add_sample(page, sample, candidates.get((sample['dataset'], sample['row']), []), tokens, pieces)
    return page, tokens


def begin_group(page, sample, own):
    is_choice = sample['dataset'].startswith('choices')
    number = page.group(
        key=sample['dataset'],
        run=0,
        model=0,
        dataset=sample['dataset'],
        mode=sample['mode'],
        rule='oc_ppl' if sample['mode'] == 'ppl' else None,
        rows_of='choices' if is_choice else sample['dataset'],
    )
    scores = [one['score_accuracy'] for one in own if one['score_accuracy'] is not None]
    share = sum(scores) / len(scores)
    low, high = wilson(share, len(scores))
    page.figures.append(
        {
            'group': number,
            'metric': 'accuracy',
            'unit': 'percent',
            'value': 100 * share,
            'low': low,
            'high': high,
            'samples': len(scores),
            'failed': len(own) - len(scores),
        }
    )


def styled(page, token_bytes, pieces):
    """Marks for a text that is spelled by tokens, from the pieces that `view` tells."""
    total = sum(token_bytes)
    marks = []
    for piece in pieces or []:
        about = {
            name: piece[name] for name in ('section', 'example', 'role', 'kind', 'column') if piece[name] is not None
        }
        marks.append([len(piece['text'].encode()), page.style(**about)])
    if sum(size for size, _ in marks) < total:
        marks.append([total - sum(size for size, _ in marks), 0])
    return marks


def cut(marks, size):
    """The marks of the first bytes and those of the rest."""
    before, rest = [], [list(mark) for mark in marks]
    while rest and (size > 0 or rest[0][0] == 0 and not before):
        own = min(size, rest[0][0])
        before.append((own, rest[0][1]))
        size -= own
        rest[0][0] -= own
        if rest[0][0] == 0:
            rest.pop(0)
    return before, rest


def add_sample(page, sample, candidates, tokens, pieces):
    dataset, row = sample['dataset'], sample['row']
    lists = []
    while (dataset, row, len(lists)) in tokens:
        lists.append(tokens[dataset, row, len(lists)])
    numbers = [
        [
            page.pieces[0].number(token['id'], token['text'].encode(), ADDED if token['text'] == '<|bos|>' else TEXT)
            for token in own
        ]
        for own in lists
    ]
    sizes = [[0 if token['text'] == '<|bos|>' else len(token['text'].encode()) for token in own] for own in lists]
    keys = [(dataset, row, own['label']) for own in candidates] or [(dataset, row, None)] * len(lists)
    all_marks = [styled(page, size, pieces.get(key, (None,))[0]) for size, key in zip(sizes, keys)]
    shared = 0
    if len(lists) > 1:
        short = min(map(len, lists))
        while (
            shared < short - 1
            and len({(own[shared], lists[place][shared]['nll_nats']) for place, own in enumerate(numbers)}) == 1
        ):
            shared += 1
    texts, parent = [], None
    for place, own in enumerate(lists):
        before, after = cut(all_marks[place], sum(sizes[place][:shared]))
        nats = [token['nll_nats'] for token in own]
        if shared and place == 0:
            parent = page.segment(None, 0, numbers[0][:shared], nats[:shared], before)
        segment = page.segment(parent, 0, numbers[place][shared:], nats[shared:], after)
        answer = [spot for spot, token in enumerate(own) if token['is_answer']]
        text = {'segment': segment}
        if answer:
            text['answer'] = [answer[0], answer[-1] + 1]
        if candidates:
            about = candidates[place]
            text |= {
                'label': about['label'],
                'score': about['score'],
                'sum': about['sum_nll_nats'],
                'answer_sum': about['answer_nll_nats'],
                'gold': about['is_gold'],
                'chosen': about['is_chosen'],
            }
        else:
            text['reply'] = ''.join(own[spot]['text'] for spot in answer if own[spot]['text'] != '<|eos|>')
            if len(lists) > 1:
                text['turn'] = place
            taken = sample['compared_prediction']
            at = text['reply'].rfind(taken) if taken else -1
            if at >= 0 and place == len(lists) - 1:
                start = len(text['reply'][:at].encode())
                text['extracted'] = [start, start + len(taken.encode())]
            text['finish'] = 'stop'
        texts.append(text)
    warnings = pieces.get(keys[0], (None, []))[1] if keys else []
    body = {
        'gold': sample['gold'],
        'prediction': sample['prediction'],
        'compared': [sample['compared_gold'], sample['compared_prediction']],
        'scores': {'accuracy': sample['score_accuracy']},
        'texts': texts,
        'columns': json.loads(sample['columns']),
    }
    if sample['error']:
        body['error'] = sample['error']
    if warnings:
        body['warnings'] = warnings
    score = sample['score_accuracy']
    flags = ['failed'] if score is None else ['right' if score == 1 else 'wrong']
    flags += ['warned'] if warnings else []
    gold = [own['score'] for own in candidates if own['is_gold']]
    other = [own['score'] for own in candidates if not own['is_gold']]
    margin = min(other) - gold[0] if gold and other else None
    if margin is not None and abs(margin) < 1e-3:
        flags.append('near_tie')
    answers = [own['answer_nll_nats'] for own in candidates if own['is_gold']]
    text = json.loads(sample['columns']).get('question') or sample['prompt'] or ''
    page.sample(
        row,
        flags,
        body,
        text if isinstance(text, str) else json.dumps(text),
        [margin, score, answers[0] if answers else None],
    )
