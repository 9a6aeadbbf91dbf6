"""Where stretches of a prompt come from: the page of a run beside what `view` says, which asks the templates."""

from check import Check, opened
from exported_run import viewed
from readings import show

# Of each token of a text: its line's section and role, its kinds, and what it spells.
TOKENS = """
const kinds = (own) => [...own.classList].filter((name) => name.startsWith('k-'));
return [...document.querySelectorAll('.heat')].filter((map) => maps.includes(map.dataset.map)).flatMap((map) =>
  [...map.querySelectorAll('.line')].flatMap((line) => [...line.querySelectorAll('.tok')].map((token) => ({
    section: line.querySelector(':scope > b').textContent,
    role: line.querySelector(':scope > i').textContent,
    runs: token.querySelector('span') ? [...token.children].map((run) => [run.textContent, kinds(run)[0]]) : [[token.textContent, kinds(token)[0]]],
    isAdded: token.classList.contains('added'),
  }))))
"""


def characters(tokens):
    """Every character with its section, role and kind; signs that stand for line ends are line ends."""
    found = []
    for token in tokens:
        for text, kind in [] if token['isAdded'] else token['runs']:
            for letter in text.replace('⏎\n', '\n').replace('⏎', '\n'):
                found.append((letter, token['section'], token['role'], kind))
    return found


def expected(pieces):
    found = []
    for piece in pieces:
        section = piece['section'] or ''
        if section == 'ice' and piece['example'] is not None:
            section = f'ice {piece["example"] + 1}'
        found += [(letter, section, piece['role'] or '', f'k-{piece["kind"]}') for letter in piece['text']]
    return found


def check(browser, program, config, page, folder, tally):
    """A page that the program has written of the run of `config`."""
    test = Check(browser, tally)
    pieces = viewed(program, config, folder)
    for dataset in sorted({dataset for dataset, _, _ in pieces}):
        with test.named(f'sections of {dataset} are those that view tells'):
            for row in (0, 5, 31):
                own = [(key[2], value[0]) for key, value in pieces.items() if key[:2] == (dataset, row)]
                show(browser, page, f'{dataset}/{row}')
                for place, (label, told) in enumerate(own):
                    tokens = browser.run(f'const maps = arguments[0];{TOKENS}', ['shared', f'c{place}'])
                    wanted = expected(told)
                    # What was generated follows the prompt, and comes from no template.
                    found = characters(tokens)[: len(wanted)]
                    if found != wanted:
                        at = next(
                            (spot for spot, both in enumerate(zip(found, wanted)) if both[0] != both[1]), len(found)
                        )
                        test.equal(found[at : at + 3], wanted[at : at + 3], f'row {row}, {label}, from letter {at}')
                    test.true(len({own[1] for own in wanted if own[1]}) > 0, f'row {row}: view knows no section')
    with test.named('a token tells its section in words when it has the focus'):
        show(browser, page, 'choices_2shot/3')
        browser.click('.heat .tok.k-field')
        browser.press('ArrowRight')
        words = browser.wait("document.querySelector('#inspector').textContent")
        test.true('ice 1' in words and 'field question' in words, words)
        legend = browser.text('.legend')
        for name in ('begin', 'ice', 'round', 'end', 'template', 'column', 'markup'):
            test.true(name in legend, f'{name} is not in the legend {legend}')
    with test.named('what a column says can be told without colours'):
        opened(browser, page, 'samples')
        show(browser, page, 'choices_2shot/3')
        drawn = browser.run(
            "return ['.tok.k-field', '.tok.k-template'].map((own) => getComputedStyle(document.querySelector(own)).textDecorationLine)"
        )
        test.equal(drawn, ['underline', 'none'], 'lines under a value and under the template')
