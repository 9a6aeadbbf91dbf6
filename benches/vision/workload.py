"""A model that sees, of random weights, and what it is asked: `workload.py FOLDER --tokenizer FOLDER`.

LLaVA 1.5 in small: CLIP's tower at 336 pixels, so that an image is 576 tokens as in the published one, and a Llama of width 256.
200 questions with four candidates, four on each of 50 invented images. Whatever is drawn is drawn from a seed. The tokenizer has the form
of that of `tests/fixtures/vision/models/llava` and learns its words from the questions, so that these are about as many tokens as with a
published one: a token a word. 320 of them keep the head as small a part of the work as it is in a large model.
"""

import argparse
import json
import random
import shutil
from pathlib import Path

import torch
from PIL import Image, ImageDraw
from tokenizers import Tokenizer, models, trainers
from transformers import LlavaConfig, LlavaForConditionalGeneration

SEED = 11
IMAGES, QUESTIONS_OF_AN_IMAGE = 50, 4
VOCABULARY = 320
SIDE, PATCH, WIDTH = 336, 14, 256
TOKENIZER_FILES = ("tokenizer_config.json", "chat_template.json", "processor_config.json")
COLOURS = ("red", "green", "blue", "yellow", "purple", "orange", "white", "black")
SHAPES = ("circle", "square", "triangle", "line")


def config() -> LlavaConfig:
    # Wider than usual, so that what is said depends on the picture.
    text = dict(model_type="llama", vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=688, num_hidden_layers=6,
                num_key_value_heads=4, max_position_embeddings=2048, initializer_range=0.08, bos_token_id=1,
                eos_token_id=2, num_attention_heads=4, hidden_act="silu")
    tower = dict(model_type="clip_vision_model", hidden_size=WIDTH, intermediate_size=1024, num_hidden_layers=5,
                 num_attention_heads=4, image_size=SIDE, patch_size=PATCH, projection_dim=WIDTH)
    return LlavaConfig(text_config=text, vision_config=tower, image_token_index=4, vision_feature_layer=-2,
                       image_seq_length=(SIDE // PATCH) ** 2, vision_feature_select_strategy="default")


def model(folder: Path, tokenizer: Path) -> None:
    torch.manual_seed(SEED)
    LlavaForConditionalGeneration(config()).float().save_pretrained(folder)
    for name in TOKENIZER_FILES:
        shutil.copy(tokenizer / name, folder / name)
    settings = json.loads((tokenizer / "preprocessor_config.json").read_text(encoding="utf-8"))
    settings |= dict(size=dict(shortest_edge=SIDE), crop_size=dict(height=SIDE, width=SIDE))
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), encoding="utf-8")


def trained(own: Path, texts: list[str], path: Path) -> None:
    """A tokenizer of the form of `own` with the words of `texts`."""
    form = Tokenizer.from_file(str(own / "tokenizer.json"))
    special = [token.content for _, token in sorted(form.get_added_tokens_decoder().items())]
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer, learned.decoder = form.pre_tokenizer, form.decoder
    learned.post_processor = form.post_processor
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False)
    learned.train_from_iterator(texts, trainer)
    learned.save(str(path))


def picture(draws: random.Random) -> Image.Image:
    width, height = draws.randrange(320, 640), draws.randrange(320, 640)
    image = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    canvas = ImageDraw.Draw(image)
    for _ in range(draws.randrange(4, 12)):
        left, top = draws.randrange(width - 60), draws.randrange(height - 60)
        box = (left, top, left + draws.randrange(20, 200), top + draws.randrange(20, 200))
        shape, colour = draws.choice(("ellipse", "rectangle", "line")), draws.choice(COLOURS)
        getattr(canvas, shape)(box, fill=colour)
    return image


def question(draws: random.Random) -> dict:
    colours = draws.sample(COLOURS, 4)
    shape = draws.choice(SHAPES)
    asked = draws.choice((
        f"Which of these colours has the {shape} that lies nearest to the middle of the picture?",
        f"Somebody paints over the largest {shape}. Which colour is gone from the picture then?",
        f"What colour is the {shape} on the left of the picture, where the background is dark?",
    ))
    return dict(prompt=f"USER: <image>\n{asked} ASSISTANT:", candidates=[f" It is {colour}." for colour in colours])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    arguments = parser.parse_args()

    folder = arguments.folder
    (folder / "images").mkdir(parents=True, exist_ok=True)
    model(folder / "model", arguments.tokenizer)
    draws = random.Random(SEED)
    questions = []
    for number in range(IMAGES):
        name = f"images/{number:02}.png"
        picture(draws).save(folder / name)
        questions += [dict(image=name) | question(draws) for _ in range(QUESTIONS_OF_AN_IMAGE)]
    texts = [question["prompt"].replace("<image>", "") + "".join(question["candidates"]) for question in questions]
    trained(arguments.tokenizer, texts, folder / "model" / "tokenizer.json")
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
