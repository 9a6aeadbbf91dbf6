"""What a reader does: filters, searches, sorts, and goes by keys."""

import urllib.parse

from check import LIST, Check, counted, opened, shown, wait_title
from links import links, looks


def check(browser, small, tally):
    test = Check(browser, tally)
    with test.named('overview: figures, intervals, error bars'):
        opened(browser, small)
        test.equal(browser.count('table.figures tbody tr'), 12, 'rows')
        test.equal(browser.count('svg.forest .point'), 12, 'points')
        label = browser.run("return document.querySelector('svg.forest[role=img]').getAttribute('aria-label')")
        cells = browser.run(
            "return [...document.querySelectorAll('table.figures tbody tr:first-child > *')].map((cell) => cell.textContent)"
        )
        test.true(f'{cells[3]} ({cells[4]})' in label, f'the drawing says {label}, the row {cells}')
    with test.named('comparison: variants, matrix, pairs, link to flips'):
        browser.click('nav a[data-view=comparison]')
        browser.wait("document.querySelector('table.matrix')")
        test.equal(browser.count('table.matrix td.number'), 30, 'cells of the matrix')
        test.equal(browser.count('#pairs ~ .scroll tbody tr'), 15, 'pairs')
        both = browser.run(
            "const all = [...document.querySelectorAll('table.matrix tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.replace('*', '').replace('−', '-')));"
            'return all.every((row, one) => row.every((text, other) => one === other || Number(text) === -Number(all[other][one])))'
        )
        test.true(both, 'the matrix is not its own opposite')
        browser.click('table.matrix tbody tr:first-child td.number a')
        browser.wait(LIST)
        test.true('~' in urllib.parse.unquote(browser.run('return location.hash')), 'the link names no pair')
        count = int(shown(browser).split(' ')[0])
        test.true(0 < count < 120 and count % 2 == 0, f'{count} samples differ')
        names = browser.text('.pair b').split(' and ')
        browser.press('jj')
        browser.wait("document.querySelector('#elsewhere')")
        verdicts = browser.run(
            "return Object.fromEntries([...document.querySelectorAll('#elsewhere ~ .scroll tbody tr')].map((row) => [row.cells[0].textContent, row.cells[1].textContent]))"
        )
        test.equal({verdicts.get(name) for name in names}, {'✓ right', '✗ wrong'}, f'{names} in {verdicts}')
    filters(browser, small, test)
    keys(browser, small, test)
    links(browser, small, test)
    looks(browser, small, test)


def filters(browser, small, test):
    with test.named('filter: each keeps what it says, several keep what is both'):
        opened(browser, small, 'samples')
        counted(browser, '725 of 725 samples')
        counts = browser.run(
            "return Object.fromEntries([...document.querySelectorAll('.chip[id^=filter]')].map((chip) => [chip.id.slice(7), Number(chip.querySelector('.count').textContent.replace(',', ''))]))"
        )
        for name in ('wrong', 'flipped', 'failed', 'warned', 'near_tie'):
            browser.click(f'#filter-{name}')
            counted(browser, f'{counts[name]} of 725 samples')
            test.equal(
                browser.run(
                    "return document.querySelector(arguments[0]).getAttribute('aria-pressed')", f'#filter-{name}'
                ),
                'true',
                'pressed',
            )
            browser.click(f'#filter-{name}')
            counted(browser, '725 of 725 samples')
        browser.click('#filter-wrong')
        browser.click('#filter-flipped')
        both = browser.wait(
            "Number(document.querySelector('#count').textContent.split(' ')[0]) < 60 && document.querySelector('#count').textContent"
        )
        test.true(0 < int(both.split(' ')[0]) < min(counts['wrong'], counts['flipped']), f'both: {both} of {counts}')
        test.equal(
            browser.run(
                "return [...document.querySelectorAll('#list .row .verdict')].every((own) => own.textContent === '✗ wrong')"
            ),
            True,
            'all are wrong',
        )
        test.true(browser.text('#announcements').startswith(both.split(' of')[0]), 'the number is not announced')
    with test.named('search: words, quotes, case, nothing found'):
        opened(browser, small, 'samples')
        first = browser.run("return document.querySelector('#list .row .c-text').textContent")
        words = first.split(' ')
        browser.press('/')
        browser.wait("document.activeElement.id === 'search'")
        browser.press(f'"{words[0]} {words[1]}" {words[2].upper()}')
        browser.wait("document.querySelector('#count').textContent !== '725 of 725 samples'")
        every = browser.wait(
            "(() => { const all = [...document.querySelectorAll('#list .row .c-text')].map((own) => own.textContent); return all.length && all.length < 10 ? all : null })()"
        )
        test.true(
            first in every and all(f'{words[0]} {words[1]}' in text and words[2] in text for text in every),
            f'{words[:3]}: {every}',
        )
        opened(browser, small, 'samples?q=' + urllib.parse.quote('根'))
        counted(browser, '1 of 725 samples')
        opened(browser, small, 'samples?q=no-such-words')
        counted(browser, '0 of 725 samples')
    with test.named('sort: by a figure, both ways, those without one last'):
        opened(browser, small, 'samples')
        for down in (False, True):
            browser.run(
                "const own = document.querySelector('#sort'); own.value = 'margin'; own.dispatchEvent(new Event('change'))"
            )
            if down:
                browser.click('#down')
            browser.wait("location.hash.includes('sort=margin')")
            if down:
                browser.wait("location.hash.includes('down=1')")
            figures = browser.run(
                "return [...document.querySelectorAll('#list .row .c-figure')].map((own) => own.textContent.replace('−', '-'))"
            )
            numbers = [float(own) for own in figures if own != '–']
            test.true(numbers == sorted(numbers, reverse=down) and len(numbers) > 10, f'{figures[:8]}')
        browser.run("document.querySelector('#list').scrollTop = 1e9")
        browser.wait("document.querySelector('#list .row:last-child').getAttribute('aria-rowindex') === '726'")
        test.equal(
            browser.run("return document.querySelector('#list .row:last-child .c-figure').textContent"),
            '–',
            'the last figure',
        )


def keys(browser, small, test):
    with test.named('keys: j, k, /, Escape, arrows, t, n'):
        opened(browser, small, 'samples')
        browser.run("document.querySelector('#main').focus()")
        browser.press('j')
        wait_title(browser, 'subject_00@base · row 0')
        browser.press('jj')
        wait_title(browser, 'subject_00@base · row 2')
        browser.press('k')
        wait_title(browser, 'subject_00@base · row 1')
        test.equal(browser.count('#list .row[aria-selected=true]'), 1, 'chosen rows')
        browser.run("document.querySelector('#list').focus()")
        browser.press('ArrowDown')
        wait_title(browser, 'subject_00@base · row 2')
        browser.press('End')
        wait_title(browser, 'odd · row 4')
        browser.press('Home')
        wait_title(browser, 'subject_00@base · row 0')
        browser.press('n')
        browser.wait("document.querySelector('.sample.has-numbers') && location.hash.includes('numbers=on')")
        browser.press('t')
        browser.wait("!document.querySelector('.sample.is-tinted') && location.hash.includes('tint=off')")
        browser.press('/', 'j')
        browser.wait("document.querySelector('#search').value === 'j'")
        browser.press('Escape', 'Escape')
        browser.wait("!location.hash.includes('sample=')")
    with test.named('keys: token after token'):
        opened(browser, small, 'samples?sample=' + urllib.parse.quote('subject_00@base/1', safe=''))
        browser.wait("document.querySelector('.heat .tok')")
        test.equal(browser.count('.heat[data-map=shared] .tok[tabindex="0"]'), 1, 'stops for Tab in a text')
        browser.run("document.querySelector('.heat .tok[tabindex=\"0\"]').focus()")
        browser.press('ArrowRight', 'ArrowRight')
        test.equal(browser.run('return document.activeElement.id'), 'token-shared.2', 'focused')
        test.true(
            browser.run("return document.activeElement.dataset.nats") in browser.text('#inspector'),
            'the number of the focused token is not told',
        )
        test.true('token=shared.2' in browser.run('return location.hash'), 'the address does not name the token')
