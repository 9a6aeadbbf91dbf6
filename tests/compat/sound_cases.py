"""Draws sounds and models that hear, and writes what transformers makes of them in the form of tests/fixtures/vision.

    PYTHON sound_cases.py FIXTURES SEED FOLDER

FOLDER is what vision_cases.py has written. Prompts of Voxtral are those of mistral-common, put together here.
"""

import json
import math
import pathlib
import random
import sys
import wave

import numpy as np
import torch
from drawn_checkpoint import computed, numbers, saved_and_loaded, with_drawn_weights
from transformers import (
    AutoConfig,
    AutoProcessor,
    AutoTokenizer,
    Qwen2AudioForConditionalGeneration,
    VoxtralForConditionalGeneration,
    WhisperFeatureExtractor,
)

RATE = 16_000
#: Samples of a chunk in the fixtures' configs, and what stands for one in Voxtral.
CHUNK, TOKENS_OF_CHUNK = 32_000, 25
PROMPTS = 4
QUESTION = 'What is heard?'


def drawn_sounds(draw, noise, folder):
    """Tones with noise, of all lengths; what is longer than a chunk is called `over.wav`, of which models tell that it is cut."""
    sounds = {}
    lengths = [draw.choice([draw.randint(500, 8_000), draw.randint(8_000, CHUNK), CHUNK]) for _ in range(10)] + [draw.randint(CHUNK + 1, 70_000)]
    for number, length in enumerate(lengths):
        time = np.arange(length) / RATE
        tones = [draw.random() * np.sin(2 * np.pi * draw.uniform(60, 6_000) * time + draw.random()) for _ in range(4)]
        heard = sum(tones) / 4 + noise.normal(0, 0.02, length)
        if draw.random() < 0.2:
            heard[length // 2 :] = 0
        samples = (np.clip(heard, -1, 1) * 32_767).astype('<i2')
        name = 'audio/over.wav' if length > CHUNK else f'audio/{number}.wav'
        with wave.open(str(folder / name), 'wb') as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(samples.tobytes())
        sounds[name] = samples.astype(np.float32) / 32_768
    return sounds


def change_model(config, draw):
    """Draws other sizes into a config."""
    one = draw.choice
    text, hearing = config.text_config, config.audio_config
    layers = one([1, 2, 3])
    text.intermediate_size, text.num_hidden_layers = one([48, 64, 80]), layers
    text.num_key_value_heads = one([1, 2, text.num_attention_heads])
    if getattr(text, 'layer_types', None):
        text.layer_types = ['full_attention'] * layers
    if config.model_type == 'qwen2_audio':
        hearing.encoder_layers, hearing.encoder_attention_heads = one([1, 2, 3]), one([2, 4])
        hearing.d_model, hearing.encoder_ffn_dim = one([32, 48, 64]), one([48, 64, 96])
    else:
        hearing.num_hidden_layers, hearing.num_attention_heads = one([1, 2, 3]), one([2, 4, 8])


def qwen_inputs(source, sounds):
    """What Qwen2-Audio is given, and what a case says of it."""
    processor = AutoProcessor.from_pretrained(source)
    parts = [dict(type='audio', audio_url='sound') for _ in sounds] + [dict(type='text', text=QUESTION)]
    turns = [dict(role='user', content=parts)]
    rendered = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    inputs = processor(text=rendered, audio=sounds, sampling_rate=RATE, return_tensors='pt', padding=True)
    heard = inputs['feature_attention_mask'].sum(1).tolist()
    features = dict(input_features=numbers(inputs['input_features'], 32), feature_attention_mask=dict(row_sums=heard))
    return inputs, dict(rendered=rendered, processor=features)


def voxtral_inputs(source, sounds, audio_id):
    """The same of Voxtral: `<s>[INST]`, `[BEGIN_AUDIO]` and the sound's tokens, the question, `[/INST]`."""
    extractor, tokenizer = WhisperFeatureExtractor.from_pretrained(source), AutoTokenizer.from_pretrained(source)
    ids, features = tokenizer.convert_tokens_to_ids(['<s>', '[INST]']), []
    for sound in sounds:
        chunks = math.ceil(len(sound) / CHUNK)
        whole = np.pad(sound, (0, chunks * CHUNK - len(sound)))
        features.append(extractor(list(whole.reshape(chunks, CHUNK)), sampling_rate=RATE, return_tensors='pt').input_features)
        ids += tokenizer.convert_tokens_to_ids(['[BEGIN_AUDIO]']) + [audio_id] * (TOKENS_OF_CHUNK * chunks)
    ids += tokenizer(QUESTION, add_special_tokens=False).input_ids + tokenizer.convert_tokens_to_ids(['[/INST]'])
    given = torch.tensor([ids])
    inputs = dict(input_ids=given, input_features=torch.cat(features), attention_mask=torch.ones_like(given))
    return inputs, dict(text=QUESTION, processor=dict(input_features=numbers(inputs['input_features'], 32)))


def main():
    fixtures, seed, folder = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    (folder / 'audio').mkdir(parents=True)
    sounds = drawn_sounds(random.Random(seed), np.random.default_rng(seed), folder)
    for name, kind in (('qwen2_audio', Qwen2AudioForConditionalGeneration), ('voxtral', VoxtralForConditionalGeneration)):
        source, own = fixtures / 'models' / name, folder / 'models' / name
        draw = random.Random(f'{seed} {name}')
        config = AutoConfig.from_pretrained(source)
        change_model(config, draw)
        drawn = with_drawn_weights(kind._from_config(config, attn_implementation='eager').float(), draw.randrange(1 << 30))
        own.mkdir()
        model = saved_and_loaded(drawn, own, source)
        audio_id = getattr(model.config, 'audio_token_id', None) or model.config.audio_token_index
        cases = []
        for number in range(PROMPTS):
            names = draw.sample(sorted(sounds), draw.choice([1, 1, 2]))
            heard = [sounds[own] for own in names]
            inputs, told = qwen_inputs(source, heard) if name == 'qwen2_audio' else voxtral_inputs(source, heard, audio_id)
            cases.append(dict(name=f'drawn {number}', audio=names, **told, **computed(model, inputs, audio_id)))
        (own / 'expected.json').write_text(json.dumps(dict(cases=cases)))
        print(f'{name}: {len(cases)} prompts', file=sys.stderr)


if __name__ == '__main__':
    main()
