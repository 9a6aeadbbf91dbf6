"""Strings that would be markup, script or worse, and a page with one in every field."""

import random

from reference_page import ADDED, IMAGE, Page, image_tokens

HOSTILE = [
    '</script><script>window.hacked = 1</script>',
    '<img src=x onerror="window.hacked = 1">',
    '"><svg onload=window.hacked=1>',
    "';window.hacked=1;//",
    '<!--<script>',
    '-->',
    ']]>',
    '{{summary}}',
    '{{script}}',
    '${window.hacked=1}',
    '&lt;b&gt;&amp;#60;',
    '\u202egnp.exe',
    '\x00\x01\x1b[31m',
    '\ud7ff\ue000\uffff',
    'javascript:window.hacked=1',
    '</style><style>*{display:none}',
    '</title><script>window.hacked=1</script>',
    '\u2028\u2029',
    '__proto__',
    'constructor',
    '',
    ' ',
    '\n',
    '\r\n\t',
    'NaN',
    '../../etc/passwd',
    '#samples?q=x',
    'a~b',
    'a/b/c',
    'a,b',
    '%00%3Cscript%3E',
    '<iframe srcdoc="<script>parent.hacked=1</script>">',
    '<base href=//evil>',
    '<a href="javascript:window.hacked=1">x</a>',
    '<math><mtext></style><img src onerror=window.hacked=1>',
    '\\u003cscript>',
    '</SCRIPT ><script>window.hacked=1</script>',
    '<script type="module">window.hacked=1</script>',
    '<meta http-equiv=refresh content="0;url=data:text/html,x">',
    'é' * 300,
    '𝔘𝔫𝔦',
    '👩‍👩‍👧',
    '\u0301' * 20,
    '؀العربية',
    '<plaintext>',
    '<xmp>',
    '<textarea>',
    '<select><option>',
    '<template><script>window.hacked=1</script></template>',
]


def hostile_strings(count=200, seed=5):
    chance = random.Random(seed)
    found = list(HOSTILE)
    while len(found) < count:
        found.append(''.join(chance.choice(HOSTILE) for _ in range(chance.choice([2, 3]))))
    return found[:count]


def hostile_page():
    """Every text that the format has is hostile, another one in each place."""
    texts = hostile_strings()
    page = Page(
        texts[0] + texts[16],
        [{'name': texts[1], 'dtype': texts[2], 'device': texts[3]}, {'name': texts[4]}],
        [('score', texts[5], texts[6]), ('__proto__', texts[7], texts[8])],
    )
    page.notes += [{'severity': 'warning', 'message': text} for text in texts[:40]]
    page.runs += [
        {
            name: texts[(place * 7 + run) % len(texts)]
            for place, name in enumerate(['name', 'started', 'machine', 'config', 'command', 'program'])
        }
        for run in range(2)
    ]
    pieces = page.pieces[0]
    for group in range(4):
        rest = texts[group * 50 : (group + 1) * 50]
        number = page.group(
            key=f'{group}{rest[0]}{rest[7]}',
            run=group % 2,
            model=0,
            dataset=rest[0],
            variant=rest[1],
            mode=rest[2],
            rule=rest[3],
            rows_of='same',
        )
        page.figures.append(
            {
                'group': number,
                'metric': rest[4],
                'unit': rest[5],
                'value': None if group == 1 else 50.0,
                'low': 40.0,
                'high': 60.0,
                'samples': 50,
                'failed': 0,
            }
        )
        for row, text in enumerate(rest):
            raw = text.encode('utf-8', 'replace')
            picture = {'name': text, 'width': 4, 'height': 3, 'missing': text}
            if row % 2:
                # A file that is none of its type, and a type that a page does not know.
                picture |= {'type': 'image/png' if row % 4 == 1 else 'image/svg+xml'}
            image = page.picture(picture, raw if row % 2 else None)
            style = page.style(section=text, role=text, kind=text, column=text)
            own = [
                pieces.number(row, raw),
                pieces.number(row + 1000, raw[:1] + b'\xff'),
                pieces.number(row, raw, ADDED),
                pieces.number(image, image_tokens(12, 14), IMAGE),
            ]
            segment = page.segment(
                None, 0, own, [1.0, 2.0, None, None], [(len(raw), style), (0, style), (len(raw[:1]) + 1, style)]
            )
            body = {
                'gold': text,
                'prediction': text,
                'compared': [text, text + 'x'],
                'scores': {text: 0.5, '__proto__': 1},
                'warnings': [{'severity': text, 'message': text}],
                'error': text,
                'columns': {text: text, 'more': [text]},
                'texts': [
                    {
                        'segment': segment,
                        'label': text,
                        'score': 1.0,
                        'reply': text,
                        'finish': text,
                        'extracted': [0, len(raw)],
                        'answer': [1, 2],
                    },
                    {'segment': segment, 'label': text, 'normalizer': segment},
                ],
            }
            page.sample(row, ['failed', 'warned', 'flipped'], body, text, [row, None])
    page.comparisons.append(
        {
            'title': texts[60],
            'by': texts[61],
            'metric': texts[62],
            'unit': texts[63],
            'verdict': texts[64],
            'notes': texts[:10],
            'columns': [{'title': text, 'unit': text} for text in texts[:3]],
            'members': [
                {'name': text, 'group': place, 'value': 1.0 * place, 'more': [1, None, 3]}
                for place, text in enumerate(texts[70:74])
            ],
            'pairs': [
                {
                    'left': 0,
                    'right': 1,
                    'value': 1.0,
                    'low': 0.5,
                    'high': 1.5,
                    'p': 0.01,
                    'p_adjusted': 0.02,
                    'gained': 1,
                    'lost': 2,
                    'is_real': True,
                    'verdict': texts[80],
                }
            ],
        }
    )
    return page
