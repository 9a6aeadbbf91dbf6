"""Servers that nobody here wrote, asked by `surprisal run`: the greedy answers of a run of the same checkpoint by the program itself, and a
refusal to score where a server repeats no text.

    served_servers.py transformers|llama.cpp CHECKPOINT FOLDER

`transformers` needs torch and transformers with what `transformers serve` imports; `llama.cpp` needs xllamacpp, which holds its server.
SURPRISAL names the program. Exit code 1: an answer differs, or a score was given.
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
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "李雷", "Zoë"]
REFUSAL = "cannot say how surprising a given text is"
#: Both data sets of every server: continuations, and candidates by their surprisal.
DATASETS = """
from opencompass.models import HuggingFaceBaseModel, HuggingFacewithChatTemplate, OpenAISDK

reader = dict(input_columns=['question'], output_column='answer')
infer = dict(retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer'))
says = dict(
    abbr='says', path={rows!r}, reader_cfg=reader, eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template={template}), **infer),
)
choices = dict(
    abbr='choices', path={rows!r}, reader_cfg=reader, eval_cfg=dict(evaluator=dict(type='AccEvaluator')),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={{'a': '{{question}} yes', 'b': '{{question}} no'}}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer'),
    ),
)
common = dict(path={checkpoint!r}, max_out_len=24)
server = dict(openai_api_base={address!r}, temperature=0, max_workers=1, **common)
text = dict(type='served_text', abbr='text', **server)
"""
#: What each server is: how it is started, what it is asked, and the entries of both models.
SERVERS = {
    "transformers": (
        lambda checkpoint, port: [
            Path(sys.executable).parent / "transformers",
            *("serve", checkpoint, "--port", port, "--device", "cpu", "--dtype", "float32"),
        ],
        "dict(round=[dict(role='HUMAN', prompt='{question}')])",
        # Without the round of OpenCompass's own default, whose empty role SYSTEM ends every prompt with a line end; OpenAISDK has none.
        "meta = dict(round=[dict(role='HUMAN', api_role='HUMAN'), dict(role='BOT', api_role='BOT', generate=True)])\n"
        "own = dict(type=HuggingFacewithChatTemplate, abbr='own', meta_template=meta, **common)\n"
        "served = dict(type=OpenAISDK, abbr='served', **server)\n",
    ),
    "llama.cpp": (
        lambda checkpoint, port: [sys.executable, Path(__file__).with_name("llama_cpp_server.py"), checkpoint, port],
        "'{question}'",
        "own = dict(type=HuggingFaceBaseModel, abbr='own', **common)\nserved = dict(text, abbr='served')\n",
    ),
}


def wait_for(address, process):
    """Until the server answers."""
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
    """Runs a config that ends with these lines."""
    config = folder / f"{name}.py"
    config.write_text((folder / "all.py").read_text() + chosen)
    command = [os.environ["SURPRISAL"], "run", config, "--work-dir", folder / name, "--device", "cpu"]
    return subprocess.run([*command, *os.environ.get("OPTIONS", "").split()], capture_output=True, text=True, check=False)


def compared(folder):
    """Passed and failed, of a server that runs."""
    passed = failed = 0
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
    is_refused = ended.returncode == 2 and REFUSAL in " ".join(ended.stderr.split())
    if not is_refused:
        print(ended.stderr, file=sys.stderr)
    return passed + is_refused, failed + (not is_refused)


def main():
    name, checkpoint, folder = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    start, template, models = SERVERS[name]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(dict(question=f"Who is {name}?", answer="a")) + "\n" for name in NAMES))
    address = f"http://127.0.0.1:{port}"
    known = dict(rows=str(rows), checkpoint=str(checkpoint), address=f"{address}/v1", template=template)
    (folder / "all.py").write_text(DATASETS.format(**known) + models)
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(start(checkpoint, port), stdout=log, stderr=log)
    try:
        wait_for(address, process)
        passed, failed = compared(folder)
    finally:
        process.terminate()
        process.wait()
    print(f"served_{name.replace('.', '_')}: {passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
