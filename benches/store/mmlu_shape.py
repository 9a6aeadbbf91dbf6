"""Writes a config and rows in the shape of five-shot MMLU: 57 data sets, 14,042 questions of four candidates.

    python3 benches/store/mmlu_shape.py FOLDER MODEL
    surprisal run FOLDER/mmlu.py -w FOLDER/out
    time surprisal report latest -w FOLDER/out    # the page alone: at most 8 MB
"""

import json
import random
import sys
from pathlib import Path

SUBJECTS, QUESTIONS, SHOTS = 57, 14_042, 5

CONFIG = """\
model = {model!r}
datasets = [dict(
    abbr=f'mmlu_subject_{{number:02}}', path=f'{folder}/subject_{{number:02}}',
    reader_cfg=dict(input_columns=['question', 'A', 'B', 'C', 'D'], output_column='answer',
                    train_split='dev', test_split='test'),
    infer_cfg=dict(
        ice_template=dict(type='PromptTemplate', template={{label: '</E>{{question}}\\nA. {{A}}\\nB. {{B}}\\nC. {{C}}\\nD. {{D}}\\nAnswer: ' + label
            for label in 'ABCD'}}, ice_token='</E>'),
        retriever=dict(type='FixKRetriever', fix_id_list=[0, 1, 2, 3, 4]),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type={evaluator!r}))) for number in range({subjects})]
models = [dict(type='HuggingFaceCausalLM', abbr='model', path=model)]
"""


def main() -> None:
    folder, model = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    draw = random.Random(57)
    words = [draw.choice("bcdfglmnprst") + draw.choice("aeiou") + draw.choice("dlmnrst") for _ in range(400)]

    def row() -> dict:
        text = lambda least, most: " ".join(draw.choices(words, k=draw.randint(least, most)))
        choices = {label: text(1, 3) for label in "ABCD"}
        return {"question": text(8, 20) + "?", **choices, "answer": draw.choice("ABCD")}

    for number in range(SUBJECTS):
        place = folder / f"subject_{number:02}"
        place.mkdir(parents=True, exist_ok=True)
        count = QUESTIONS // SUBJECTS + (number < QUESTIONS % SUBJECTS)
        for split, rows in (("dev", SHOTS), ("test", count)):
            lines = "".join(json.dumps(row()) + "\n" for _ in range(rows))
            (place / f"{split}.jsonl").write_text(lines)
    for name, evaluator in (("mmlu.py", "AccEvaluator"), ("other.py", "AccwithDetailsEvaluator")):
        text = CONFIG.format(model=str(model), folder=folder, evaluator=evaluator, subjects=SUBJECTS)
        (folder / name).write_text(text)


main()
