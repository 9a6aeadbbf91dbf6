#!/usr/bin/env python3
"""Writes tests/fixtures/page/reference.json: values of a small page, and what the reference puts into the file.

    python3 tests/page/fixture.py

The test `page::reference` of the library makes the same page in Rust and compares. To be run again when FORMAT.md changes.
"""

import base64
import hashlib
import json
import math
import pathlib
import re
import zlib

from coding import DIGITS, PYTHON_DIGITS
from reference_page import Page, image_tokens

HERE = pathlib.Path(__file__).resolve()
FILE = HERE.parents[1] / 'fixtures/page/reference.json'
TO_PYTHON_DIGITS = bytes.maketrans(DIGITS, PYTHON_DIGITS)

# Pieces of each model as (kind, id, bytes); by falling frequency, as FORMAT.md numbers them.
WORDS = [(0, 700 + place, f' word{place}'.encode()) for place in range(300)]
ODD = [
    (1, 1, b'<s>'),
    (0, 5, 'né '.encode()),
    (0, 6, '根'.encode()[:1]),
    (0, 7, '根'.encode()[1:]),
    (0, 8, b'\xff\x00'),
    (0, 8, b'</script>'),
    (2, 0, 'a text\nof which no tokens are known'.encode()),
    (3, 1, image_tokens(576, 580)),
]
# After so many tokens the longest text repeats itself.
CYCLE = 900

NATS = [None, 0.0004, 0.0005, 1.2345, 65.533, 65.534, 70.25, math.inf, math.nan, 3.0, 0.25, 12.5]


def values():
    """A page as plain values: numbers of pieces are places in `pieces`, those of segments places in `segments`."""
    segments = []

    def segment(parent, model, tokens, marks=()):
        segments.append({'parent': parent, 'model': model, 'tokens': tokens, 'marks': [list(own) for own in marks]})
        return len(segments) - 1

    def odd(place):
        return {'model': 0, 'odd': place}

    bos, ne, gen, parts, bad, tag, stretch, image = range(len(ODD))
    first = segment(None, 0, [[odd(bos), None], [odd(ne), 0.5]], [(2, 1), (1, 2)])
    candidates = [
        segment(first, 0, [[odd(gen), NATS[place]], [odd(parts), NATS[place + 1]], [odd(tag), 2.0]], [(3, 2), (0, 3), (9, 0)])
        for place in range(0, 10, 2)
    ]
    plain = segment(None, 0, [[odd(stretch), None]])
    # More tokens than a block holds, of more pieces than a byte counts.
    long = [segment(None, 1, [[{'model': 1, 'word': (7 * place) % 300}, place % 90 * 0.75] for place in range(17_000)])]
    long.append(segment(long[0], 1, [[{'model': 1, 'word': 0}, NATS[6]]]))
    bad_bytes = segment(candidates[0], 0, [[odd(bad), 0.125], [odd(image), None]])
    note = {'severity': 'note', 'message': 'all of <this> is made up & {{title}}'}
    samples = [
        {
            'row': row,
            'flags': flags,
            'gold': gold,
            'prediction': prediction,
            'line': line,
            'figures': figures,
            **more,
        }
        for row, flags, gold, prediction, line, figures, more in [
            (
                0,
                ['right', 'near_tie'],
                'B',
                'B',
                'which of 根 \t\n is </script>?',
                [0.25, None],
                {
                    'compared': ['B', None],
                    'scores': {'accuracy': 1.0, 'other': None},
                    'dropped_examples': 2,
                    'truncated_tokens': 3,
                    'facts': {'examples': '2, 1 dropped', 'masked': 'nothing'},
                    'columns': {'question': 'q', 'list': [1, None, {'a': 'b'}]},
                    'texts': [
                        {
                            'segment': own,
                            'label': 'ABCDE'[place],
                            'gold': place == 1 or None,
                            'chosen': place == 1 or None,
                            'score': 1.25 + place,
                            'sum': 2.5,
                            'answer_sum': 0.5 if place else None,
                            'answer': [2, 5],
                            'cut': [1, 2] if place == 3 else None,
                            'normalizer': first if place == 4 else None,
                        }
                        for place, own in enumerate(candidates)
                    ]
                    + [{'segment': candidates[0], 'label': 'A', 'asked_as': 'moved on by one', 'sum': 1.5}],
                },
            ),
            (3, ['failed', 'warned'], '4', None, 'a failure', [None, None], {'error': 'too "long"', 'warnings': [note], 'texts': []}),
            (
                0,
                [],
                None,
                'x' * 80 + '根',
                '根' * 80,
                [1.5, -2.0],
                {
                    'texts': [
                        {'segment': plain, 'turn': 0, 'reply': 'it is 根', 'extracted': [6, 9], 'finish': 'stop'},
                        {'segment': bad_bytes, 'turn': 1, 'reply': '', 'finish': 'length'},
                    ]
                },
            ),
            (1, ['wrong', 'tie'], '', '', '', [0.0, 0.5], {'texts': [{'segment': long[1], 'sum': 16.5}]}),
        ]
    ]
    samples += [
        {'row': row, 'flags': ['right'], 'gold': 'a', 'prediction': 'a', 'line': f'row {row}', 'figures': [row / 8, None],
         'texts': [{'segment': long[0]}]}
        for row in range(2, 200)
    ]
    pair = {'left': 0, 'right': 1, 'value': -3.5, 'low': -7.0, 'high': 0.0, 'p': 0.05, 'gained': 1, 'lost': 4, 'is_real': False}
    return {
        'title': 'Six <wordings> & "one" \'quote\'\n{{script}}',
        'is_of_prompts': True,
        'notes': [note],
        'runs': [
            {'name': '20260101_120000', 'started': '2026-01-01T12:00:00', 'seconds': 1.5, 'asked_tokens': 9, 'computed_tokens': 4,
             'reused_tokens': 5}
        ],
        'models': [{'name': 'pocket', 'dtype': 'f32', 'device': 'cpu'}, {'name': 'other'}],
        'groups': [
            {'key': 'a', 'run': 0, 'model': 0, 'dataset': 'choices', 'variant': 'short', 'mode': 'ppl', 'rule': 'oc_ppl', 'rows_of': 'choices',
             'samples': 2},
            {'key': 'b', 'run': 0, 'model': 1, 'dataset': 'sums', 'mode': 'gen', 'samples': len(samples) - 2},
        ],
        'figures': [
            {'group': 0, 'metric': 'accuracy', 'unit': 'percent', 'value': 50.0, 'low': 12.5, 'high': 87.5, 'samples': 1, 'failed': 1},
            {'group': 1, 'metric': 'accuracy', 'unit': 'percent', 'value': None, 'samples': 0, 'failed': 0},
        ],
        'comparisons': [
            {
                'title': 'choices',
                'by': 'variant',
                'metric': 'accuracy',
                'unit': 'percent',
                'is_more_better': True,
                'verdict': 'none',
                'notes': ['few'],
                'members': [{'name': name, 'group': place, 'value': 50.0, 'more': [1.5, None]} for place, name in enumerate('ab')],
                'columns': [{'title': 'margin', 'unit': 'nats'}, {'title': 'tokens', 'unit': 'tokens'}],
                'pairs': [pair],
            }
        ],
        'styles': [
            {'section': 'begin', 'role': 'SYSTEM', 'kind': 'markup'},
            {'section': 'ice', 'example': 0, 'kind': 'field', 'column': 'q'},
            {'section': 'round', 'role': 'BOT', 'kind': 'mask', 'column': 'answer'},
        ],
        'columns': [{'name': 'margin', 'title': 'the margin', 'unit': 'nats'}, {'name': 'more', 'title': 'more', 'unit': ''}],
        'segments': segments,
        'samples': samples,
        'pictures': [
            {'name': 'gone </script>.png', 'width': 1, 'height': 2, 'missing': 'it is gone'},
            {'name': 'cat.png', 'width': 448, 'height': 336, 'type': 'image/png', 'file': b'\x89PNG\r\n'.hex()},
            {'name': 'dog.jpg', 'width': 640, 'height': 480, 'type': 'image/jpeg', 'file': b'\xff\xd8'.hex()},
        ],
    }


def numbered(own):
    """Numbers the pieces by falling frequency, ties by kind, id and bytes, and writes those numbers into the segments."""
    known = [ODD, WORDS]
    uses = [{}, {}]
    for segment in own['segments']:
        for token in segment['tokens']:
            about = token[0]
            token[0] = known[about['model']][about['odd' if 'odd' in about else 'word']]
            counts = uses[segment['model']]
            counts[token[0]] = counts.get(token[0], 0) + 1
    orders = [sorted(counts, key=lambda piece: (-counts[piece], piece)) for counts in uses]
    for segment in own['segments']:
        for token in segment['tokens']:
            token[0] = orders[segment['model']].index(token[0])
    own['pieces'] = [[[kind, number, raw.hex()] for kind, number, raw in order] for order in orders]
    return own


def page_of(own):
    page = Page(own['title'], own['models'], [(one['name'], one['title'], one['unit']) for one in own['columns']])
    for place, pieces in enumerate(own['pieces']):
        for kind, number, raw in pieces:
            page.pieces[place].number(number, bytes.fromhex(raw), kind)
    for name in ('is_of_prompts', 'notes', 'runs', 'figures', 'comparisons'):
        setattr(page, name, own[name])
    page.styles += own['styles']
    for picture in own['pictures']:
        about = dict(picture)
        file = about.pop('file', None)
        page.picture(about, file and bytes.fromhex(file))
    for segment in own['segments']:
        page.segment(
            segment['parent'],
            segment['model'],
            [piece for piece, _ in segment['tokens']],
            [nats for _, nats in segment['tokens']],
            segment['marks'],
        )
    samples = iter(own['samples'])
    for group in own['groups']:
        page.group(**{name: value for name, value in group.items() if name != 'samples'})
        for _ in range(group['samples']):
            sample = dict(next(samples))
            known = [{name: value for name, value in text.items() if value is not None} for text in sample['texts']]
            sample['texts'] = known
            row, flags, line, figures = (sample.pop(name) for name in ('row', 'flags', 'line', 'figures'))
            page.sample(row, flags, sample, line, figures)
    return page


def decoded(html):
    """The data of a page: the summary, and the bytes of columns and blocks."""

    def unpacked(line):
        return zlib.decompress(base64.b85decode(line.encode().translate(TO_PYTHON_DIGITS))).hex()

    def element(name):
        return re.search(rf'id="{name}">(.*?)</script>', html, re.DOTALL).group(1)

    blocks = re.findall(r'id="blocks-\d+">(.*?)</script>', html, re.DOTALL)
    return {
        'summary': json.loads(element('summary')),
        'columns': [unpacked(line) for line in element('index').split('\n')],
        'blocks': [unpacked(line) for line in '\n'.join(blocks).split('\n')],
    }


def named(nats):
    """Numbers that JSON has not, as texts."""
    return nats if nats is None or math.isfinite(nats) else str(nats)


def main():
    own = numbered(values())
    wanted = decoded(page_of(own).bytes().decode())
    for segment in own['segments']:
        tokens = [[piece, named(nats)] for piece, nats in segment.pop('tokens')]
        segment |= {'cycle': tokens[:CYCLE], 'length': len(tokens)}
    # Bodies as values, because programs differ in how they write numbers; of what is long a hash.
    layout = wanted['summary']['blocks']
    bodies = range(layout['first_body'], layout['first_segment'])
    lines = [line for number in bodies for line in bytes.fromhex(wanted['blocks'][number]).decode().split('\n')]
    wanted['bodies'] = [json.loads(line) for line in lines]
    wanted['blocks'] = ['' if number in bodies else raw for number, raw in enumerate(wanted['blocks'])]
    wanted['blocks'] = [raw if len(raw) < 4096 else hashlib.sha256(bytes.fromhex(raw)).hexdigest() for raw in wanted['blocks']]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps({'values': own, 'wanted': wanted}, ensure_ascii=False, separators=(',', ':'), allow_nan=False) + '\n')
    print(f'{FILE}: {FILE.stat().st_size} bytes')


main()
