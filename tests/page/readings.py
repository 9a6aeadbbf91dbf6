"""What is read off the page against what was put in: every token's number, and the text byte for byte."""

import json
import urllib.parse

from check import Check, opened

# A text's tokens as they are in the page: bytes in hexadecimal, the number that is shown, what is told aloud.
TOKENS = """const spell = (own) => own.dataset.bytes ?? Array.from(new TextEncoder().encode(own.textContent), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [...document.querySelectorAll(`[data-map="${arguments[0]}"] :is(.tok, .stretch)`)].map((own) => [spell(own), own.dataset.nats ?? '', own.getAttribute('aria-label') ?? ''])"""


def rounded(nats):
    """A surprisal as the page is to show it: to a thousandth, half away from zero; what 16 bits do not hold is a float."""
    if nats is None:
        return ''
    if nats != nats:
        return 'not a number'
    if nats == float('inf'):
        return '∞'
    return f'{int(nats * 1000 + 0.5) / 1000:.3f}'


def tokens_of(browser, name):
    return browser.run(TOKENS, name)


def show(browser, path, key):
    opened(browser, path, 'samples?sample=' + urllib.parse.quote(key, safe=''))
    browser.wait("document.querySelector('.heat')")


def check(browser, small, tally):
    test = Check(browser, tally)
    with test.named('tokens: parts of characters, controls, large numbers'):
        show(browser, small, 'odd/1')
        found = tokens_of(browser, 'c0')
        spelled = 'né 根😀'.encode() + b'\xff\xfe\xfd' + '\u202e\u200b'.encode() + b'\t\x1b[0m end\r\n\na\nb'
        test.equal(''.join(raw for raw, _, _ in found), spelled.hex(), 'the bytes')
        wanted = [None, 0.0004, 0.0005, 1.2345, 65.533, 65.534, 70.25, float('inf'), float('nan'), 3.0, 0.1, 12.5]
        test.equal([number for _, number, _ in found], [rounded(own) for own in wanted], 'the numbers')
        test.true('根' in found[3][2] and '😀' in found[5][2], f'characters in parts: {[own[2] for own in found[2:6]]}')
        text = browser.text('[data-map=c0]')
        test.true('\u202e' not in text and '\u200b' not in text and 'U+202E' in text, 'letters that hide are named')
        test.equal(browser.count('[data-map=c0] .k-mask'), 1, 'hidden columns')
        test.equal(
            browser.run(
                "return [...document.querySelectorAll('[data-map=c0] .line')].map((own) => own.querySelector('b').textContent + ' ' + own.querySelector('i').textContent)"
            ),
            ['begin SYSTEM', 'round HUMAN', 'round BOT'],
            'sections and roles',
        )
        test.equal(browser.text('.reply mark.extracted'), 'answer: end', 'the stretch that was taken')
        browser.hover('[id="token-c0.3"]')
        browser.wait("document.querySelector('#inspector').textContent.includes('1.235 nats')")
    with test.named('a failure, a dialogue, text without tokens'):
        show_failed(browser, small, test)
        show(browser, small, 'odd/2')
        test.equal(
            [''.join(raw for raw, _, _ in tokens_of(browser, name)) for name in ('c0', 'c1')],
            ['né '.encode().hex(), ('né ' + ' end\r\n\n').encode().hex()],
            'turns',
        )
        show(browser, small, 'odd/3')
        test.equal(
            bytes.fromhex(tokens_of(browser, 'c0')[0][0]).decode() if tokens_of(browser, 'c0') else None,
            'A text of which\nno tokens are known',
            'the text',
        )
    with test.named('nine thousand tokens: a page at a time'):
        show(browser, small, 'odd/4')
        seen = tokens_of(browser, 'c0')
        test.true(100 < len(seen) <= 600, f'{len(seen)} tokens at once')
        browser.click('.sample .pager button:last-child')
        browser.wait("document.querySelector('.heat .tok')?.id === arguments[0]", f'token-c0.{len(seen)}')
        test.true(nodes(browser) < 3000, f'{nodes(browser)} nodes')
    with test.named('folded examples: opened and closed, in the address'):
        opened(browser, small, 'samples?sample=' + urllib.parse.quote('subject_00@base/1', safe=''))
        browser.wait("document.querySelector('.heat')")
        test.equal(browser.count('.fold'), 0, 'nothing is folded where all fits')


def check_damaged(browser, small, folder, tally):
    """A file that was cut off or changed says so."""
    test = Check(browser, tally)
    whole = small.read_text(encoding='utf-8')
    damaged = folder / 'damaged.html'
    blocks, index = whole.index('id="blocks-0">'), whole.index('id="index">')
    with test.named('a file that was cut off'):
        damaged.write_text(whole[: blocks + 3000], encoding='utf-8')
        opened(browser, damaged, 'samples')
        browser.click('#list .row')
        browser.wait("document.querySelector('#sample .notice.failed')?.textContent.includes('damaged')")
    with test.named('a file that was changed'):
        damaged.write_text(f'{whole[:index + 40]}!!!!!{whole[index + 45:]}', encoding='utf-8')
        browser.go('about:blank')
        browser.go(f'{damaged.as_uri()}#samples')
        browser.wait("document.querySelector('main .notice.failed')?.textContent.includes('damaged')")


def show_failed(browser, small, test):
    opened(browser, small, 'samples?sample=odd/0')
    browser.wait("document.querySelector('.notice.failed')")
    test.true('longer than the context' in browser.text('.notice.failed'), 'why it failed')


def nodes(browser):
    """All nodes of the document, texts and comments among them."""
    return browser.run(
        "const walk = document.createTreeWalker(document, NodeFilter.SHOW_ALL); let count = 1; while (walk.nextNode()) count++; return count"
    )


def check_real(browser, real, folder, tally, writer):
    """A page of a real run: of some samples every token of every candidate. `added` are tokens that are no text."""
    path, tokens, added = real
    test = Check(browser, tally)
    kinds = sorted({dataset for dataset, _, _ in tokens})
    for dataset in kinds:
        with test.named(f'a real run by {writer}: tokens and numbers of {dataset}'):
            for row in (0, 7, 42):
                show(browser, path, f'{dataset}/{row}')
                own = [tokens[dataset, row, place] for place in range(20) if (dataset, row, place) in tokens]
                shared = tokens_of(browser, 'shared')
                for place, wanted in enumerate(own):
                    found = (
                        (shared + tokens_of(browser, f'c{place}'))[-len(wanted) :] if dataset != 'sums_chat' else None
                    )
                    if found is None:
                        continue
                    texts = ['' if token['text'] in added else token['text'].encode().hex() for token in wanted]
                    test.equal([raw for raw, _, _ in found], texts, f'row {row}, text {place}: bytes')
                    test.equal(
                        [number for _, number, _ in found],
                        [rounded(token['nll_nats']) for token in wanted],
                        f'row {row}, text {place}: numbers',
                    )
    with test.named(f'a real run by {writer}: the text of each candidate is its prompt'):
        prompts = {}
        for line in (folder / 'demo/candidates.jsonl').read_text().splitlines():
            about = json.loads(line)
            prompts[about['dataset'], about['row'], about['candidate']] = about['prompt']
        for dataset in ('choices_0shot', 'choices_2shot'):
            show(browser, path, f'{dataset}/11')
            shared = tokens_of(browser, 'shared')
            for place in range(4):
                text = bytes.fromhex(''.join(raw for raw, _, _ in shared + tokens_of(browser, f'c{place}'))).decode()
                test.equal(text, prompts[dataset, 11, place], f'{dataset}, candidate {place}')
