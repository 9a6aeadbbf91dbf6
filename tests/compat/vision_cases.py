"""Draws images, processors and models that see, and writes what transformers makes of them in the form of tests/fixtures/vision.

    PYTHON vision_cases.py FIXTURES SEED FOLDER

FOLDER/models/NAME has drawn weights of other sizes and prompts with one to three images; FOLDER/models/NAME-1, -2, … have another processor and
no weights. PaliGemma, whose prompts have a form of their own, has processors alone. Videos are not drawn.
"""

import hashlib
import json
import pathlib
import random
import shutil
import sys

import numpy as np
import torch
from drawn_checkpoint import computed, continued, numbers, saved_and_loaded, with_drawn_weights
from PIL import Image
from transformers import AutoConfig, AutoImageProcessor, AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor
from vision_configs import PIXTRALS, TILES, WITHOUT_PILLOW, beside_fields, change_model, processor_fields

#: Of each model.
PROCESSORS = 8
IMAGES_OF_PROCESSOR = 5
PROMPTS = 4
TEXTS = ['What is this?', 'Look: ', 'Compare it with ', 'Which is larger?\nA. one\nB. two\nAnswer:', ' and then ', 'Why?']


def drawn_images(draw, levels, folder):
    """Images of all sizes, smooth and with noise."""
    images = {}
    for number in range(60):
        width, height = (draw.choice([draw.randint(1, 30), draw.randint(31, 160), draw.randint(161, 900)]) for _ in range(2))
        coarse = levels.integers(0, 256, (height // 9 + 2, width // 9 + 2, 3), dtype=np.uint8)
        smooth = np.asarray(Image.fromarray(coarse).resize((width, height), draw.choice([0, 2, 3]))).astype(int)
        noisy = np.clip(smooth + levels.integers(-20, 21, smooth.shape), 0, 255).astype(np.uint8)
        name = f'{number}.png'
        images[name] = Image.fromarray(noisy)
        images[name].save(folder / name)
    return images


def levels_of(values, processor):
    """The levels that numbers were made of, in their order."""
    mean, std = (torch.tensor(field).double() for field in (processor.image_mean, processor.image_std))
    if values.dim() == 2:
        channel = torch.arange(values.shape[1]) // (values.shape[1] // 3)
    else:
        channel = torch.arange(3).view(3, 1, 1)
    levels = torch.round((values.double() * std[channel] + mean[channel]) * 255)
    return levels.clamp(0, 255).to(torch.uint8).numpy().tobytes()


def processed(name, processor, images, around):
    """What a processor makes of images, field by field; nothing where it refuses them."""
    options = dict(return_row_col_info=True) if name in TILES else {}
    if name in PIXTRALS:
        options['patch_size'] = around['patch_size'] * around.get('spatial_merge_size', 1)
    try:
        # As chat templates are applied: what one conversation shows is a list of its own.
        made = processor(images=[images], return_tensors='pt', **options)
    except (ValueError, RuntimeError, ZeroDivisionError):
        return None
    fields = {}
    for field, values in made.items():
        if field in ('pixel_values', 'image_pixel_values'):
            values = torch.as_tensor(values)
            told = numbers(values, 32)
            fields[field] = dict(told, u8_sha256=hashlib.sha256(levels_of(values.float(), processor)).hexdigest())
        elif field == 'pixel_attention_mask':
            mask = torch.as_tensor(values).to(torch.int64)
            digest = hashlib.sha256(mask.numpy().tobytes()).hexdigest()
            fields[field] = dict(shape=list(mask.shape), sum=mask.sum().item(), sha256_i64=digest)
        elif field == 'image_attention_mask':
            fields[field] = numbers(values, 32)
        else:
            fields[field] = np.asarray(values).tolist()
    return fields


def image_processor(folder):
    """The class on Pillow, where there is one."""
    if folder.name.split('-')[0] in WITHOUT_PILLOW:
        return AutoImageProcessor.from_pretrained(folder)
    return AutoImageProcessor.from_pretrained(folder, backend='pil')


def settings(folder):
    """The file of the image processor's fields, these, all that is in the file, and the fields around."""
    around = folder / 'processor_config.json'
    own = folder / 'preprocessor_config.json'
    file = own if own.exists() else around
    whole = json.loads(file.read_text())
    beside = whole if file == around else json.loads(around.read_text())
    return file, (whole if file == own else whole['image_processor']), whole, beside


def of_images(name, folder, images, draw):
    """Single images as the processor of a folder makes them."""
    processor, (*_, beside) = image_processor(folder), settings(folder)
    made = {}
    for file in draw.sample(sorted(images), IMAGES_OF_PROCESSOR):
        fields = processed(name, processor, [images[file]], beside)
        if fields:
            made[file] = {'pil': fields}
    return made


def write_processor(name, source, folder, images, draw):
    """A folder with another processor."""
    folder.mkdir()
    for file in ('config.json', 'preprocessor_config.json', 'processor_config.json'):
        if (source / file).exists():
            shutil.copy(source / file, folder)
    file, fields, whole, beside = settings(folder)
    for field, value in processor_fields(name, draw).items():
        if value is None:
            fields.pop(field, None)
        else:
            fields[field] = value
    beside.update(beside_fields(name, draw))
    if whole is not beside:
        (folder / 'processor_config.json').write_text(json.dumps(beside))
    file.write_text(json.dumps(whole))
    made = of_images(name, folder, images, draw)
    if not made:
        shutil.rmtree(folder)
        return
    expected = dict(image_processor_class=type(image_processor(folder)).__name__, cases=[], images=made)
    (folder / 'expected.json').write_text(json.dumps(expected))


def conversation(names, draw):
    """Images between texts, and perhaps a second turn."""
    parts = []
    for name in names:
        if draw.random() < 0.6:
            parts.append(dict(type='text', text=draw.choice(TEXTS)))
        parts.append(dict(type='image', path=f'images/{name}'))
    if draw.random() < 0.8:
        parts.append(dict(type='text', text=draw.choice(TEXTS)))
    turns = [dict(role='user', content=parts)]
    if draw.random() < 0.3:
        turns += [dict(role=role, content=[dict(type='text', text=text)]) for role, text in (('assistant', 'It.'), ('user', 'Why?'))]
    return turns


def write_model(name, source, folder, images, draw):
    """A folder with weights of other sizes, and prompts."""
    processor = AutoProcessor.from_pretrained(source)
    processor.image_processor = image_processor(source)
    template = processor.chat_template or (source / 'chat_template.jinja').read_text()
    config = AutoConfig.from_pretrained(source)
    change_model(name, config, draw)
    kind = AutoModelForCausalLM if name == 'phi4_multimodal' else AutoModelForImageTextToText
    drawn = with_drawn_weights(kind.from_config(config, attn_implementation='eager').float(), draw.randrange(1 << 30))
    folder.mkdir()
    model = saved_and_loaded(drawn, folder, source)
    config = model.config
    placeholder = getattr(config, 'image_token_id', None) or getattr(config, 'image_token_index', None)
    placeholder = placeholder or config.vision_config.image_token_id
    *_, beside = settings(folder)
    cases = []
    for number in range(PROMPTS):
        names = draw.sample(sorted(images), draw.choice([1, 1, 2, 3]))
        shown = [images[own] for own in names]
        fields = processed(name, processor.image_processor, shown, beside)
        if fields is None:
            continue
        turns = conversation(names, draw)
        rendered = processor.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, chat_template=template
        )
        bos = processor.tokenizer.bos_token
        options = dict(add_special_tokens=False) if bos and rendered.startswith(bos) else {}
        inputs = processor(text=[rendered], images=[shown], return_tensors='pt', **options)
        try:
            found = dict(computed(model, inputs, placeholder), **continued(model, inputs))
        except RuntimeError:
            # Mistral 3's own code takes no image of a single token.
            continue
        if placeholder in found['greedy']:
            # Kimi's own code reads a placeholder that was generated as token 0, which says nothing of the model.
            found['greedy_margin'] = 0.0
        pillow = None if name in WITHOUT_PILLOW else dict(found, processor=fields)
        told = dict(name=f'drawn {number}', conversation=turns, rendered=rendered, processor=fields, pil=pillow)
        cases.append(dict(found, **told))
    expected = dict(
        image_processor_class=type(processor.image_processor).__name__,
        cases=cases,
        images=of_images(name, source, images, draw),
    )
    (folder / 'expected.json').write_text(json.dumps(expected))
    print(f'{name}: {len(cases)} prompts', file=sys.stderr)


def main():
    fixtures, seed, folder = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / 'images').mkdir(parents=True)
    (folder / 'models').mkdir()
    images = drawn_images(random.Random(seed), np.random.default_rng(seed), folder / 'images')
    # A side that is too short for the most unlike sides that models take is for processors alone.
    usual = {name: image for name, image in images.items() if min(image.size) > 20 and max(image.size) < 500}
    for source in sorted((fixtures / 'models').iterdir()):
        name = source.name
        if not json.loads((source / 'expected.json').read_text()).get('image_processor_class'):
            continue
        draw = random.Random(f'{seed} {name}')
        if name != 'paligemma':
            write_model(name, source, folder / 'models' / name, usual, draw)
        processors = 0 if name in WITHOUT_PILLOW else PROCESSORS
        for number in range(1, processors + 1):
            write_processor(name, source, folder / 'models' / f'{name}-{number}', images, draw)


if __name__ == '__main__':
    main()
