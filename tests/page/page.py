#!/usr/bin/env python3
"""Clicks, types and reads in pages of `surprisal report`, in Chromium and in Firefox.

    tests/page/page.py [PROGRAM] [FOLDER]    PROGRAM: a built `surprisal`, for a page of a real run; without it that part is skipped.
                                             FOLDER: keeps the pages there, and what was made is not made again

Set PAGE_BROWSER to chromium or firefox for one of them, PAGE_SIZES=0 to leave out the big pages.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

import accessibility
import behaviour
import hostility
import pictures
import prompts
import readings
import sections
import sizes
from chromium import Chromium
from exported_run import exported_page
from firefox import Firefox
from hostile_data import hostile_page
from pictured_data import pictured_page
from small_data import small_page
from written_run import same_bytes, written_pages

HERE = pathlib.Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / 'store'))
from tally import Tally  # noqa: E402


def browsers():
    """The browsers that are here, as what starts them."""
    found = []
    if shutil.which('chromium') and shutil.which('chromedriver'):
        found.append(Chromium)
    if shutil.which('firefox-esr') or shutil.which('firefox'):
        found.append(Firefox)
    return found


def written(folder, name, make):
    """The path of a page, made unless it is there, and the page itself if it was made."""
    path = folder / f'{name}.html'
    if not path.exists():
        path.write_bytes(make().bytes())
    return path


def seeing_checkpoint():
    """A small checkpoint that sees, if the fixtures are here: the tests of the library take the same folder."""
    folder = os.environ.get('SURPRISAL_VISION_FIXTURES')
    own = pathlib.Path(folder or HERE.parents[1] / 'fixtures/vision') / 'models/idefics3'
    return own if own.is_dir() else None


def real_views(run, prompts_alone):
    """What accessibility is looked for in pages that the program has written."""
    sample = 'samples?sample=choices_2shot%2F3'
    addresses = [(run, sample), (run, f'{sample}&numbers=on'), (run, f'{sample}&tint=off')]
    return addresses + [(prompts_alone, sample), (prompts_alone, 'samples'), (prompts_alone, 'overview')]


def main():
    wanted = os.environ.get('PAGE_BROWSER')
    found = [own for own in browsers() if wanted in (None, '', own.name)]
    if not found:
        print('page: skipped, there is no browser: apt-get install chromium chromium-driver firefox-esr')
        return
    # It is also started in other folders.
    program = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else None
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(
            sys.argv[2] if len(sys.argv) > 2 else stack.enter_context(tempfile.TemporaryDirectory())
        ).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        tally = Tally('page')
        small = written(folder, 'small', small_page)
        hostile = written(folder, 'hostile', hostile_page)
        pictured = written(folder, 'pictured', pictured_page)
        checkpoint = seeing_checkpoint()
        sizes.same_bytes(tally, small)
        axe = accessibility.axe_source(folder)
        if not axe:
            print('page: axe-core cannot be fetched, its part is skipped')
        config = HERE.parents[2] / 'configs/demo.py'
        real = program and exported_page(program, config, folder / 'demo')
        if real:
            own = written_pages(program, folder / 'demo')
            same_bytes(tally, own)
        for kind in found:
            browser = kind()
            stack.callback(browser.close)
            behaviour.check(browser, small, tally)
            readings.check(browser, small, tally)
            readings.check_damaged(browser, small, folder, tally)
            hostility.check(browser, hostile, tally)
            pictures.check(browser, pictured, tally)
            if program and checkpoint:
                pictures.check_run(browser, program, checkpoint, folder, tally)
            if axe:
                accessibility.check(browser, [small, hostile, pictured], axe, tally)
                if real:
                    alone = prompts.prompt_page(program, config, folder / 'demo')
                    accessibility.check_views(browser, real_views(own[0], alone), axe, tally)
            if real:
                page, tokens = real
                reference = folder / 'real.html'
                reference.write_bytes(page.bytes())
                readings.check_real(browser, (reference, tokens, ['<|bos|>']), folder, tally, 'the reference')
                # The program knows which tokens are special.
                readings.check_real(browser, (own[0], tokens, ['<|bos|>', '<|eos|>']), folder, tally, 'the program')
                sections.check(browser, program, config, own[0], folder / 'demo', tally)
                prompts.check(browser, program, config, folder / 'demo', tally)
            if os.environ.get('PAGE_SIZES') != '0':
                sizes.check(browser, folder, written, tally)
        if not checkpoint:
            print('page: the fixtures of models that see are not here, the page of a run with images is skipped')
        if not program:
            print('page: no program was named, the page of a real run is skipped')
        for kind in [own for own in ('chromium', 'firefox') if own not in [one.name for one in browsers()]]:
            print(f'page: {kind} is not here, its part is skipped')
        # The tally ends the process, so browsers are closed before.
        stack.close()
        tally.end()


if __name__ == '__main__':
    main()
