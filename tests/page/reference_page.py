"""Writes a page of `surprisal report` from values, as src/report/page/FORMAT.md says: the reference for the program's own writer.

A page is made once by `Page`: groups in order, of each its samples in order, and before a sample is added the segments
of its texts. Nothing here depends on time, machine or hash order, so equal values give equal bytes.
"""

import base64
import hashlib
import html
import json
import pathlib
import struct
from coding import (
    LARGE,
    SPLIT_SURPRISALS,
    one_line,
    packed,
    part,
    planes,
    split_number,
    streams,
    text_columns,
    thousandths,
    varint,
)

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'src/report/page'

FORMAT = 1
BLOCKS_PER_ELEMENT = 64
SAMPLES_PER_BLOCK = 128
SEGMENT_BLOCK_TOKENS = 16_384


# Bits of the column `flags`.
FLAGS = {'right': 1, 'wrong': 2, 'failed': 4, 'tie': 8, 'near_tie': 16, 'warned': 32, 'flipped': 64}

# Kinds of pieces.
TEXT, ADDED, STRETCH, IMAGE = 0, 1, 2, 3


def image_tokens(rows, tokens):
    """The bytes of an image's piece: how many rows it has, and how many tokens it takes."""
    return varint(rows) + varint(tokens)


class Pieces:
    """What tokens of a model there are: id, kind, bytes. Common ones should come first."""

    def __init__(self):
        self.numbers, self.encoded = {}, []

    def number(self, token_id, raw, kind=TEXT):
        key = (token_id, kind, raw)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.encoded.append(split_number(self.numbers[key]))
        return self.numbers[key]

    def block(self):
        keys = list(self.numbers)
        return b''.join(
            [
                part(b''.join(varint(token_id) for token_id, _, _ in keys)),
                part(bytes(kind for _, kind, _ in keys)),
                part(b''.join(varint(len(raw)) for _, _, raw in keys)),
                part(b''.join(raw for _, _, raw in keys)),
            ]
        )


class Page:
    """A page under way."""

    def __init__(self, title, models, columns=()):
        """`columns`: more figures of a sample to sort by, as (name, title, unit)."""
        self.title, self.models = title, models
        self.pieces = [Pieces() for _ in models]
        self.runs, self.groups, self.figures, self.comparisons, self.notes = [], [], [], [], []
        self.styles = [{}]
        self.figure_columns = list(columns)
        self.rows, self.flags, self.golds, self.predictions, self.texts = [], [], [], [], []
        self.figures_of_samples = [[] for _ in columns]
        self.bodies, self.body_lines = [], []
        self.segment_blocks, self.segment_starts, self.segments = [], [], 0
        self.begin_segments()
        self.pictures, self.picture_blocks = [], []
        self.is_text_cut = False
        self.is_of_prompts = False

    # Segments.

    def begin_segments(self):
        self.shapes, self.tokens, self.surprisals = [], [], []
        self.marks, self.large, self.block_tokens = [], [], 0

    def end_segments(self):
        if not self.shapes:
            return
        values = memoryview(b''.join(self.surprisals)).cast('H')
        surprisals = [SPLIT_SURPRISALS[value] for value in values]
        block = [
            b''.join(self.shapes),
            *streams(self.tokens),
            *streams(surprisals),
            b''.join(self.marks),
            struct.pack(f'<{len(self.large)}f', *self.large),
        ]
        self.segment_blocks.append(b''.join(map(part, block)))
        self.begin_segments()

    def segment(self, parent, model, pieces, surprisals, marks):
        """Adds a stretch of tokens after `parent` (a number, or none) and gives its number. `surprisals` are nats or
        None, or the bytes of thousandths, little-endian; `marks` are (bytes, style)."""
        if not self.shapes:
            self.segment_starts.append(self.segments)
        back = 0 if parent is None else self.segments - parent
        self.shapes.append(varint(back) + varint(len(pieces)) + varint(len(marks)))
        encoded = self.pieces[model].encoded
        self.tokens += map(encoded.__getitem__, pieces)
        if not isinstance(surprisals, bytes):
            values = [thousandths(nats) for nats in surprisals]
            self.large += [nats for nats, value in zip(surprisals, values) if value == LARGE]
            surprisals = struct.pack(f'<{len(values)}H', *values)
        self.surprisals.append(surprisals)
        self.marks += [varint(size) + varint(style) for size, style in marks]
        self.segments += 1
        self.block_tokens += len(pieces)
        if self.block_tokens >= SEGMENT_BLOCK_TOKENS:
            self.end_segments()
            self.block_tokens = 0
        return self.segments - 1

    def style(self, **about):
        if about not in self.styles:
            self.styles.append(about)
        return self.styles.index(about)

    def picture(self, about, file=None):
        """Adds an image by its name and size, and the bytes of its picture or, in `about`, what is missing; gives its number."""
        if file is not None:
            about = {**about, 'block': len(self.picture_blocks)}
            self.picture_blocks.append(file)
        self.pictures.append(about)
        return len(self.pictures) - 1

    # Samples.

    def group(self, **about):
        """Begins the samples of one data set (and variant) under one model in one run."""
        self.groups.append({**about, 'first': len(self.rows), 'samples': 0})
        return len(self.groups) - 1

    def sample(self, row, flags, body, text, figures=(), most_bytes=200):
        """Adds a sample to the last group; rows of a group rise."""
        self.groups[-1]['samples'] += 1
        self.rows.append(row)
        self.flags.append(sum(FLAGS[flag] for flag in flags))
        body = {**body, **text_columns(body['texts'])}
        self.golds.append(one_line(body.get('gold'), 60))
        self.predictions.append(one_line(body.get('prediction'), 60))
        line = one_line(text, most_bytes)
        self.is_text_cut |= len(text.encode('utf-8', 'replace')) > most_bytes
        self.texts.append(line)
        for column, value in zip(self.figures_of_samples, figures):
            column.append(float('nan') if value is None else value)
        self.body_lines.append(json.dumps(body, ensure_ascii=False, separators=(',', ':')))
        if len(self.body_lines) == SAMPLES_PER_BLOCK:
            self.end_bodies()

    def end_bodies(self):
        if self.body_lines:
            self.bodies.append('\n'.join(self.body_lines).encode('utf-8', 'replace'))
        self.body_lines = []

    # The file.

    def bytes(self):
        self.end_segments()
        self.end_bodies()
        columns = [
            ({'name': 'row', 'kind': 'u32'}, planes('u32', self.rows)),
            ({'name': 'flags', 'kind': 'u16'}, planes('u16', self.flags)),
            ({'name': 'gold', 'kind': 'text'}, '\n'.join(self.golds).encode()),
            ({'name': 'prediction', 'kind': 'text'}, '\n'.join(self.predictions).encode()),
            ({'name': 'text', 'kind': 'text', 'is_cut': self.is_text_cut}, '\n'.join(self.texts).encode()),
        ]
        for (name, title, unit), values in zip(self.figure_columns, self.figures_of_samples):
            columns.append(({'name': name, 'kind': 'f32', 'title': title, 'unit': unit}, planes('f32', values)))
        blocks = [pieces.block() for pieces in self.pieces]
        models = [{**model, 'pieces_block': number} for number, model in enumerate(self.models)]
        first_body, first_segment = len(blocks), len(blocks) + len(self.bodies)
        blocks += self.bodies + self.segment_blocks
        first_picture = len(blocks)
        blocks += self.picture_blocks
        summary = {
            'format': FORMAT,
            'title': self.title,
            'notes': self.notes,
            'runs': self.runs,
            'models': models,
            'groups': self.groups,
            'figures': self.figures,
            'comparisons': self.comparisons,
            'styles': self.styles,
            'samples': len(self.rows),
            'columns': [about for about, _ in columns],
            'blocks': {
                'count': len(blocks),
                'per_element': BLOCKS_PER_ELEMENT,
                'first_body': first_body,
                'samples_per_body': SAMPLES_PER_BLOCK,
                'first_segment': first_segment,
                'segment_starts': self.segment_starts,
            },
        }
        if self.is_of_prompts:
            summary['is_of_prompts'] = True
        if self.pictures:
            here = [{**own, 'block': first_picture + own['block']} if 'block' in own else own for own in self.pictures]
            summary['pictures'] = here
        lines = [packed(block) for block in blocks]
        elements = []
        for number, first in enumerate(range(0, len(lines), BLOCKS_PER_ELEMENT)):
            own = '\n'.join(lines[first : first + BLOCKS_PER_ELEMENT])
            elements.append(f'<script type="text/plain" id="blocks-{number}">{own}</script>')
        return assembled(self.title, summary, '\n'.join(packed(raw) for _, raw in columns), '\n'.join(elements))


def script():
    names = (FOLDER / 'scripts.txt').read_text().split()
    return "'use strict';\n{\n" + ''.join((FOLDER / name).read_text() for name in names) + '}\n'


def assembled(title, summary, index, blocks):
    style, code = (FOLDER / 'page.css').read_text(), script()
    data = json.dumps(summary, ensure_ascii=False, separators=(',', ':'), allow_nan=False)
    parts = {
        'title': html.escape(''.join(' ' if ord(letter) < 32 else letter for letter in title)),
        'style': style,
        'script': code,
        'style_sha256': sha256(style),
        'script_sha256': sha256(code),
        'summary': data.replace('<', '\\u003c'),
        'index': index,
        'blocks': blocks,
    }
    pieces = (FOLDER / 'page.html').read_text().split('{{')
    out = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split('}}', 1)
        out += [parts[name], rest]
    return ''.join(out).encode('utf-8', 'replace')


def sha256(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
