"""Images of prompts: drawn where they stand, with their size and tokens, or named with the reason why they are not here."""

import json
import pathlib
import subprocess

from check import Check
from pictured_data import CHANGED, GONE, png
from readings import show

PICTURES = """return [...document.querySelectorAll('.picture')].map((own) => { const image = own.querySelector('img');
  return {words: own.textContent, aria: own.getAttribute('aria-label'), alt: image?.alt ?? null, source: image?.src.slice(0, 22) ?? null,
          width: image?.naturalWidth ?? 0, height: image?.naturalHeight ?? 0, shown: image ? image.getBoundingClientRect().width : 0}; })"""
LOADED = "[...document.querySelectorAll('.picture img')].every((own) => own.complete)"


def pictures_of(browser):
    browser.wait(LOADED)
    return browser.run(PICTURES)


def check(browser, pictured, tally):
    test = Check(browser, tally)
    with test.named('pictures: drawn where they stand, with size and tokens'):
        show(browser, pictured, 'pictures/0')
        [own] = pictures_of(browser)
        test.equal((own['width'], own['height']), (160, 120), 'its pixels')
        test.equal(own['source'], 'data:image/png;base64,', 'where it comes from')
        test.equal(own['alt'], 'images/cat.png', 'its name')
        test.equal(own['aria'], 'image, images/cat.png, 448 × 336, 576 tokens', 'what is told aloud')
        test.true('448 × 336, 576 tokens' in own['words'], f'it says {own["words"]}')
        order = browser.run(
            "return [...document.querySelectorAll('[data-map=shared] .tok')].map((own) => own.matches('.picture') ? 'image' : own.textContent)"
        )
        test.equal(order, ['<s>', 'USER:', 'image', ' Is this a cat?', '⏎'], 'what stands around it')
        heading = browser.text('.sample h3 small')
        test.equal(heading, '580 tokens', 'the length of what candidates share')
        answers = browser.run("return [...document.querySelectorAll('.candidate .tok.answer')].map((own) => own.textContent)")
        test.equal(answers, [' yes', ' no'], 'the answers')
    with test.named('pictures: tokens are counted as the model counts them'):
        browser.hover('[id="token-shared.3"]')
        browser.wait("document.querySelector('#inspector').textContent.includes('token 578')")
        browser.run("document.querySelector('[id=\"token-shared.1\"]').focus()")
        browser.press('ArrowRight')
        browser.wait("document.activeElement.matches('.picture')")
        browser.wait("document.querySelector('#inspector').textContent.includes('448 × 336, 576 tokens · token 2')")
    with test.named('pictures: two in a prompt, no wider than the page'):
        show(browser, pictured, 'pictures/1')
        own = pictures_of(browser)
        test.equal([one['alt'].split('/')[1][:6] for one in own], ['a wide', 'cat.pn'], 'their order')
        test.true(own[0]['words'].endswith('2,400 × 160, 930 tokens'), f'it says {own[0]["words"]}')
        room = browser.run("return document.querySelector('.heat').getBoundingClientRect().width")
        test.true(0 < own[0]['shown'] <= room, f'{own[0]["shown"]} of {room} pixels')
    for row, reason in ((2, GONE), (3, CHANGED)):
        with test.named(f'pictures: {reason}'):
            show(browser, pictured, f'pictures/{row}')
            [own] = pictures_of(browser)
            test.equal(own['alt'], None, 'a picture of it')
            test.true(own['words'].endswith(f'not shown: {reason}'), f'it says {own["words"]}')


CONFIG = """from opencompass.models import HuggingFacewithChatTemplate
datasets = [dict(abbr='pictures', path='rows.jsonl', reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='MMPromptTemplate', template={label: dict(round=[
            dict(role='HUMAN', prompt_mm=dict(image=dict(type='image_url', image_url='file://{image}'), text=dict(type='text', text='{question}'))),
            dict(role='BOT', prompt=label)]) for label in ['yes', 'no']}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))]
models = [dict(type=HuggingFacewithChatTemplate, abbr='seeing', path='MODEL')]
"""


def check_run(browser, program, checkpoint, folder, tally):
    """A run by the program: its picture, and the same page once the file was changed, and once it is gone."""
    test = Check(browser, tally)
    folder = pathlib.Path(folder) / 'pictures'
    folder.mkdir(exist_ok=True)
    row = '<AIS_IMAGE_START>cat.png<AIS_CONTENT_TAG><AIS_TEXT_START>Is this a cat?<AIS_CONTENT_TAG>'
    (folder / 'config.py').write_text(CONFIG.replace('MODEL', str(checkpoint)))
    (folder / 'rows.jsonl').write_text(json.dumps({'question': row, 'answer': 'yes'}) + '\n')

    def ask(*command):
        subprocess.run([program, *command], cwd=folder, check=True, capture_output=True)

    file = png(96, 64, (200, 40, 40))
    (folder / 'cat.png').write_bytes(file)
    ask('run', 'config.py', '-w', 'out')
    ask('view', 'config.py', '--html', 'prompts.html')
    with test.named('pictures of a run and of prompts alone'):
        for name in ('report.html', 'prompts.html'):
            if name == 'report.html':
                ask('report', 'latest', '-w', 'out', '-o', name)
            show(browser, folder / name, 'pictures/0')
            [own] = pictures_of(browser)
            test.equal((own['width'], own['height'], own['alt']), (96, 64, 'cat.png'), f'{name}: the picture')
            test.true('96 × 64, ' in own['words'], f'{name}: it says {own["words"]}')
    with test.named('pictures of a run whose file was changed, and is gone'):
        (folder / 'cat.png').write_bytes(png(96, 64, (0, 0, 0)))
        ask('report', 'latest', '-w', 'out', '-o', 'changed.html')
        (folder / 'cat.png').unlink()
        ask('report', 'latest', '-w', 'out', '-o', 'gone.html')
        for name, reason in (('changed.html', 'has changed'), ('gone.html', 'cannot be read any more')):
            show(browser, folder / name, 'pictures/0')
            [own] = pictures_of(browser)
            test.true(own['alt'] is None and reason in own['words'], f'{name}: it says {own["words"]}')
