"""Strings that would be markup, script or worse, in every field there is: nothing of them runs, and all of them are read."""

from check import Check, opened
from hostile_data import hostile_strings
from readings import tokens_of

LOOK = """return [window.hacked === undefined, document.querySelectorAll('main img:not([src^="data:image/png;base64,"]), main svg:not(.forest), iframe, math, plaintext, base, object, embed').length,
  document.querySelectorAll('script:not([type])').length, document.querySelectorAll('[onload],[onerror],[onclick]').length,
  [...document.querySelectorAll('a[href]')].every((own) => own.getAttribute('href').startsWith('#'))]"""
HARMLESS = [True, 0, 1, 0, True]


def check(browser, hostile, tally):
    test = Check(browser, tally)
    with test.named('hostile strings: overview and comparison'):
        for address in ('overview', 'comparison', 'samples'):
            opened(browser, hostile, address)
            test.equal(browser.run(LOOK), HARMLESS, f'{address}: no script, markup')
    texts = hostile_strings()
    for group in range(4):
        with test.named(f'hostile strings: samples {50 * group} to {50 * group + 49}'):
            opened(browser, hostile, 'samples')
            browser.run("document.querySelector('#main').focus()")
            keys = browser.run(
                "return JSON.parse(document.querySelector('#summary').textContent).groups.map((group) => group.key)"
            )
            for row in range(50):
                browser.run(
                    "location.hash = '#samples?' + new URLSearchParams({sample: arguments[0]})", f'{keys[group]}/{row}'
                )
                browser.wait(
                    "document.querySelector('#sample-title')?.textContent.endsWith(arguments[0]) && document.querySelector('.heat')",
                    f'· row {row}',
                )
                test.equal(browser.run(LOOK), HARMLESS, f'row {row}: no script, markup')
                test.true(browser.count('.notice.failed') == 1, f'row {row}: its error is not shown')
                raw = texts[50 * group + row].encode('utf-8', 'replace')
                test.equal(
                    ''.join(spelled for spelled, _, _ in tokens_of(browser, 'shared')),
                    (raw + raw[:1] + b'\xff').hex(),
                    f'row {row}: its bytes',
                )
    with test.named('hostile addresses'):
        for address in (
            'samples?sample=__proto__/0',
            'samples?filter=__proto__,constructor&sort=__proto__',
            'samples?sort=constructor&q=%22',
            'comparison?compare=-1',
            'comparison?compare=x',
            'samples?at=-5',
            'samples?at=NaN',
            'samples?rows=a.b.c,.,shared.99',
            '<script>',
            'samples?theme=<x>',
            'samples?group=nothing',
            'samples?pair=a~b',
        ):
            opened(browser, hostile, address)
            test.equal(browser.run(LOOK), HARMLESS, address)
    with test.named('the policy: no other script, style or request, and no image from elsewhere'):
        opened(browser, hostile)
        refused = browser.run_later(
            """const done = arguments[arguments.length - 1]; const seen = [];
          document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
          const script = document.createElement('script'); try { script.text = 'window.hacked = 1'; } catch { seen.push('trusted types'); }
          document.body.append(script);
          const style = document.createElement('style'); style.textContent = 'body{display:none}'; document.body.append(style);
          const image = document.createElement('img'); image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image);
          document.body.setAttribute('style', 'display: none');
          fetch('data:,x').catch(() => seen.push('fetch'));
          setTimeout(() => done([window.hacked === undefined, getComputedStyle(document.body).display, seen.includes('fetch'), seen.some((name) => name.startsWith('style-src')), seen.includes('img-src')]), 500)"""
        )
        test.equal(refused, [True, 'flex', True, True, True], 'what is refused')
        # These refusals are meant.
        browser.said()
