"""Data sets of the shape of five-shot MMLU, with their config: `mmlu.py FOLDER [QUESTIONS]`.

57 subjects, four options, five examples that a subject's questions share: about 600 tokens of examples and 100 of a question, with
the tokenizer of `checkpoint.py`. FOLDER/mmlu.py is the config.
"""

import json
import pathlib
import random
import sys

SUBJECTS, QUESTIONS, SEED = 57, 14042, 7
SYLLABLES = [first + last for first in "bcdfghjklmnpqrstvwz" for last in ("a", "e", "i", "o", "u", "an", "er", "in", "ong", "est")]

DATASET = """datasets.append(dict(abbr='mmlu_{subject}', path='subject_{subject}',
    reader_cfg=dict(input_columns=['input', 'A', 'B', 'C', 'D'], output_column='target', train_split='train', test_split='test'),
    infer_cfg=dict(
        ice_template=dict(type='PromptTemplate', template={{opt:
            f'{{{{input}}}}\\nA. {{{{A}}}}\\nB. {{{{B}}}}\\nC. {{{{C}}}}\\nD. {{{{D}}}}\\nAnswer: {{opt}}\\n' for opt in ['A', 'B', 'C', 'D']}}),
        prompt_template=dict(type='PromptTemplate', template={{opt:
            f'The following are multiple choice questions (with answers) about subject {subject}.\\n\\n'
            f'</E>{{{{input}}}}\\nA. {{{{A}}}}\\nB. {{{{B}}}}\\nC. {{{{C}}}}\\nD. {{{{D}}}}\\nAnswer: {{opt}}' for opt in ['A', 'B', 'C', 'D']}},
            ice_token='</E>'),
        retriever=dict(type='FixKRetriever', fix_id_list=[0, 1, 2, 3, 4]),
        inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator'))))
"""


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: mmlu.py FOLDER [QUESTIONS]")
    folder, questions = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else QUESTIONS
    draw = random.Random(SEED)
    words = ["".join(draw.choice(SYLLABLES) for _ in range(draw.choice((1, 1, 2, 2, 3)))) for _ in range(3000)]
    prose = lambda least, most: " ".join(draw.choice(words) for _ in range(draw.randint(least, most)))

    def row():
        options = {letter: prose(1, 5) for letter in "ABCD"}
        return json.dumps({"input": prose(5, 20) + "?", **options, "target": draw.choice("ABCD")}) + "\n"

    for subject in range(SUBJECTS):
        rows = folder / f"subject_{subject}"
        rows.mkdir(parents=True, exist_ok=True)
        count = questions // SUBJECTS + (subject < questions % SUBJECTS)
        (rows / "train.jsonl").write_text("".join(row() for _ in range(5)))
        (rows / "test.jsonl").write_text("".join(row() for _ in range(count)))
    (folder / "mmlu.py").write_text("datasets = []\n" + "".join(DATASET.format(subject=subject) for subject in range(SUBJECTS)))


main()
