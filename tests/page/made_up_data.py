"""Pages of seeded made-up questions, on which sizes are measured."""

import array
import math
import random

from reference_page import ADDED, Page

LETTERS = 'ABCDEFGHIJ'
SYLLABLES = [
    'ba',
    'con',
    'de',
    'el',
    'fi',
    'gra',
    'he',
    'in',
    'ju',
    'ka',
    'li',
    'mo',
    'na',
    'or',
    'per',
    'qui',
    'ra',
    'ser',
    'ti',
    'un',
    'va',
    'wi',
    'xe',
    'yo',
    'zu',
    'st',
    'th',
    'tion',
    'ment',
    'al',
    'ous',
    'ing',
    'ly',
    'er',
]


class Vocabulary:
    """Words by how common they are, as natural texts have them: the n-th is 1/n as common as the first."""

    def __init__(self, chance, pieces, size):
        words = set()
        while len(words) < size:
            words.add(''.join(chance.choice(SYLLABLES) for _ in range(chance.choice([1, 1, 2, 2, 3, 4]))))
        self.words = [f' {word}' for word in sorted(words, key=lambda word: (len(word), word))]
        self.pieces = [pieces.number(1000 + place, word.encode()) for place, word in enumerate(self.words)]
        total, self.weights = 0, []
        for place in range(size):
            total += 1 / (place + 2.7)
            self.weights.append(total)

    def draw(self, chance, count):
        return chance.choices(range(len(self.words)), cum_weights=self.weights, k=count)


def surprisal(chance):
    """A number as models give them: half of all tokens are expected, a few come out of the blue."""
    return chance.expovariate(14) if chance.random() < 0.4 else min(30.0, chance.gammavariate(1.4, 2.0))


class Thousandths:
    """Many surprisals at once, as the bytes that the page holds."""

    def __init__(self, chance, count):
        self.values = array.array('H', (int(surprisal(chance) * 1000 + 0.5) for _ in range(count)))
        self.raw, self.chance = self.values.tobytes(), chance

    def take(self, count):
        start = self.chance.randrange(len(self.values) - count)
        return self.raw[2 * start : 2 * (start + count)]


def questions_page(
    rows, subjects, words=100, seed=1, variants=(('', 0.6),), vocabulary=30_000, fresh=True, most_bytes=72
):
    """`rows` questions with four candidates each, five examples for each of `subjects`."""
    chance = random.Random(seed)
    page = Page(
        f'{rows} questions',
        [{'name': 'made-up-7b', 'dtype': 'bf16', 'device': 'cpu'}],
        [('margin', 'margin to the best other', 'nats'), ('score', 'oc_ppl of the gold', 'nats/token')],
    )
    page.runs.append(
        {
            'name': 'made_up',
            'started': '2026-01-01 12:00',
            'seconds': 5400,
            'machine': '2 cores',
            'config': 'configs/made_up.py',
            'asked_tokens': 39_300_000,
            'computed_tokens': 1_600_000,
            'reused_tokens': 0,
        }
    )
    pieces = page.pieces[0]
    fixed = {
        text: pieces.number(number, text.encode())
        for number, text in enumerate(
            ['\n', '.', ' A', ' B', ' C', ' D', 'A', 'B', 'C', 'D', 'Question', ':', 'Answer', '?'], 10
        )
    }
    bos = pieces.number(0, b'<s>', ADDED)
    vocabulary = Vocabulary(chance, pieces, vocabulary)
    style = {
        name: page.style(section=section, kind=kind, **more)
        for name, section, kind, more in [
            ('template', 'round', 'template', {}),
            ('field', 'round', 'field', {'column': 'question'}),
            ('begin', 'begin', 'template', {}),
            ('answer', 'round', 'field', {'column': 'answer'}),
        ]
    }
    pool = Thousandths(chance, 50_000)
    nats = (
        (lambda count: array.array('H', (int(surprisal(chance) * 1000 + 0.5) for _ in range(count))).tobytes())
        if fresh
        else pool.take
    )
    for variant, skill in variants:
        for subject in range(subjects):
            name = f'subject_{subject:02}'
            own = range(rows * subject // subjects, rows * (subject + 1) // subjects)
            number = page.group(
                key=f'{name}@{variant}' if variant else name,
                run=0,
                model=0,
                dataset=name,
                mode='ppl',
                rule='oc_ppl',
                rows_of=name,
                **({'variant': variant} if variant else {}),
            )
            examples, marks = [bos], []
            for shot in range(5):
                drawn = vocabulary.draw(chance, words)
                length = sum(len(vocabulary.words[word]) for word in drawn)
                examples += [
                    fixed['Question'],
                    fixed[':'],
                    *(vocabulary.pieces[word] for word in drawn),
                    fixed['\n'],
                    fixed['Answer'],
                    fixed[':'],
                    fixed[' A'],
                    fixed['\n'],
                ]
                ice = {'section': 'ice', 'example': shot}
                marks += [
                    (9, page.style(**ice, kind='template')),
                    (length, page.style(**ice, kind='field', column='question')),
                    (11, page.style(**ice, kind='template')),
                ]
            parent = page.segment(None, 0, examples, b'\xff\xff' + nats(len(examples) - 1), marks)
            right = sum(
                add_question(
                    page,
                    chance,
                    row - own[0],
                    parent,
                    len(examples),
                    vocabulary,
                    fixed,
                    style,
                    nats,
                    words,
                    skill,
                    most_bytes,
                )
                for row in own
            )
            share = right / len(own)
            error = math.sqrt(share * (1 - share) / len(own))
            page.figures.append(
                {
                    'group': number,
                    'metric': 'accuracy',
                    'unit': 'percent',
                    'value': 100 * share,
                    'low': max(0, 100 * (share - 1.96 * error)),
                    'high': min(100, 100 * (share + 1.96 * error)),
                    'samples': len(own),
                    'failed': 0,
                }
            )
    return page


def add_question(page, chance, row, parent, before, vocabulary, fixed, style, nats, words, skill, most_bytes):
    drawn = vocabulary.draw(chance, max(4, int(chance.gauss(words, words / 4))))
    text = ''.join(vocabulary.words[word] for word in drawn)
    ids = [
        fixed['Question'],
        fixed[':'],
        *(vocabulary.pieces[word] for word in drawn),
        fixed['\n'],
        fixed['Answer'],
        fixed[':'],
    ]
    shared = page.segment(
        parent, 0, ids, nats(len(ids)), [(9, style['template']), (len(text), style['field']), (8, style['template'])]
    )
    gold, total = chance.randrange(4), before + len(ids)
    chosen = gold if chance.random() < skill else chance.choice([other for other in range(4) if other != gold])
    own = [surprisal(chance) + (0 if letter == chosen else 2) for letter in range(4)]
    base = chance.gauss(1.9, 0.2) * total
    texts = []
    for letter in range(4):
        segment = page.segment(shared, 0, [fixed[f' {LETTERS[letter]}']], [own[letter]], [(2, style['answer'])])
        texts.append(
            {
                'label': LETTERS[letter],
                'segment': segment,
                'score': round((base + own[letter]) / (total + 1), 5),
                'sum': round(base + own[letter], 4),
                'answer': [total, total + 1],
                'gold': letter == gold,
                'chosen': letter == chosen,
            }
        )
    margin = min(own[:gold] + own[gold + 1 :]) - own[gold]
    flags = ['right' if chosen == gold else 'wrong'] + (['near_tie'] if abs(margin) < 0.05 else [])
    flags += (['warned'] if row % 97 == 5 else []) + (['flipped'] if chance.random() < 0.1 else [])
    body = {'gold': LETTERS[gold], 'prediction': LETTERS[chosen], 'texts': texts}
    if row % 97 == 5:
        body['warnings'] = [{'severity': 'warning', 'message': 'the answer ends in a space that the model never saw'}]
    page.sample(row, flags, body, text.strip(), [margin, texts[gold]['score']], most_bytes)
    return chosen == gold
