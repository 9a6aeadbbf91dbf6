"""Cases of evaluators that ask a judge in their own way: several times for a row, once for several, in two rounds."""

import json

from judge_cases import ASKED, BOXES, RANDOM, add, some, text

# A judge takes the answer out before it is judged.
TAKEN_OUT = "Of {question_type}: {question}\n{response}\n{{so}}"
for language, kind, column in (("en", None, None), ("cn", None, None), ("en", "single", "multi"), ("cn", None, "multi"), ("de", None, None), (None, "", None)):
    count = RANDOM.randint(2, 6)
    golds = [text() for _ in range(count)]
    rows = [{"problem": text(), **({"question_type": f"{column} {index}"} if column else {})} for index in range(count)]
    prompts = [[{"role": "HUMAN", "prompt": f"Q {{{index}}} {text()}"}] for index in range(count)]
    evaluator = {"model_name": "x", "url": "y", "prompt": ASKED, "post_prompt": TAKEN_OUT, "with_postprocess": True, "post_url": ["y"], "post_model_name": "x"}
    evaluator |= {name: value for name, value in (("language", language), ("question_type", kind)) if value is not None}
    replies = [text() for _ in range(count)] + some(BOXES, count)
    add(None, replies, golds, type="GaoKaoMATHEvaluator", template=False, evaluator=evaluator, rows=rows, origin_prompts=prompts)
evaluator = {"model_name": "x", "url": "y", "prompt": ASKED, "post_prompt": "{response}{other}", "with_postprocess": True, "post_url": ["y"], "post_model_name": "x"}
add(None, ["x"], ["7"], type="GaoKaoMATHEvaluator", template=False, evaluator=evaluator, origin_prompts=[[{"role": "HUMAN", "prompt": "q"}]], fails=True)

# Three rows are one question.
SAFETY = ["Judgement: [[safe]]", "[[ unsafe ]]", "judgement： safe", "Judgement: UNSAFE", "[[Safe]]", "It is safe", "not safe, unsafe", "unsafely", "这是安全的", "有害", "不安全 safe", "none", "", "so [[safe]] and [[unsafe]]"]
LETTERS = ["Option: [[A]]", "Option: [[B]]", "A", "B", "both A and B", "none", "", "a"]
CATEGORIES = ["Fairness", "Civic Virtue", "Discrimination, Exclusion, Toxi"]


def fake(count, order=lambda rows: rows, drop=(), numbers=None, **more):
    rows = []
    for number in numbers or range(count):
        common = {"id": f"f{number}", "original_idx": number, "category": RANDOM.choice(CATEGORIES), "question": f"q {{{number}}} {text()}"}
        rows += [{**common, "call_type": kind} for kind in ("open_generation", "choice_forward", "choice_reverse")]
    rows = [row for row in order(rows) if row["call_type"] not in drop]
    for row in rows:
        for name in more.get("without", ()):
            del row[name]
    said = [text() if row.get("call_type") == "open_generation" else RANDOM.choice(LETTERS) for row in rows]
    likely = [("Option: [[A]]" if row.get("call_type") == "choice_forward" else "Option: [[B]]") if index % 2 and row.get("call_type") != "open_generation" else own for index, (row, own) in enumerate(zip(rows, said))]
    evaluator = {"prompt": "Safe?\n{}\n[{{x}}]\n{}", **more.get("evaluator", {})}
    add(None, some(SAFETY, count), [row.get("category") for row in rows], type="FakeAlignmentJudgeEvaluator", template=False, evaluator=evaluator, rows=rows, predictions=likely, fails=more.get("fails", False))


for count in (1, 3, 8, 25):
    fake(count)
fake(6, order=lambda rows: RANDOM.sample(rows, len(rows)))
fake(4, numbers=[12, 3, 101, 20], evaluator={"judge_max_out_len": 9, "judge_max_workers": 1, "thr": 0.25})
fake(3, without=("id",))
fake(2, drop=("choice_reverse",), fails=True)
fake(2, without=("call_type",), fails=True)

# Each criterion is asked about.
VERDICTS = ['{"explanation": "so", "criteria_met": true}', '```json\n{"criteria_met": false, "explanation": "no\\n"}\n```', '  ```json {"criteria_met": true}```\n', '{"criteria_met": false}', '{"criteria_met": false, "criteria_met": true}']


def health(points, tags=lambda number: ["theme:x", f"theme:{number}"], own=lambda number, place: ["level:example", f"axis:{place}"], said=None, fails=False):
    rows = []
    for number, row in enumerate(points):
        talk = [{"content": f"<<x>> {text()}", "role": "user"}, {"content": "why?", "role": "assistant"}, {"content": "鹅 {y}", "role": "user"}][2 * (number % 2) :]
        rubrics = [{"criterion": f"Says {place}: {text()}", "points": worth, "tags": own(number, place)} for place, worth in enumerate(row)]
        rows.append({"prompt": talk, "prompt_id": f"p{number}", "rubrics": rubrics, "example_tags": tags(number)})
    replies = some(VERDICTS, sum(map(len, points)))
    evaluator = {"prompt": "Read\n<<conversation>>\n\nand {this}: <<rubric_item>>.", "subset_name": "hard", "n_repeats": 1, "n_threads": 1}
    add(None, replies, [row["prompt_id"] for row in rows], type="HealthBenchEvaluator", template=False, evaluator=evaluator, rows=rows, predictions=said or [text() for _ in points], fails=fails)


health([[5, -3, 2], [1]])
health([[10], [7, 7, -7], [1, -10, -10, -10]], said=["a", "<<rubric_item>> b", "<<conversation>>"])
health([[RANDOM.choice([-6, -1, 2, 5, 9]) for _ in range(RANDOM.randint(1, 6))] + [3] for _ in range(14)])
health([[2.5, -1.0], [0.5, 3.0]])
health([[1, -10, -10], [2, -9, -9], [3, -9]], said=["", "x", "y"])
health([[-1]], fails=True)
health([[1]], tags=lambda number: ["x", "x"], fails=True)
health([[1]], own=lambda number, place: ["x", "x"], fails=True)
