"""Links show what they showed, in both themes and all widths."""

import urllib.parse

from check import LIST, opened


def links(browser, small, test):
    with test.named('links: the same address shows the same'):
        opened(browser, small, 'samples')
        browser.click('#filter-wrong')
        browser.run(
            "const own = document.querySelector('#sort'); own.value = 'margin'; own.dispatchEvent(new Event('change'))"
        )
        browser.wait("location.hash.includes('sort=margin')")
        browser.run("document.querySelector('#main').focus()")
        browser.press('jjj')
        browser.wait("document.querySelector('.heat .tok')")
        browser.press('n')
        browser.wait("document.querySelector('.has-numbers')")
        browser.run(
            "const own = document.querySelector('#theme'); own.value = 'dark'; own.dispatchEvent(new Event('change'))"
        )
        browser.wait("location.hash.includes('theme=dark')")
        browser.run("document.querySelectorAll('.heat .tok')[3].focus()")
        browser.wait("location.hash.includes('token=')")
        seen = (
            "return [location.hash, document.querySelector('#count').textContent, document.querySelector('#sample-title').textContent, document.querySelector('.chosen').id,"
            " document.querySelector('.sample').className, document.documentElement.dataset.theme, document.querySelector('#list .row[aria-selected=true]').textContent, document.querySelector('#inspector').textContent]"
        )
        before = browser.run(seen)
        opened(browser, small, before[0][1:])
        browser.wait("document.querySelector('.tok.chosen')")
        test.equal(browser.run(seen), before, 'the state')
    with test.named('links: scrolled lists, folded examples, back'):
        opened(browser, small, 'samples')
        browser.run("document.querySelector('#list').scrollTop = 9000")
        browser.wait("location.hash.includes('at=')")
        at = browser.run(
            "return [location.hash.slice(1), Math.round(document.querySelector('#list').scrollTop / document.querySelector('#list .row').offsetHeight)]"
        )
        opened(browser, small, at[0])
        browser.wait(
            "Math.abs(document.querySelector('#list').scrollTop / document.querySelector('#list .row').offsetHeight - arguments[0]) < 1",
            at[1],
        )
        opened(browser, small, 'overview')
        browser.click('table.figures tbody th a')
        browser.wait(LIST)
        browser.click('#list .row')
        browser.wait("document.querySelector('#sample-title')")
        browser.command('Back')
        browser.wait("!location.hash.includes('sample=')")
        browser.command('Back')
        browser.wait("document.querySelector('main h1')")
    with test.named('links: what is not there is said'):
        opened(browser, small, 'samples?sample=nothing/9')
        browser.wait("document.querySelector('.hint')?.textContent.includes('not in this file')")


def looks(browser, small, test):
    with test.named('light and dark: by the system and by choice'):
        grounds = {}
        for theme in ('light', 'dark'):
            opened(browser, small, f'overview?theme={theme}')
            grounds[theme] = browser.run("return getComputedStyle(document.body).backgroundColor")
        test.true(grounds['light'] == 'rgb(251, 250, 247)' and grounds['dark'] == 'rgb(23, 24, 27)', f'{grounds}')
        if hasattr(browser, 'dark'):
            for is_dark, theme in ((False, 'light'), (True, 'dark')):
                browser.dark(is_dark)
                opened(browser, small, 'overview')
                test.equal(
                    browser.run("return getComputedStyle(document.body).backgroundColor"),
                    grounds[theme],
                    f'the system says {theme}',
                )
            browser.dark(False)
    if hasattr(browser, 'view'):
        with test.named('widths from 360 to 3840: nothing is wider than the window'):
            for width, height in ((360, 640), (768, 1024), (1280, 800), (3840, 2160)):
                browser.view(width, height)
                for address in (
                    'overview',
                    'comparison',
                    'samples',
                    'samples?sample=' + urllib.parse.quote('subject_00@base/1', safe=''),
                    'samples?numbers=on&sample=odd/1',
                ):
                    opened(browser, small, address)
                    if 'sample=' in address:
                        browser.wait("document.querySelector('.heat')")
                    wide = browser.run(
                        "const body = [...document.querySelectorAll('#sample, .sheet, .toolbar, #header, html')]; return body.filter((own) => own.scrollWidth > own.clientWidth + 1).map((own) => own.id || own.className)"
                    )
                    test.equal(wide, [], f'wider than {width}: {address}')
                test.equal(
                    browser.run("return document.documentElement.scrollHeight <= innerHeight + 1"),
                    True,
                    f'the window scrolls at {width}',
                )
            browser.view(1280, 900)
