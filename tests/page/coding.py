"""How the page codes numbers, texts and bytes: src/report/page/FORMAT.md."""

import array
import base64
import struct
import sys
import zlib

UNSCORED = 0xFFFF
LARGE = 0xFFFE

WIDTHS = {'u8': ('B', 1), 'u16': ('H', 2), 'u32': ('I', 4), 'f32': ('f', 4)}


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def planes(kind, values):
    """Numbers as little-endian bytes, all first bytes, then all second bytes, and so on."""
    letter, width = WIDTHS[kind]
    if sys.byteorder != 'little':
        raise SystemExit('this writer wants a little-endian machine')
    raw = array.array(letter, values).tobytes()
    return b''.join(raw[place::width] for place in range(width))


# Digits of base 85: what is printable and means nothing in HTML, in the order of ASCII.
DIGITS = bytes(letter for letter in range(33, 127) if chr(letter) not in '"&\'<>\\`{}')
PYTHON_DIGITS = b'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
TO_OWN_DIGITS = bytes.maketrans(PYTHON_DIGITS, DIGITS)


def packed(raw):
    return base64.b85encode(zlib.compress(raw, 9)).translate(TO_OWN_DIGITS).decode()


def split_number(number):
    """A number as its byte among the heads and its bytes among the tails."""
    if number < 192:
        return bytes([number]), b''
    if number < 192 + 63 * 256:
        return bytes([192 + (number - 192 >> 8)]), bytes([number - 192 & 255])
    return b'\xff', number.to_bytes(3, 'little')


SPLIT_SURPRISALS = [split_number(value) for value in range(1 << 16)]


# What is known of a text, in this order.
TEXT_FIELDS = [
    'segment',
    'label',
    'asked_as',
    'gold',
    'chosen',
    'score',
    'sum',
    'answer_sum',
    'answer_from',
    'answer_to',
    'cut_from',
    'cut_to',
    'normalizer',
    'turn',
    'reply',
    'extracted_from',
    'extracted_to',
    'finish',
]


def text_columns(texts):
    """The texts of a sample, a list for each field: that compresses to two thirds of one object for each text."""
    first = min((text['segment'] for text in texts), default=0)
    lines = []
    for text in texts:
        own = dict(text)
        for name in ('answer', 'cut', 'extracted'):
            if name in own:
                own[f'{name}_from'], own[f'{name}_to'] = own.pop(name)
        for name in ('segment', 'normalizer'):
            if name in own:
                own[name] -= first
        lines.append(own)
    columns = {name: [own.get(name) for own in lines] for name in TEXT_FIELDS}
    return {
        'segments_from': first,
        'texts': {
            name: values
            for name, values in columns.items()
            if any(value is not None and value is not False for value in values)
        },
    }


def streams(numbers):
    return b''.join(head for head, _ in numbers), b''.join(tail for _, tail in numbers)


def part(raw):
    return struct.pack('<I', len(raw)) + raw


def thousandths(nats):
    """A surprisal in thousandths of a nat, half away from zero; `LARGE` where 16 bits do not hold it."""
    if nats is None:
        return UNSCORED
    whole = nats * 1000 + 0.5
    return max(0, int(whole)) if whole < LARGE else LARGE


def one_line(text, most_bytes):
    """A text for the index: no control characters, cut at a character."""
    if text is None:
        return '\0'
    line = ''.join(' ' if ord(letter) < 32 or letter == '\x7f' else letter for letter in str(text)[:most_bytes])
    return line.encode('utf-8', 'replace')[:most_bytes].decode('utf-8', 'ignore')
