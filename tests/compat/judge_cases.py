"""Cases of evaluators with a judge: made-up answers, and made-up replies in the forms that each rule reads."""

import random

CASES = []
RANDOM = random.Random(7)

WORDS = "the mill stands by a brook, geese count to seven. 鹅在磨坊 And_x yes2 no".split()


def text(least=1, most=6):
    return " ".join(RANDOM.choice(WORDS) for _ in range(RANDOM.randint(least, most)))


def add(rule, replies, golds=None, *, type="LMEvaluator", parameters=None, evaluator=None, template=None, rows=None, predictions=None, fails=False, model="tiny", **more):
    """One case: a reply for each question, each row's gold a record."""
    number = sum(case["rule"] == rule and case["evaluator"]["type"] == type for case in CASES)
    count = len(golds)
    rows = rows or [{"question": f"What of {index}? {text()}", "judge": gold} for index, gold in enumerate(golds)]
    if type not in ("LMEvaluator", "CharmMemoryEvaluator"):
        rows = [{**row, "subdivision": "unit", "idx": index} for index, row in enumerate(rows)]
    case = {
        "id": f"{rule or type}-{number}",
        "rule": rule,
        "model": model,
        "evaluator": {
            "type": type,
            "prompt_template": {"type": "PromptTemplate", "template": template or "Q: {question}\nA: {prediction}\nJudge."},
            **(evaluator or {}),
        },
        "predictions": predictions or [text() for _ in range(count)],
        "references": golds,
        "test_set": rows,
        "replies": replies,
    }
    if template is False:
        del case["evaluator"]["prompt_template"]
    case.update(more)
    if rule:
        case["evaluator"]["dict_postprocessor"] = {"type": rule, **(parameters or {})}
    if fails:
        case["fails"] = True
    CASES.append(case)


def some(values, count):
    return [RANDOM.choice(values) for _ in range(count)]


# What a judge is shown, and replies as they are.
COUNTS = "{question} / {prediction} / {prediction_en_word_count} / {prediction_cn_word_count} / {reference} / {obj_gold}"
add(None, some(["good", "bad"], 3), [{"capability": "x"}] * 3, template=COUNTS)
add(None, some(["good", "bad"], 2), ["river", "seven é"], template=COUNTS)
TURNS = [[{"round": 1, "user": "hi", "assistant": "it's me"}, {"round": 2, "user": "who?", "assistant": 'the "mill"'}], [{"round": 1, "user": "ah", "assistant": "é 鹅"}, {"round": 2, "user": "so", "assistant": "no"}]]
add(None, ["a", "b"], [{"capability": "x"}] * 2, template="{prediction}|{question}", predictions=TURNS, evaluator={"pack_all_predictions": True})
add(None, ["a", "b"], [{"capability": "x"}] * 2, template="{prediction_r1}|{prediction_r2}|{question}", predictions=TURNS)
LISTS = [{"index": index, "domain1": "D" + str(index % 2), "judge_prompt_list": [f"Criterion {n}: {{prediction}}!" for n in range(3)]} for index in range(3)]
add(None, some(["fine", "poor"], 9), LISTS, template="{prediction}", evaluator={"multi_eval": True})

# Marks.
CAPABILITIES = ["数学计算", "逻辑推理", "基本任务", "中文理解", "综合问答", "文本写作", "角色扮演", "专业能力"]
ALIGN = [
    "好。{'事实正确性': 9, '满足用户需求': 7, '综合得分': 8}",
    "{'旧': 1} 之后 {'清晰度': 3, '综合得分': 4} 完",
    "{'清晰度': 11, '综合得分': 4}",
    "{'别的': 3, '综合得分': 4}",
    "{}",
    "{'综合得分': x} 综合得分: 7",
    "事实正确性：8 分\n满足用户需求 7\n清晰度: 6/10\n完备性 9\n综合 8",
    "事实正确性：8 分\n清晰度: 6\n完备性 9\n综合 8",
    "创造性 4\n丰富度 5\n事实正确性 6 分 7\n满足用户需求 8\n逻辑连贯性 9\n总 10",
    "完备性 清晰度 nothing",
    "no mark",
    "{'综合得分': 10, '综合得分': 3}",
    "{'事实正确性': 5\n, '综合得分': 6}",
]
for count in (12, 30, 3):
    golds = [{"capability": RANDOM.choice(CAPABILITIES), "question": "q"} for _ in range(count)]
    add("alignbench_postprocess", some(ALIGN, count), golds, parameters={"judge_type": "general"})
add("alignbench_postprocess", ["no mark"] * 2, [{"capability": "数学计算"}] * 2)

FOFO = ['{"format_correctness": 1}', "{'format_correctness':  0, 'x': 1}", '"format_correctness": 10', "none", '"format_correctness": "1"']
for count in (8, 20):
    golds = [{"domain": RANDOM.choice("AB"), "format": RANDOM.choice(["JSON", "XML"]), "format_type": RANDOM.choice(["general", "special"])} for _ in range(count)]
    add("fofo_postprocess", some(FOFO, count), golds)
add("fofo_postprocess", ["none"], [{"domain": "A", "format": "x", "format_type": "general"}])

FOLLOW = {
    1: ["fine\nYES", "NO", "```\nmaybe\n```", "YES\nNO reason", "`YES`"],
    2: ["['YES', 'NO']", "so: [\"YES\", 'True']", "['YES']", "[YES, NO]", "none", "x\n['NO', 'PARTIAL'] end", "['YES', 'yes']"],
    3: ["['YES', 'NO', 'N/A']", "['YES', 'YES', 'YES']", "['UNKNOWN', 'MAYBE', 'False']"],
    4: ["['YES', 'YES', 'NO', 'YES']", "[]"],
    5: ["['YES', 'YES', 'NO', 'YES', 'True']", "['NO', 'NO', 'NO', 'NO', 'NO']"],
}
for groups in (1, 4, 6):
    golds = [{"level": level, "example_id": group} for group in range(groups) for level in range(1, 6)]
    add("followbench_postprocess", [RANDOM.choice(FOLLOW[gold["level"]]) for gold in golds], golds)
add("followbench_postprocess", ["YES", "['YES', 'NO']", "NO"], [{"level": 1}, {"level": 2}, {"level": 1}])

MT = ["Rating: [[5]]", "so Rating:\n[[7.5]] Rating: [[1]]", "[[5]]", "Rating: [[ 5 ]]", "Rating: [[10]]"]
for count in (6, 15):
    golds = [{"capability": RANDOM.choice(["math", "writing", "stem"]), "others": {"round": 2}} for _ in range(count)]
    add("mtbench_postprocess", some(MT, count), golds, template="{prediction_r1} then {prediction_r2}", predictions=[TURNS[index % 2] for index in range(count)])
add("mtbench_postprocess", ["none"], [{"capability": "math"}])

MT101 = ["[[5]]", "I give [7] of [10]", "none", "[[10]]", "[ 3 ]", "[1]"]
for count in (6, 18):
    golds = [{"task": RANDOM.choice(["CM", "SI"]), "multi_id": RANDOM.randint(1, 4), "turn_id": str(index)} for index in range(count)]
    add("mtbench101_postprocess", some(MT101, count), golds)
add("mtbench101_postprocess", ["none"], [{"task": "CM", "multi_id": 1, "turn_id": "1"}])

ARENA_POINTS = ["我的最终综合打分结果为：[[3分]]", "[[0分]] [[5分]]", "[[5分]]", "[[4]]", "[[12分]]"]
for count in (5, 16):
    golds = [{"category": RANDOM.choice(["创作", "代码"]), "difficulty": RANDOM.choice(["easy", "hard"]), "question": "q", "answer": "a"} for _ in range(count)]
    add("compassarena_subjectiveeval_pointwise_postprocess", some(ARENA_POINTS, count), golds)
add("compassarena_subjectiveeval_pointwise_postprocess", ["none"], [{"category": "创作", "difficulty": "easy"}], fails=True)

WRITING = ['{"score": 9, "reason": "x"}', "{'score': 4}", "score 4", '"score":10', '```json\n{"score": 2}\n```']
for count in (3, 7):
    golds = [{"index": index, "domain1": RANDOM.choice(["Law", "Art"]), "judge_prompt_list": [f"{n}: {{prediction}}" for n in range(4)]} for index in range(count)]
    add("writingbench_postprocess", some(WRITING, 4 * count), golds, template="{prediction}", evaluator={"multi_eval": True})

LETTERS = ["A", "B", "C", "I say B, not A", "none", "", "C or A"]
for count in (4, 12):
    add("csimpleqa_postprocess", some(LETTERS, count), [{"primary_category": "x", "question": "q", "question_id": index} for index in range(count)])

SAFETY = ["[[1]]", "[[ 0 ]] then [[3]]", "评分：1", "Score: 0", "score\": 1", "none", "[[1]] [[0]]"]
for count in (4, 12):
    golds = [{"task": RANDOM.choice(["安全回答", "other"]), "label": "x"} for _ in range(count)]
    add("elbench_safety_postprocess", some(SAFETY, count), golds, type="GenericLLMEvaluator")

# Numbers.
CHEM = ["<NUMBER> 0.5 </NUMBER>", "so \\boxed{1}", "\\boxed{0.25} and <NUMBER>.75</NUMBER>", "none", "\\boxed{-0.5}", "<NUMBER>1</NUMBER>"]
for count in (3, 9):
    rows = [{"id": index, "prompt": text(), "output": text(), "has_img": False, "qa_type": ["x"]} for index in range(count)]
    add("chem_exam_score_llmjudge_postprocess", some(CHEM, count), [row["output"] for row in rows], type="GenericLLMEvaluator", rows=rows, template="{prompt} {output} {prediction}")
VALUES = ["1.5", "about -2.25 eV", "none", "3.", "7", "+0.5 or 4", "1,5"]
for count in (3, 9):
    rows = [{"problem": text(), "answer": RANDOM.choice([0.0, 1.5, 2.0, -3.25])} for _ in range(count)]
    add("numerical_llmjudge_postprocess", some(VALUES, count), [row["answer"] for row in rows], type="GenericLLMEvaluator", rows=rows, template="{problem} {answer} {prediction}")

# Rubrics.
ADVANCED = [
    '{"rubrics_check": {"question_1": "Yes", "question_2": "No, it is not"}, "SATISFIED_ALL_REQUIREMENTS": "NO"}',
    'so\n```json\n{"rubrics_check": {"q": "yes!", "r": true}, "SATISFIED_ALL_REQUIREMENTS": " yes "}\n```',
    '{"SATISFIED_ALL_REQUIREMENTS": "YES"}',
    '{"rubrics_check": {"a": "yes"}, "SATISFIED_ALL_REQUIREMENTS": "maybe"}',
    '{broken "SATISFIED_ALL_REQUIREMENTS" : "no" }',
    "none",
]
for count in (4, 14):
    rows = [{"rubrics_text": text(), "benchmark_name": "x"} for _ in range(count)]
    add("advancedif_rubric_postprocess", some(ADVANCED, count), ["x"] * count, type="GenericLLMEvaluator", rows=rows, template="{rubrics_text} {prediction}")
INVERSE = [
    '{"answer_score": 1, "why": "x"}',
    '```json\n{"answer_score": 0}\n```',
    '```\n{"answer_score": "1"}\n```',
    '"answer_score": "0" {broken',
    "【评分】：1分",
    "评分 : 0 分",
    "none",
    "",
    '{"answer_score": 2}',
    'answer_score：1',
]
for count in (5, 20):
    rows = [
        {
            "instruction_types": RANDOM.choice(["Question Correction", "Code without Comments", "Own Kind"]),
            "prompt": text(),
            "response_reference": text(),
            "language": RANDOM.choice(["english", "chinese"]),
        }
        for _ in range(count)
    ]
    add("inverse_ifeval_judge_postprocess", some(INVERSE, count), [row["response_reference"] for row in rows], type="GenericLLMEvaluator", rows=rows, template="{prompt} {response_reference} {prediction}")

# Two models.
PAIR = "{question}\n1: {prediction} ({prediction_en_word_count})\n2: {prediction2} ({prediction2_cn_word_count})\n{reference}"


def duel(rule, replies, golds, order, base="big", parameters=None, fails=False, keep=False, answers=text, model="tiny", template=PAIR):
    count = len(golds)
    rows = [{"question": f"{index}? {text()}", "base_predictions": [{"model": base, "prediction": answers()}], "judge": gold} for index, gold in enumerate(golds)]
    evaluator = {"comparison": {"base_models": [base], "infer_order": order}}
    if keep:
        evaluator["keep_predictions"] = True
    add(rule, some(replies, count * (2 if order == "double" else 1)), golds, rows=rows, evaluator=evaluator, template=template, parameters=parameters, fails=fails, predictions=[answers() for _ in range(count)], model=model)


def questions(count, **more):
    return [{"question": f"q{RANDOM.randint(0, 5)}", "capability": RANDOM.choice(["x", "y"]), **more} for _ in range(count)]


for order in ("random", "double", None):
    duel(None, ["a", "b"], questions(4), order)
duel(None, ["a", "b"], questions(4), "random", keep=True)
for count in (1, 6, 25):
    duel("alpacaeval_postprocess", ["m", "M", "model", "none", "", "Mm"], questions(count), "random")
duel("alpacaeval_postprocess", ["none"], questions(2), "random", fails=True)
ARENA = ["[[A>B]]", "so [[A>>B]] [[B>A]]", "[[A=B]]", "[[B>A]]", "[[B>>A]]", "[[A<B]]", "none"]
for count in (6, 10, 40):
    duel("arenahard_postprocess", ARENA, questions(count), "double", base="gpt4-0314")
# The solver of the original fails where every verdict is for the same place; the share of wins is known all the same.
duel("arenahard_postprocess", ["[[A>B]]"], questions(4), "random", base="gpt4-0314", fails=True)
duel("arenahard_postprocess", ["none"], questions(2), "double", base="gpt4-0314")
duel("arenahard_postprocess", ["[[A=B]]"], questions(2), "double", base="other", fails=True)
COMPASS = ["选择：A", "Choice: B", "Choice: C", "none", "评价 选择：C"]
for count in (3, 12):
    for parameters in ({"summary_type": "single", "check_pos_bias": True}, {"summary_type": "half_add", "check_pos_bias": False}, {}):
        duel("compassarena_postprocess", COMPASS, questions(count), "double", parameters=parameters)
duel("compassarena_postprocess", COMPASS, questions(9), "random")
BENCH = [*ARENA, "[[A<<B]]", "[[B<A]]", "[[B=A]]", "[[B<<A]]", "[[AB]]"]
for count in (4, 20):
    for order in ("double", "random"):
        golds = [{"category": RANDOM.choice(["创作", "代码"]), "difficulty": RANDOM.choice(["easy", "hard"]), "question": "q", "answer": "a"} for _ in range(count)]
        duel("compassarena_subjectiveeval_pairwise_postprocess", BENCH, golds, order)
WILD = ['{"choice": "A++"}', '"choice": "A+"', '"choice": "A=B",', '"choice": "B+"', '"choice": "B++"', '"choice": "C"', "none"]
TAGS = ["Information seeking", "Creative Writing", "Coding & Debugging", "Reasoning", "Editing", "Math", "Planning", "Brainstorming", "Role playing", "Advice seeking", "Data Analysis", "Others"]
for count in (4, 25):
    golds = [{"other": "x", "primary_tag": RANDOM.choice(TAGS), "secondary_tag": some(TAGS, 2), "question_id": index} for index in range(count)]
    duel("wildbench_postprocess", WILD, golds, "random", template="{question}{prediction}{prediction2}")
duel("wildbench_postprocess", ["none"], golds[:2], "random")

# Matches, whose answers are kept.
MARKED = ["# one\n## two\ntext", "- a\n* b\n1. c\n", "**bold** __under__ *x*", "```py\n# no\n- no\n``` after", "plain 鹅 <|endoftext|>", "", "###### six\n\n  + deep"]


def marked():
    return "\n".join(some(MARKED, RANDOM.randint(1, 3)))


def turns():
    return [{"round": 1, "user": text(), "assistant": marked()}, {"round": 2, "user": text(), "assistant": text()}]


for count in (4, 12):
    duel("alpacaeval_bradleyterry_postprocess", ["m", "M", "none"], questions(count), "random", keep=True, answers=marked)
    duel("arenahard_bradleyterry_postprocess", ARENA, questions(count), "double", keep=True, answers=marked)
    for parameters in ({}, {"count_ties": False}):
        duel("compassarena_bradleyterry_postprocess", COMPASS, questions(count), "random", keep=True, answers=marked, parameters=parameters)
    golds = [{"category": "创作", "difficulty": RANDOM.choice(["easy", "hard"]), "question": "q"} for _ in range(count)]
    duel("compassarena_subjectiveeval_bradleyterry_postprocess", BENCH, golds, "random", keep=True, answers=marked)
    golds = [{"other": "x", "primary_tag": RANDOM.choice(TAGS), "secondary_tag": some(TAGS, RANDOM.choice([1, 2])), "question_id": index} for index in range(count)]
    duel("wildbench_bradleyterry_postprocess", WILD, golds, "random", keep=True, answers=marked)
duel("arenahard_bradleyterry_postprocess", ["[[A>B]]"], questions(3), "random", keep=True, answers=turns, template="{question}{prediction_r1}{prediction2_r1}")
duel("arenahard_bradleyterry_postprocess", ["[[A>B]]"], questions(3), "random", fails=True)

# Evaluators of their own.
ATLAS = [
    '<think>"label": "B"</think>```json\n{"judgements": [{"label": "A"}, {"label": "A", "explanation": "\\frac{1}{2}"}]}\n```',
    '```\n[{"label": "A"}, {"label": "B"}]\n```',
    '{"judgements": [{"label": "A", "explanation": "so \\alpha"}]}',
    'so "label": "A", "explanation": "x',
    'so "label": "A"',
    '```json\n{broken\n```',
    '```json\n{"judgements": {"label": "A"}}\n```',
    '```json\n{"judgements": []}\n```',
    '```json\n{"other": 1}\n```',
    "none",
]
ANSWERED = ['```json\n{"answers": ["1", "2"]}\n```', 'so {"answers": ["3"]}', "none"]
for count in (3, 20):
    rows = [{"problem": text(), "answer": text()} for _ in range(count)]
    evaluator = {"judge_cfg": {"judgers": [{"path": "x"}]}, "pred_postprocessor": {"type": "atlas_pred_postprocess", "think_tags": ["<think>", "</think>"]}}
    add("atlas_judge_postprocess", some(ATLAS, count), [row["answer"] for row in rows], type="ATLASLLMEvaluator", rows=rows, template="{problem} {answer} {prediction}", predictions=some(ANSWERED, count), evaluator=evaluator, parameters={"think_tags": ["<think>", "</think>"]})

rows = [
    {"instruction_types": "Own Kind", "prompt": text(), "response_reference": text(), "language": "english", "judge_prompt_template": "P {prompt} R {response_reference} S {response} {prediction} {language}", "judge_system_prompt": "Be {fair}."}
    for _ in range(4)
]
add("inverse_ifeval_judge_postprocess", some(INVERSE, 4), [row["response_reference"] for row in rows], type="GenericLLMEvaluator", rows=rows, evaluator={"prompt_template": {"type": "InverseIFEvalJudgePromptTemplate"}})

CHOICES = ['{"Choice": "Model A"}', 'x "Choice": "Model B" y "Choice": "Model A"', "B", "none", "", '"Choice": "model A"', "A is better"]
for count in (3, 12):
    golds = [{"winner": RANDOM.choice("AB"), "subset": "x"} for _ in range(count)]
    add(None, [], golds, type="JudgeEvaluator", template=False, predictions=some(CHOICES, count))

PROTEINS = ["Yes", "No", "It will be soluble.", "The answer is no", "perhaps", "impossible", ""]
for count, answers in ((4, PROTEINS), (12, PROTEINS), (3, ["No"])):
    golds = some(["Yes", "No"] if answers is PROTEINS else ["No"], count)
    add(None, [], golds, type="PEER_Evaluator", template=False, predictions=some(answers, count), evaluator={"task": "stability"})

for count in (3, 10):
    golds = some(["磨坊", "[not]鹅", ["一", "七"]], count)
    rows = [{"input": text(), "target": str(gold)} for gold in golds]
    said = some(["是磨坊", "鹅在磨坊", "我不确定，七", "七只", "x"], count)
    add(None, [], golds, type="CharmMemoryEvaluator", template=False, rows=rows, predictions=said, inputs=["input"])

BOXES = ["so \\boxed{yes}", "\\boxed{yes} or \\boxed{no}", "\\boxed{no}", "yes", "\\boxed{ yes}", "\\boxed{}\\boxed{yes}"]
ASKED = "Is it {gold_answer}? Box \\boxed{{yes}} or not.\n{question}\n{answer}"
for count in (3, 9):
    golds = [text() for _ in range(count)]
    prompts = [[{"role": "HUMAN", "prompt": f"Q {{{index}}} {text()}"}] for index in range(count)]
    evaluator = {"model_name": "x", "url": "y", "prompt": ASKED}
    add(None, some(BOXES, count), golds, type="GaoKaoMATHEvaluator", template=False, evaluator=evaluator, origin_prompts=prompts)

WEIGHTS = {"travel": [20.5, 30.25, 49.25], "blogs": [60.0, 40.0]}


def points(*shares):
    listed = ", ".join(f'{{"checklist_id": {index}, "reason": "so\\n", "evaluation_score": {share}}}' for index, share in enumerate(shares))
    return f"[{listed}]"


HELLO = [points(1, 0.5, 0.25), "```json\n" + points('"0.5"', 0) + "\n```", points(1, 1), points(0, 0.75, 1.0), points(1.5, 0, 0), "none", points(1), '[{"checklist_id": "a", "evaluation_score": 1}]']
for count in (4, 16):
    golds = []
    for _ in range(count):
        kind = RANDOM.choice(list(WEIGHTS))
        golds.append({"category": "x", "subcategory": kind, "num_checklist": len(WEIGHTS[kind])})
    add("hellobench_postprocess", some(HELLO, count), golds, parameters={"weights": WEIGHTS})
