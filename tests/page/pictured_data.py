"""A page of prompts that name images: one that is drawn, a wide one, one that is gone, and one twice in a text."""

import struct
import zlib

from reference_page import ADDED, IMAGE, Page, image_tokens

GONE = 'it cannot be read any more: No such file or directory (os error 2)'
CHANGED = 'its file has changed since the model was shown it'


def png(width, height, colour):
    """A PNG of stripes: a colour, and white."""

    def chunk(name, raw):
        return struct.pack('>I', len(raw)) + name + raw + struct.pack('>I', zlib.crc32(name + raw))

    rows = b''.join(b'\0' + bytes(colour if row // 8 % 2 else (255, 255, 255)) * width for row in range(height))
    head = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def pictured_page():
    page = Page('pictures · seeing', [{'name': 'seeing', 'dtype': 'bf16', 'device': 'cpu'}])
    page.runs.append({'name': '20260101_120000'})
    page.group(key='pictures', run=0, model=0, dataset='pictures', mode='ppl', rule='oc_ppl', rows_of='pictures')
    file = png(160, 120, (200, 40, 40))
    cat = page.picture({'name': 'images/cat.png', 'width': 448, 'height': 336, 'type': 'image/png'}, file)
    wide = page.picture(
        {'name': 'images/a wide view of the harbour at night.png', 'width': 2400, 'height': 160, 'type': 'image/png'},
        png(640, 43, (30, 90, 160)),
    )
    gone = page.picture({'name': 'images/gone.png', 'width': 64, 'height': 64, 'missing': GONE})
    changed = page.picture({'name': 'images/changed.png', 'width': 64, 'height': 64, 'missing': CHANGED})
    pieces = page.pieces[0]
    markup = page.style(section='round', role='HUMAN', kind='markup')
    field = page.style(section='round', role='HUMAN', kind='field', column='question')
    reply = page.style(section='round', role='BOT', kind='template')

    def word(number, text, kind=0):
        return pieces.number(number, text.encode(), kind)

    def image(number, rows, tokens):
        return pieces.number(number, image_tokens(rows, tokens), IMAGE)

    for row, shown in enumerate([[(cat, 576, 576)], [(wide, 900, 930), (cat, 576, 576)], [(gone, 16, 16)], [(changed, 16, 16)]]):
        begin = [word(1, '<s>', ADDED), word(2, 'USER:')]
        nats = [None, 2.5]
        for number, rows, tokens in shown:
            begin.append(image(number, rows, tokens))
            nats.append(None)
            # What the family writes between rows of an image stands behind it.
            if tokens > rows:
                begin.append(word(9, '<row>', ADDED))
                nats.append(0.001)
        question = ' Is this a cat?'
        begin += [word(3, question), word(4, '\n')]
        nats += [3.25, 0.125]
        marks = [(5, markup), (len(question), field), (1, markup)]
        first = page.segment(None, 0, begin, nats, marks)
        candidates = [
            page.segment(first, 0, [word(5, 'ASSISTANT:'), word(6 + place, f' {label}')], [0.5, 1.0 + place], [(99, reply)])
            for place, label in enumerate(['yes', 'no'])
        ]
        answer = [len(begin) + 1, len(begin) + 2]
        body = {
            'gold': 'yes',
            'prediction': 'yes',
            'texts': [
                {
                    'segment': segment,
                    'label': label,
                    'gold': place == 0 or None,
                    'chosen': place == 0 or None,
                    'score': 1.0 + place,
                    'sum': 7.375 + place,
                    'answer': answer,
                }
                for place, (segment, label) in enumerate(zip(candidates, ['yes', 'no']))
            ],
        }
        body['texts'] = [{key: own for key, own in text.items() if own is not None} for text in body['texts']]
        page.sample(row, ['right'], body, 'Is this a cat?')
    return page
