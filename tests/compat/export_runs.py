"""The runs whose tables export.py reads: tiny models, and data that makes a table hard to read."""

import json
import shutil
import struct
import subprocess

TABLES = ["samples", "candidates", "tokens"]
FORMATS = ["jsonl", "csv", "parquet"]

# A character that no other text holds: its embedding is made NaN in the model that fails.
BROKEN = "Z"

PARTS = """
def data(abbr, template, inferencer, columns, gold='answer', evaluator='AccEvaluator', **more):
    return dict(abbr=abbr, path=abbr.split('-')[0] + '.jsonl',
        reader_cfg=dict(input_columns=columns, output_column=gold),
        infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template=template),
            retriever=dict(type='ZeroRetriever'), inferencer=inferencer),
        eval_cfg=dict(evaluator=dict(type=evaluator), **more))

ppl, gen, only = dict(type='PPLInferencer'), dict(type='GenInferencer', max_out_len=4), dict(type='PPLOnlyInferencer')
letters = {letter: '{question} {' + letter + '}' for letter in 'ABC'}
columns = ['question', 'A', 'B', 'C']
choices = data('choices', letters, ppl, columns)
answers = [data('choices-' + rule, letters, ppl, columns, rule=rule)
    for rule in ['sum', 'text_sum', 'per_token', 'per_byte']]
counts = data('counts', {0: '{question} no', 1: '{question} yes'}, ppl, ['question'])
normalized = data('counts-normalized', {0: '{question}</S> no', 1: '{question}</S> yes'},
    dict(ppl, normalizing_str='So: '), ['question'])
normalized['infer_cfg']['prompt_template']['sep_token'] = '</S>'
unsaid = data('unsaid', {'None': '{question} no', 'some': '{question} yes'}, ppl, ['question'])
marked = data('marked', letters, ppl, columns, dataset_postprocessor=dict(type='first-capital'))
several = data('several', letters, ppl, columns, evaluator='EMEvaluator')
words = data('words', '{question}', gen, ['question'])
named = data('named', '{question}', gen, ['question'])
measures = data('measures', '{question}', gen, ['question'])
texts = data('texts', '{text}', only, ['text'], None, 'AveragePPLEvaluator')
many = data('many', '{text}', only, ['text'], None, 'AveragePPLEvaluator')
turns = dict(abbr='turns', path='turns.jsonl', reader_cfg=dict(input_columns=['question'], output_column='answer'),
    infer_cfg=dict(retriever=dict(type='ZeroRetriever'),
        inferencer=dict(type='ChatInferencer', infer_mode='every', max_out_len=4)))
spoken = data('spoken', dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')]),
    dict(only, assistant_only=True), ['question', 'answer'], None, 'AveragePPLEvaluator')
tiny = dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=64)
second = dict(tiny, abbr='second', path='models/tiny-llama-eospad')
broken = dict(tiny, abbr='broken', path='models/broken')
pocket = dict(type='HuggingFacewithChatTemplate', abbr='pocket', path='models/pocket')
"""

# Each in a working folder of its own: data sets and models.
RUNS = {
    "plain": ("[choices] + answers + [words, texts, turns]", "[tiny, second]"),
    "normalized": ("[normalized]", "[tiny]"),
    "spoken": ("[spoken]", "[pocket]"),
    "numbers": ("[counts, measures]", "[tiny]"),
    # Texts that a reader may take for something else.
    "odd": ("[named]", "[tiny]"),
    # A label that is the text of a missing gold.
    "unsaid": ("[unsaid]", "[tiny]"),
    # Golds that are no label as they stand in the data: one to be read out of a text, and lists.
    "golds": ("[marked, several]", "[tiny]"),
    "nulls": ("[texts]", "[tiny]"),
    # Without candidates: a table of no lines.
    "generated": ("[words]", "[tiny]"),
    "failed": ("[choices, words]", "[broken]"),
    # What a reader sees first says nothing of what comes later.
    "late": ("[many, choices]", "[tiny]"),
}

DATA = {
    "choices": [
        {"question": 'Is it "red", or\nblue?', "A": "red, very", "B": "日本é", "C": 'a "quote"', "answer": "A"},
        {"question": "naïve 🙂", "A": "", "B": "b", "C": "c\r\nd", "answer": "B"},
        {"question": "third; tab\there", "A": "x", "B": "y", "C": "z", "answer": None},
        {"question": "it's 'so'", "A": "x", "B": "yes", "C": "zz", "answer": "C"},
        {"question": f"{BROKEN} fails", "A": "x", "B": "y", "C": "w", "answer": "C"},
    ],
    "counts": [{"question": f"how many {index}", "answer": index % 2} for index in range(5)]
    + [{"question": "none", "answer": None}],
    "words": [
        {"question": "say cat", "answer": "cat"},
        {"question": "东京, or not\n", "answer": 'with "quotes", a comma\nand a line'},
        {"question": "no gold", "answer": None},
        {"question": f"{BROKEN} fails", "answer": "cat"},
    ],
    "named": [
        {"question": f"{answer} is odd", "answer": answer}
        for answer in ["NA", "null", "None", "nan", "", "007", "4", "true", "2024-01-02", "1e5", " padded "]
    ],
    "measures": [{"question": "how long", "answer": answer} for answer in [1.5, None, 2.0]],
    "unsaid": [{"question": f"what {answer}", "answer": answer} for answer in ["None", "some", None]],
    "marked": [
        {"question": f"which {letter}", "A": "x", "B": "y", "C": "z", "answer": f"{letter}) this"} for letter in "ABC"
    ],
    "several": [
        {"question": "which", "A": "x", "B": "y", "C": "z", "answer": answer} for answer in [["A", "B"], ["C"]]
    ],
    "texts": [{"text": text} for text in ["once upon", "a", "中国的首都是哪里？", "café"]],
    "many": [{"text": f"once upon {index}"} for index in range(150)],
    "turns": [{"question": ["one", "two"], "answer": ["x", "y"]}],
    "spoken": [{"question": "What is red?", "answer": "An apple is."}, {"question": "é?", "answer": "Ünï — ok"}],
}


def break_model(folder):
    """Makes the embedding of BROKEN a NaN, so that only what holds it fails."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    weights = bytearray((folder / "model.safetensors").read_bytes())
    header_bytes = struct.unpack("<Q", weights[:8])[0]
    embedding = json.loads(weights[8 : 8 + header_bytes])["model.embed_tokens.weight"]
    start, end = embedding["data_offsets"]
    row_bytes = (end - start) // embedding["shape"][0]
    first = 8 + header_bytes + start + vocabulary[BROKEN] * row_bytes
    weights[first : first + row_bytes] = b"\xff" * row_bytes
    (folder / "model.safetensors").write_bytes(weights)


def make(surprisal, repository, folder):
    """Runs everything and exports every table in every format; the results that `run --json` tells, by run."""
    shutil.copytree(repository / "tests/fixtures/e2e_models", folder / "models")
    shutil.copytree(repository / "models/pocket", folder / "models/pocket")
    shutil.copytree(folder / "models/tiny-llama-bos", folder / "models/broken")
    break_model(folder / "models/broken")
    for name, rows in DATA.items():
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8", newline="")

    def command(*arguments, codes=(0,)):
        run = subprocess.run([surprisal, *arguments], cwd=folder, capture_output=True, encoding="utf-8", check=False)
        if run.returncode not in codes:
            raise SystemExit(f"surprisal {' '.join(arguments)}: exit code {run.returncode}\n{run.stderr}")
        return run.stdout

    results = {}
    for run, (datasets, models) in RUNS.items():
        config = f"{PARTS}\ndatasets = {datasets}\nmodels = {models}\n"
        (folder / f"{run}.py").write_text(config, encoding="utf-8")
        codes = (1,) if run == "failed" else (0,)
        results[run] = json.loads(command("run", f"{run}.py", "-w", run, "--threads", "1", "--json", codes=codes))
        for table in TABLES:
            for kind in FORMATS:
                command("export", "latest", "-w", run, "--table", table, "-o", f"{run}/{table}.{kind}")
    return results
