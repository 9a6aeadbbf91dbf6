"""A small page to click in: six variants, a comparison, and samples of every shape."""

from made_up_data import questions_page
from reference_page import ADDED, STRETCH

VARIANTS = [
    ('base', 0.62),
    ('short', 0.66),
    ('long', 0.61),
    ('spaced', 0.62),
    ('bad_order', 0.41),
    ('bad_labels', 0.33),
]


def small_page():
    """Six variants of two data sets, a comparison of them, failures, replies, a dialogue and odd tokens."""
    page = questions_page(120, 2, words=12, seed=7, variants=VARIANTS, vocabulary=300)
    page.title = 'Six wordings of two subjects'
    page.notes.append({'severity': 'note', 'message': 'all data on this page are made up'})
    for subject in range(2):
        page.comparisons.append(made_comparison(page, subject))
    odd_group(page)
    return page


def made_comparison(page, subject):
    own = [number for number, group in enumerate(page.groups) if group['dataset'] == f'subject_{subject:02}']
    figure = {one['group']: one for one in page.figures}
    members = [
        {
            'name': page.groups[number]['variant'],
            'group': number,
            **{key: figure[number][key] for key in ('value', 'low', 'high')},
            'more': [1.2 + number / 10, 2.1, 0.8 - number / 12, 61_250 + number],
        }
        for number in own
    ]
    pairs = []
    for left in range(len(own)):
        for right in range(left + 1, len(own)):
            value = members[left]['value'] - members[right]['value']
            half = 12.0
            is_real = abs(value) > half * 1.4
            words = (
                f"{members[left]['name']} {'beats' if value > 0 else 'loses to'} {members[right]['name']} by {abs(value):.1f} points"
                if is_real
                else f"no difference is shown between {members[left]['name']} and {members[right]['name']}"
            )
            pairs.append(
                {
                    'left': left,
                    'right': right,
                    'value': value,
                    'low': value - half,
                    'high': value + half,
                    'simultaneous_low': value - 1.4 * half,
                    'simultaneous_high': value + 1.4 * half,
                    'p': 0.003 if is_real else 0.02 if abs(value) > half else 0.4,
                    'p_adjusted': 0.045 if is_real else 1.0,
                    'gained': 14,
                    'lost': 5,
                    'is_real': is_real,
                    'verdict': words,
                }
            )
    return {
        'title': f'subject_{subject:02}: six wordings',
        'by': 'variant',
        'metric': 'accuracy',
        'unit': 'percent',
        'is_more_better': True,
        'members': members,
        'pairs': pairs,
        'verdict': 'Two wordings are worse than the others; the others cannot be told apart.',
        'columns': [
            {'title': 'nll of the gold answer', 'unit': 'nats'},
            {'title': 'nll of the prompt', 'unit': 'nats_per_token'},
            {'title': 'margin', 'unit': 'nats'},
            {'title': 'tokens', 'unit': 'tokens'},
        ],
        'notes': [
            'Best minus worst: 33.3 points (12.1 to 50.0). The smallest difference 60 samples could have shown with 80 % power: 17 points.'
        ],
    }


def odd_group(page):
    """Samples of every shape: failed, a reply with its answer, turns, tokens that are parts of characters, large numbers, no tokens."""
    pieces = page.pieces[0]
    page.group(key='odd', run=0, model=0, dataset='odd', mode='gen', rule=None)
    bos = pieces.number(0, b'<s>', ADDED)
    page.sample(
        0,
        ['failed'],
        {'gold': '4', 'prediction': None, 'error': 'the prompt is longer than the context', 'texts': []},
        'a failure',
        [None, None],
    )
    spelled = [
        pieces.number(700 + place, raw)
        for place, raw in enumerate(
            [
                'né '.encode(),
                '根'.encode()[:1],
                '根'.encode()[1:],
                '😀'.encode()[:2],
                '😀'.encode()[2:],
                b'\xff',
                b'\xfe\xfd',
                '\u202e\u200b'.encode(),
                b'\t\x1b[0m',
                b' end\r\n\n',
                b'a\nb',
            ]
        )
    ]
    raw = [None, 0.0004, 0.0005, 1.2345, 65.533, 65.534, 70.25, float('inf'), float('nan'), 3.0, 0.1, 12.5]
    system, user, bot = (
        page.style(section='begin', role='SYSTEM', kind='markup'),
        page.style(section='round', role='HUMAN', kind='field', column='question'),
        page.style(section='round', role='BOT', kind='template'),
    )
    mask = page.style(section='round', role='BOT', kind='mask', column='answer')
    segment = page.segment(None, 0, [bos, *spelled], raw, [(4, system), (10, user), (21, bot), (0, mask)])
    page.sample(
        1,
        ['right', 'warned'],
        {
            'gold': 'end',
            'prediction': 'end',
            'compared': ['end', 'end'],
            'scores': {'accuracy': 1},
            'texts': [
                {
                    'segment': segment,
                    'answer': [10, 12],
                    'reply': 'né: the answer is end, 根.',
                    'extracted': [19, 22],
                    'finish': 'stop',
                }
            ],
            'warnings': [{'severity': 'note', 'message': 'one example was dropped'}],
            'dropped_examples': 1,
            'columns': {'question': 'q', 'answer': ['a', 1]},
        },
        'parts of characters 根',
        [None, 1.5],
    )
    first = page.segment(None, 0, [bos, spelled[0]], [None, None], [(4, user)])
    second = page.segment(first, 0, [spelled[0], spelled[9]], [0.5, 1.5], [(4, bot), (7, user)])
    page.sample(
        2,
        ['wrong'],
        {
            'gold': 'x',
            'prediction': '["né", "end"]',
            'texts': [
                {'segment': first, 'turn': 0, 'reply': 'né', 'finish': 'stop', 'answer': [1, 2]},
                {'segment': second, 'turn': 1, 'reply': 'end', 'finish': 'length', 'answer': [3, 4]},
            ],
        },
        'a dialogue',
        [None, None],
    )
    plain = pieces.number(0, 'A text of which\nno tokens are known'.encode(), STRETCH)
    page.sample(
        3,
        [],
        {
            'gold': None,
            'prediction': None,
            'texts': [{'segment': page.segment(None, 0, [plain], [None], [(35, user)])}],
        },
        'no tokens',
        [None, None],
    )
    long = [pieces.number(900 + place % 50, f' word{place % 50}'.encode()) for place in range(9000)]
    segment = page.segment(
        None,
        0,
        long,
        [place % 12 / 3 for place in range(9000)],
        [(sum(len(f' word{place % 50}') for place in range(9000)), user)],
    )
    page.sample(
        4,
        ['right'],
        {'gold': 'long', 'prediction': 'long', 'texts': [{'segment': segment, 'score': 1.8, 'sum': 16500.0}]},
        'nine thousand tokens',
        [0.5, 0.5],
    )
