"""axe over every view in both themes, and what it cannot see: names that are read, and the order of focus."""

import pathlib
import subprocess
import tarfile
import urllib.parse

from check import Check, opened

VERSION = '4.11.0'


def axe_source(folder):
    """axe-core's script, fetched from npm once; none without a network."""
    kept = folder / f'axe-core-{VERSION}.js'
    if not kept.exists():
        try:
            said = subprocess.run(
                ['npm', 'pack', '--silent', f'axe-core@{VERSION}', '--pack-destination', folder],
                check=True,
                capture_output=True,
                text=True,
                timeout=120,
            )
            with tarfile.open(pathlib.Path(folder) / said.stdout.split()[-1]) as archive:
                kept.write_bytes(archive.extractfile('package/axe.min.js').read())
        except (OSError, subprocess.SubprocessError, KeyError, IndexError):
            return None
    return kept.read_text()


def check(browser, pages, axe, tally):
    test = Check(browser, tally)
    small, hostile, pictured = pages
    base = 'samples?sample=' + urllib.parse.quote('subject_00@base/5', safe='')
    views = [
        (small, 'overview'),
        (small, 'comparison'),
        (small, 'samples'),
        (small, base),
        (small, base + '&numbers=on'),
        (small, base + '&tint=off'),
        (small, 'samples?sample=odd/1'),
        (small, 'samples?sample=odd/0'),
        (small, 'samples?sample=odd/4'),
        (hostile, 'overview'),
        (hostile, 'comparison'),
        (pictured, 'samples?sample=pictures%2F0'),
        (pictured, 'samples?sample=pictures%2F2&numbers=on'),
    ]
    check_views(browser, views, axe, tally)
    with test.named('keyboard alone: Tab reaches everything that acts'):
        opened(browser, small, base)
        browser.wait("document.querySelector('.heat .tok')")
        browser.run(
            "document.activeElement.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')"
        )
        seen = []
        for _ in range(60):
            browser.press('Tab')
            own = browser.run(
                "const own = document.activeElement; return own.id || own.dataset.view || own.className || own.textContent.slice(0, 20)"
            )
            if own in seen[-1:] or not own:
                break
            seen.append(own)
        for name in (
            'skip',
            'overview',
            'comparison',
            'samples',
            'theme',
            'search',
            'group',
            'sort',
            'down',
            'filter-wrong',
            'list',
            'tint',
            'numbers',
        ):
            test.true(name in seen, f'{name} is not reached: {seen[:40]}')
        test.true(any(own.startswith('token-') for own in seen), 'no token is reached')


def check_views(browser, views, axe, tally):
    """Every view, a page and an address, in both themes."""
    test = Check(browser, tally)
    for theme in ('light', 'dark'):
        for path, address in views:
            with test.named(f'axe: {path.stem} {address.replace("%2F", "/").replace("%40", "@")}, {theme}'):
                mark = '&' if '?' in address else '?'
                opened(browser, path, f'{address}{mark}theme={theme}')
                if 'sample=' in address:
                    browser.wait("document.querySelector('#sample-title')")
                browser.run(axe + '; window.axe = axe;')
                found = browser.run_later(
                    """const done = arguments[arguments.length - 1];
                  axe.run(document, {resultTypes: ['violations']}).then((result) => done(result.violations.map((own) => `${own.id}: ${own.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary.slice(0, 300)).join(' | ')}`)), (error) => done([String(error)]))"""
                )
                test.equal(found, [], 'axe')
                browser.said()
