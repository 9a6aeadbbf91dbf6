"""The page of prompts that `view --html` writes: nothing was asked, and all else is as on the page of a run."""

import json
import pathlib
import subprocess

from check import LIST, Check, counted, opened
from readings import nodes, show, tokens_of
from sections import TOKENS, characters, expected


def prompt_page(program, config, folder):
    """The prompts of all samples of `config`."""
    path = pathlib.Path(folder) / 'prompts.html'
    if not path.exists():
        subprocess.run([program, 'view', config, '--all', '--html', path], check=True, capture_output=True)
    return path


def single_page(program, config, folder):
    path = pathlib.Path(folder) / 'prompt.html'
    command = [program, 'view', config, '--dataset', 'choices_2shot', '--sample', '3', '--html', path]
    subprocess.run(command, check=True, capture_output=True)
    return path


def check(browser, program, config, folder, tally):
    test = Check(browser, tally)
    path = prompt_page(program, config, folder)
    views = json.loads((pathlib.Path(folder) / 'view.json').read_text())
    with test.named('prompts alone: the list, a search, a filter, keys'):
        opened(browser, path, '')
        browser.wait(LIST)
        counted(browser, f'{len(views)} of {len(views)} samples')
        words = browser.run("return document.querySelector('.row-head').textContent")
        test.true('gold' in words and 'prediction' not in words, f'the head says {words}')
        asked = next(view for view in views if view['dataset'] == 'sums' and view['sample'] == 7)
        question = ''.join(
            piece['text']
            for piece in asked['prompts'][0]['pieces']
            if piece['kind'] == 'field' and piece['example'] is None
        )
        browser.press('/')
        browser.wait("document.activeElement.id === 'search'")
        browser.press(f'"{question}"')
        browser.wait("document.querySelector('.toolbar').dataset.q === arguments[0]", f'"{question}"')
        browser.wait(LIST)
        lines = browser.run("return [...document.querySelectorAll('#list .c-text')].map((own) => own.textContent)")
        test.true(lines and all(question in own for own in lines[1:]), f'{question}: {lines}')
        browser.click('#list .row')
        browser.wait("document.querySelector('.heat')")
        browser.press('Escape')
        browser.press('jj')
        browser.wait("document.querySelector('#sample-title')")
        warned = sum(any(own['severity'] == 'warning' for own in view['warnings']) for view in views)
        opened(browser, path, 'samples?filter=warned')
        counted(browser, f'{warned} of {len(views)} samples')
        opened(browser, path, 'samples')
        chips = browser.run(
            "return [...document.querySelectorAll('.chip[id^=filter]:not([hidden])')].map((chip) => chip.id)"
        )
        test.true(set(chips) <= {'filter-warned'}, f'{chips} are offered')
    for dataset in sorted({view['dataset'] for view in views}):
        with test.named(f'prompts alone: sections and tokens of {dataset}'):
            for row in (0, 31):
                view = next(own for own in views if (own['dataset'], own['sample']) == (dataset, row))
                show(browser, path, f'{dataset}/{row}')
                for place, prompt in enumerate(view['prompts']):
                    tokens = browser.run(f'const maps = arguments[0];{TOKENS}', ['shared', f'c{place}'])
                    test.equal(len(tokens), prompt['token_count'], f'row {row}, text {place}: tokens')
                    found, wanted = characters(tokens), expected(prompt['pieces'])
                    test.true(found == wanted, f'row {row}, text {place}: other sections')
                    raw = ''.join(own for own, _, _ in tokens_of(browser, 'shared') + tokens_of(browser, f'c{place}'))
                    test.equal(bytes.fromhex(raw).decode(), prompt['text'], f'row {row}, text {place}')
                test.equal(browser.count('#tint, #numbers, .tint-legend, .verdict'), 0, 'what needs an answer')
                facts = browser.text('#sample .facts')
                for name in ('examples', 'masked', 'scored'):
                    test.true(name in facts, f'{name} is not told: {facts}')
                for warning in view['warnings']:
                    test.true(warning['message'] in browser.text('#sample'), f'{warning["message"]} is not told')
            test.true(nodes(browser) < 3000, f'{nodes(browser)} nodes')
    with test.named('prompts alone: an overview of the data sets leads to them'):
        opened(browser, path, 'overview')
        names = browser.run("return [...document.querySelectorAll('#prompts ~ .scroll th a')].map((own) => own.textContent)")
        test.equal(sorted(names), sorted({view['dataset'] for view in views}), 'data sets')
        browser.click('#prompts ~ .scroll th a')
        count = sum(view['dataset'] == names[0] for view in views)
        browser.wait(LIST)
        counted(browser, f'{count} of {len(views)} samples')
    with test.named('prompts alone: one sample'):
        opened(browser, single_page(program, config, folder), 'samples')
        counted(browser, '1 of 1 sample')
        browser.click('#list .row')
        browser.wait("document.querySelector('.heat .line.s-ice')")
