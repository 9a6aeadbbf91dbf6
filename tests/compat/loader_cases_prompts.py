"""Classes whose prompts stand in OpenCompass's modules, which both sides read in the same package."""

import json

from loader_case import Cases, lines, listed, repository

CASES = Cases()
add = CASES.add

FACTS = [{"input": " Ned went to the mill.\nIt rained {a lot}. ", "question": "Where is Ned? ", "target": "mill"}, {"input": "Ada is home.", "question": "Where is Ada?", "target": "home"}]
for task, length, more in (("qa1", "0k", {}), ("qa4", "1m", {"use_examples": False}), ("qa10", "2k", {"use_instruction": False, "use_post_prompt": False})):
    add("babilong.babilong.BabiLongDataset", {"path": "opencompass/babilong", "task": task, "split_name": length, **more}, {f"data/babilong/data/{task}/{length}.json": listed(*FACTS)}, ["prompt", "answer"])
for task, length, rows in (("qa11", "0k", FACTS), ("qa1", "3k", FACTS), ("qa1", "0k", [{"input": "x"}])):
    add("babilong.babilong.BabiLongDataset", {"path": "opencompass/babilong", "task": task, "split_name": length}, {f"data/babilong/data/{task}/{length}.json": listed(*rows)}, ["prompt", "answer"], fails=True)

QUESTION = {"question": "Who did it?", "choices": ["Ned", "Ada"], "answer": 1, "intermediate_trees": [], "intermediate_data": [{"story_hash_id": "h1"}]}
STORIES = [
    {"context": "The mill stood {still}.", "questions": [QUESTION, {**QUESTION, "answer": 0, "question": "Who else?"}]},
    {"context": "Again.", "questions": [QUESTION]},
    {"context": "Other é.", "questions": [{**QUESTION, "intermediate_data": [{"story_hash_id": "h2"}]}]},
    {"context": "None.", "questions": [{**QUESTION, "choices": ["a", "b", "c"], "intermediate_data": []}]},
]
for name in ("murder_mysteries", "object_placements", "team_allocation"):
    for more in ({}, {"self_consistency_n": 2, "sample_size": 2}, {"exclude_contrastive_examples": True}, {"exclude_contrastive_examples": True, "reverse_contrastive_sample": True, "offset": 1}):
        add("musr.musr.MusrDataset", {"path": "opencompass/musr", "name": name, **more}, {f"data/musr/{name}.json": json.dumps(STORIES)}, ["context", "prompt", "gold_answer"])
add("musr.musr.MusrDataset", {"path": "opencompass/musr", "name": "other"}, {"data/musr/other.json": json.dumps(STORIES)}, ["context", "prompt", "gold_answer"], fails=True)
add("musr.musr.MusrDataset", {"path": "opencompass/musr", "name": "team_allocation"}, {"data/musr/team_allocation.json": json.dumps([{"context": "x"}])}, ["context", "prompt", "gold_answer"], fails=True)

RULES = [{"idx": "1", "title": "t", "rule_content": "Shift {each} letter.", "tag": "x"}, {"idx": "2", "rule_content": "Swap é."}]
SAMPLES = [{"idx": "1", "question": "abc?", "answer": "[[bcd]]", "rule_id": "1"}, {"idx": "2", "question": "q", "answer": "r", "rule_id": "2"}, {"idx": "3", "question": "none", "answer": "s", "rule_id": "9"}]
SHOTS = [{"rule_id": rule, "question": f"shot {number} of {rule}", "answer": f"[[{number}]]"} for number in range(3) for rule in ("1", "2")]
KOR = "korbench.korbench.korbenchDataset"
for category in ("cipher", "logic"):
    under = f"data/korbench/{category}/"
    entry = {"path": "opencompass/korbench", "category": category, "mode": "singlescore"}
    read = ["prompt", "answer"]
    add(KOR, {**entry, "prompt_mode": "0_shot"}, {f"{under}rule.jsonl": lines(*RULES), f"{under}sample.jsonl": lines(*SAMPLES)}, read)
    add(KOR, {**entry, "prompt_mode": "3_shot"}, {f"{under}rule.json": listed(*RULES), f"{under}sample.json": listed(*SAMPLES), f"{under}three-shot.jsonl": lines(*SHOTS)}, read)
    add(KOR, {**entry, "prompt_mode": "3_shot"}, {f"{under}rule.json": listed(*RULES), f"{under}sample.json": listed(*SAMPLES), f"{under}three-shot.jsonl": lines(*SHOTS[:2])}, read, fails=True)
    add(KOR, {**entry, "prompt_mode": "odd"}, {f"{under}rule.jsonl": lines(*RULES), f"{under}sample.jsonl": lines(*SAMPLES)}, read, fails=True)

GPQA = [{"uuid": str(number), "question": f"Which {{one}} of {number}?", "options": ["a", "b", "c"][: number + 1], "answer": "a", "answer_letter": "A", "discipline": ["Law", "Art"][number % 2], "field": f"F{number}", "subfield": "S", "difficulty": "easy"} for number in range(3)]
for more in ({}, {"discipline": "Law"}, {"field": "F1"}, {"discipline": "Law", "subfield": "S", "field": "F2"}):
    for mode in ("zero-shot", "five-shot"):
        add("supergpqa.supergpqa.SuperGPQADataset", {"path": "m-a-p/SuperGPQA", "prompt_mode": mode, **more}, repository("m-a-p/SuperGPQA", default={"train": GPQA}), ["question", "options", "infer_prompt", "answer_letter"])
add("supergpqa.supergpqa.SuperGPQADataset", {"path": "m-a-p/SuperGPQA", "prompt_mode": "zero-shot"}, repository("m-a-p/SuperGPQA", default={"train": [{"question": "x"}]}), ["question", "infer_prompt"], fails=True)

JUDGER = "subjective.judgerbench.JudgerBenchDataset"
DUEL = {"conversation_a": [{"role": "user", "content": "Hi {x}"}, {"role": "assistant", "content": "one é"}, {"role": "user", "content": "More"}], "conversation_b": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "two"}], "model_a": "m", "model_b": "n", "winner": "model_a", "category": "c", "turn": 2}
for name in ("judgerbench_A_en", "judgerbench_A_cn"):
    for rows in ([DUEL, {**DUEL, "winner": "model_b"}], [DUEL]):
        add(JUDGER, {"path": "./data/jb", "name": name}, {f"data/jb/{name}.json": listed(*rows)}, ["judge_prompt", "judge"])
    for change in ({"conversation_a": [{"role": "system", "content": "x"}]}, {"winner": None, "turn": None, "model_a": None, "conversation_b": 1}):
        add(JUDGER, {"path": "./data/jb", "name": name}, {f"data/jb/{name}.json": listed({**DUEL, **change})}, ["judge_prompt", "judge"], fails=True)
ASKED = {"question": "Which {one}?", "prediction": "so é", "others": {"model": "m", "swap": False, "ref": "ref"}, "gpt4o_pred": "[[A]]"}
WILD = {**ASKED, "conversation": [{"role": "user", "content": "u1"}, {"role": "assistant", "content": "a1"}, {"role": "user", "content": "u2"}], "others": {"model": "m", "swap": True, "ref": "ref", "checklist": ["one", "it's"]}}
for benchmark in ("alignment_bench_v1_1", "alpaca_eval", "arenahard", "fofo_test_prompts", "fofo_test_prompts_cn", "wildbench"):
    row = {**(WILD if benchmark == "wildbench" else ASKED), "dataset_name": benchmark}
    add(JUDGER, {"path": "./data/jb", "name": "judgerbench_B"}, {"data/jb/judgerbench_B.json": listed(row, {**row, "question": None, "others": {**row["others"], "ref": None}})}, ["judge_prompt", "judge"])
for change in ({"dataset_name": "odd"}, {"dataset_name": "wildbench"}, {}):
    add(JUDGER, {"path": "./data/jb", "name": "judgerbench_B"}, {"data/jb/judgerbench_B.json": listed({**ASKED, **change})}, ["judge_prompt", "judge"], fails=True)
add(JUDGER, {"path": "./data/jb", "name": "judgerbench_A"}, {"data/jb/judgerbench_A.json": listed(DUEL)}, ["judge_prompt", "judge"], fails=True)
