"""OpenCompass's own classes of models behind an API ask `surprisal serve`, beside `surprisal run` of the same config.

    serve_opencompass.py PACKAGE CHECKPOINT FOLDER

PACKAGE holds `opencompass/` as it comes from PyPI. Its classes `OpenAI` and `OpenAISDK` are given the prompts that the run kept, and
have to come back with its predictions. SURPRISAL names the program.
"""

import importlib
import json
import logging
import os
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path

from serve_process import Server

CONFIG = """
from opencompass.models import HuggingFacewithChatTemplate

models = [dict(type=HuggingFacewithChatTemplate, abbr='own', path={checkpoint!r}, max_out_len=24)]
datasets = [
    dict(
        abbr='questions',
        path={rows!r},
        reader_cfg=dict(input_columns=['question'], output_column='answer'),
        infer_cfg=dict(
            prompt_template=dict(
                type='PromptTemplate',
                template=dict(
                    begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Answer in a few words.')],
                    round=[dict(role='HUMAN', prompt='{{question}}')],
                ),
            ),
            retriever=dict(type='ZeroRetriever'),
            inferencer=dict(type='GenInferencer'),
        ),
        eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
    )
]
"""
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "Jo", "李雷", "Zoë"]
META = dict(round=[dict(role="HUMAN", api_role="HUMAN"), dict(role="BOT", api_role="BOT", generate=True)], reserved_roles=[dict(role="SYSTEM", api_role="SYSTEM")])


def opencompass_models(package):
    """The module of OpenCompass's class, without those of other models, which import what is not here."""
    sys.path.insert(0, str(package))
    for name in ("opencompass.models", "opencompass.utils"):
        stub = types.ModuleType(name)
        stub.__path__ = [str(package / name.replace(".", "/"))]
        sys.modules[name] = stub
    sys.modules["opencompass.utils"].get_logger = lambda *_: logging.getLogger("opencompass")
    # Its base class names tensors in annotations alone.
    torch = types.ModuleType("torch")
    torch.Tensor = object
    sys.modules["torch"] = torch
    dist = types.ModuleType("mmengine.dist")
    importlib.import_module("mmengine").dist = sys.modules["mmengine.dist"] = dist
    module = importlib.import_module("opencompass.models.openai_api")
    # transformers, whose tokenizers they use, looks whether it is the real one.
    del sys.modules["torch"]
    return module


def predictions(checkpoint, folder):
    """The prompts and predictions of a run by the program itself."""
    rows = folder / "rows.jsonl"
    questions = [f"Who is {name}?" for name in NAMES] + [f"What does {name} like?" for name in NAMES]
    rows.write_text("".join(json.dumps(dict(question=own, answer="")) + "\n" for own in questions))
    config = folder / "config.py"
    config.write_text(CONFIG.format(checkpoint=str(checkpoint), rows=str(rows)))
    command = [os.environ["SURPRISAL"], "run", str(config), "--work-dir", str(folder / "outputs"), "--device", "cpu"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [kept] = (folder / "outputs").glob("*/predictions/own/questions.json")
    return list(json.loads(kept.read_text()).values())


def main():
    began = time.monotonic()
    package, checkpoint, folder = (Path(own).resolve() for own in sys.argv[1:4])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept = predictions(checkpoint, folder)
    openai_api = opencompass_models(package)
    prompts = [openai_api.PromptList(own["origin_prompt"]) for own in kept]
    passed = failed = 0
    with Server(checkpoint, "--name", "pocket") as server:
        addresses = dict(OpenAI=f"{server.address}/v1/chat/completions", OpenAISDK=f"{server.address}/v1")
        for name, address in addresses.items():
            model = getattr(openai_api, name)(
                path="pocket",
                tokenizer_path=str(checkpoint),
                key="none",
                openai_api_base=address,
                meta_template=META,
                query_per_second=64,
                temperature=0,
                retry=2,
                max_workers=8,
            )
            said = model.generate(prompts, max_out_len=24)
            for own, text in zip(kept, said, strict=True):
                # The one takes blanks off both ends, the other does not.
                expected = own["prediction"].strip() if name == "OpenAI" else own["prediction"]
                if text == expected:
                    passed += 1
                else:
                    failed += 1
                    print(f"{name}: {own['origin_prompt']}: {text!r} instead of {own['prediction']!r}", file=sys.stderr)
    print(f"serve_opencompass: {passed} passed, {failed} failed")
    print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
    sys.exit(failed > 0)


main()
