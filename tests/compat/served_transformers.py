"""A model behind `transformers serve`, asked by `surprisal run`: the greedy answers of a run of the same checkpoint by the program itself,
and a refusal to score, since that server repeats no text.

    served_transformers.py CHECKPOINT FOLDER

Needs torch and transformers with what its server imports. SURPRISAL names the program. Exit code 1: an answer differs, or a score was given.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PATIENCE_S = 180
CONFIG = """
from opencompass.models import HuggingFacewithChatTemplate, OpenAISDK

reader = dict(input_columns=['question'], output_column='answer')
says = dict(
    abbr='says', path={rows!r}, reader_cfg=reader,
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template=dict(round=[dict(role='HUMAN', prompt='{{question}}')])),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer'),
    ),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
)
choices = dict(
    abbr='choices', path={rows!r}, reader_cfg=reader,
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={{'a': '{{question}} yes', 'b': '{{question}} no'}}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer'),
    ),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
)
own = dict(type=HuggingFacewithChatTemplate, abbr='own', path={checkpoint!r}, max_out_len=24)
served = dict(type=OpenAISDK, abbr='served', path={checkpoint!r}, openai_api_base={address!r}, temperature=0, max_out_len=24, max_workers=1)
text = dict(type='served_text', abbr='text', path={checkpoint!r}, openai_api_base={address!r}, temperature=0, max_out_len=24, max_workers=1)
"""
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "李雷", "Zoë"]


def wait_for(address, process):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            sys.exit(f"the server ended with {process.returncode}")
        try:
            return urllib.request.urlopen(f"{address}/health", timeout=2).read()
        except OSError:
            time.sleep(0.5)
    sys.exit("the server does not answer")


def run(folder, name, chosen):
    config = folder / f"{name}.py"
    config.write_text((folder / "all.py").read_text() + chosen)
    command = [os.environ["SURPRISAL"], "run", str(config), "--work-dir", str(folder / name), "--device", "cpu"]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    checkpoint, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(dict(question=f"Who is {name}?", answer="a")) + "\n" for name in NAMES))
    address = f"http://127.0.0.1:{port}"
    (folder / "all.py").write_text(CONFIG.format(rows=str(rows), checkpoint=str(checkpoint), address=f"{address}/v1"))
    command = [Path(sys.executable).parent / "transformers", "serve", str(checkpoint), "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    with open(folder / "server.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    passed = failed = 0
    try:
        wait_for(address, process)
        ended = run(folder, "says", "datasets = [says]\nmodels = [own, served]\n")
        if ended.returncode != 0:
            sys.exit(ended.stderr)
        [kept] = (folder / "says").glob("*/predictions")
        own, served = (json.loads((kept / name / "says.json").read_text()) for name in ("own", "served"))
        for row in own:
            if own[row]["prediction"] == served[row]["prediction"]:
                passed += 1
            else:
                failed += 1
                print(f"{row}: {served[row]['prediction']!r} instead of {own[row]['prediction']!r}", file=sys.stderr)
        ended = run(folder, "choices", "datasets = [choices]\nmodels = [text]\n")
        is_refused = ended.returncode == 2 and "cannot say how surprising a given text is" in " ".join(ended.stderr.split())
        passed, failed = passed + is_refused, failed + (not is_refused)
        print(ended.stderr.strip(), file=sys.stderr)
    finally:
        process.terminate()
        process.wait()
    print(f"served_transformers: {passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
