"""Roles, comments, puzzles, and tasks that are a file each."""

import json

from loader_case import Cases, lines, listed, repository

CASES = Cases()
add = CASES.add

PROFILES = {"Ned": "A miller. {calm}", "Ada": "磨坊主"}


def said(kind, split, count):
    """Questions to roles."""
    return lines(*({"role": ["Ned", "Ada"][number % 2], "question": f"{kind} {split} {number}?", "generated": [f"So {number}.", "Or é."], "type": kind} for number in range(count)))


for class_name, language, folder in (
    ("InstructionGeneralizationEnglishDataset", "eng", "rolebench-eng/instruction-generalization"),
    ("RoleGeneralizationEnglishDataset", "eng", "rolebench-eng/role-generalization"),
    ("InstructionGeneralizationChineseDataset", "zh", "rolebench-zh"),
):
    read = ["role", "desc", "question", "answer"]
    for counts in ((3, 4), (40, 1), (1, 1)):
        files = {f"roles/{folder}/{kind}/{split}.jsonl": said(kind, split, count) for kind, count in zip(("general", "role_specific"), counts) for split in ("train", "test")}
        files[f"roles/profiles-{language}/desc.json"] = json.dumps(PROFILES)
        add(f"rolebench.{class_name}", {"path": "roles"}, files, read, "test")
    add(f"rolebench.{class_name}", {"path": "roles"}, {**files, f"roles/profiles-{language}/desc.json": '{"Ada": "x"}'}, read, "test", fails=True)

LABELS = ["severe_toxicity", "obscene", "threat", "insult", "identity_attack", "sexual_explicit"]


def comments(count, labels=LABELS):
    """Comments with shares of those who found them toxic."""
    return [{"text": f"c{number}", "toxicity": number % 5 / 4, **dict.fromkeys(labels, 0.25)} for number in range(count)]


def civil(rows, fails=False):
    """Only some of the rows are written down."""
    add("civilcomments.CivilCommentsDataset", {"path": "civil_comments"}, repository("civil_comments", default={"train": comments(3), "test": rows}), ["text", "label"], "test", fails)
    CASES[-1]["entry"]["reader_cfg"] |= {"train_range": "[0:3]", "test_range": "[0:40]"}


civil(comments(10_003))
civil(comments(9_999), fails=True)
civil(comments(10_000, LABELS[1:]), fails=True)

PUZZLE = {"train": [{"input": [[1, 2], [3, 4]], "output": [[0]]}], "test": [{"input": [[5]], "output": [[6, 7]]}, {"input": [[8]], "output": [[9]]}]}
for version, folder, task in (("arc_agi_1", "arc_prize_public_evaluation", "2072aba6"), ("arc_agi_2", "arc_agi_2_public_evaluation", "7b3084d4")):
    path = {"arc_agi_1": "opencompass/arc_prize_public_evaluation", "arc_agi_2": "opencompass/arc_agi_2_public_evaluation"}[version]
    read = ["training_data", "input_test_data", "output_test_data"]
    for named in (path, f"./data/{folder}"):
        add("arc_prize_public_evaluation.ARCPrizeDataset", {"path": named, "version": version}, {f"data/{folder}/{task}.json": json.dumps(PUZZLE), f"data/{folder}/ffffffff.json": "[]", f"data/{folder}/{task}.txt": ""}, read)
    for text in ("{", json.dumps({"train": [], "test": []})):
        add("arc_prize_public_evaluation.ARCPrizeDataset", {"path": path, "version": version}, {f"data/{folder}/{task}.json": text}, read, fails=True)
add("arc_prize_public_evaluation.ARCPrizeDataset", {"path": path, "version": "odd"}, {f"data/{folder}/{task}.json": json.dumps(PUZZLE)}, read, fails=True)

TASKS = [{"question": "问？", "answer": "甲", "options": ["甲"]}, {"question": "Why {x}?", "answer": "so"}]
CHOICES = [{"question": "q", "answer": ["A", "C"]}, {"question": "r", "answer": []}]
for rows in (TASKS, TASKS[1:], CHOICES):
    add("medbench.medbench.MedBenchDataset", {"path": "./data/MedBench", "name": "made", "setting_name": "zero-shot"}, {"data/MedBench/made.jsonl": lines(*rows)}, ["problem_input", "label"])
for text, setting in ((lines(*TASKS), "few-shot"), (lines({"question": "q"}), "zero-shot"), ("{", "zero-shot")):
    add("medbench.medbench.MedBenchDataset", {"path": "./data/MedBench", "name": "made", "setting_name": setting}, {"data/MedBench/made.jsonl": text}, ["problem_input", "label"], fails=True)

SEEDS = [{"instruction": "Choose.", "question": "Which?", "answer": "A"}, {"instruction": "选择。", "question": "é", "answer": "B,C"}]
for more in ({}, {"split": "train"}):
    add("SeedBench.SeedBenchDataset", {"path": "opencompass/seedbench", "data_files": "one-shot/1-2.json", **more}, {"data/SeedBench/one-shot/1-2.json": listed(*SEEDS), "data/SeedBench/zero-shot/1-1.json": "[]"}, ["instruction", "question", "answer"])
for more in ({"split": "test"}, {"data_files": "one-shot/1-9.json"}):
    add("SeedBench.SeedBenchDataset", {"path": "opencompass/seedbench", "data_files": "one-shot/1-2.json", **more}, {"data/SeedBench/one-shot/1-2.json": listed(*SEEDS)}, ["instruction", "question", "answer"], fails=True)

TABLES = [{"input": "|a|b|", "output": "1", "id": 3}, {"output": "é", "input": "|c|"}]
for rows in (TABLES, TABLES[1:]):
    add("s3eval.S3EvalDataset", {"path": "made/s3eval"}, repository("made/s3eval", default={"test": rows}), ["input", "output"])
add("s3eval.S3EvalDataset", {"path": "made/s3eval"}, repository("made/s3eval", default={"train": TABLES}), ["input", "output"], fails=True)

UNDER = "data/SciReasoner1.5/test-1.5/"
OUTPUTS = ['{"bandgap": 1.5}', '{"bandgap": "2e-1"}', "```json\n{\"bandgap\": 3}\n```", "<think>9</think> {'bandgap': '4.25 eV'}", "about -.5 eV", "none", "", "{'BandGap': 7, 'other': 8}", '{"bandgap": [1]}', "{other: 1} then 6", '{"bandgap": "x"} 2']
MATERIALS = [{"input": f"p{number}", "output": output} for number, output in enumerate(OUTPUTS)]
BAND = {"path": "opencompass/SciReasoner1.5", "name": "oqmd:bandgap", "task_type": "material", "source": "oqmd", "property_name": "bandgap"}
READ = ["prompt", "answer"]
for more in ({}, {"mini_set": True}, {"sample_size": 4}, {"mini_set": True, "sample_size": 3, "seed": 7}, {"mini_set": False, "sample_size": None}):
    add("SciReasoner1_5.SciReasoner15Dataset", {**BAND, **more}, {f"{UNDER}oqmd_test.json": listed(*MATERIALS)}, READ)
add("SciReasoner1_5.SciReasoner15Dataset", {**BAND, "source": "jarvis_dft", "property_name": "n-Seebeck"}, {f"{UNDER}jarvis_dft_test.json": json.dumps({"input": "alone", "output": '{"n-Seebeck": 12}'})}, READ)
TERMS = [{"input": "p", "output": "a; b", "name": "1abc", "chain": "A"}, {"input": "q", "output": "c", "name": "", "chain": None}, {"input": "r"}]
PAIRS = [{"input": "p", "output": "0.5", "meta": {"sid1": "x", "sid2": 7}}, {"input": "q", "output": 1, "meta": {"sid1": None}}, {"input": "r", "output": 0.25}]
DECOYS = [{"input": "p", "label": 1, "metadata": {"target": "t", "n": 2}}, {"input": "q", "label": "0", "metadata": {"target": "u", "n": 3}}, {"input": "r", "label": True}]
for name, file, rows, form in (("go_bp", "go_test_bp.json", TERMS, listed), ("tmscore", "tmscore_test.json", PAIRS, listed), ("dude_count", "dude_count.jsonl", DECOYS, lambda *rows: "\n" + lines(*rows) + "  \n")):
    entry = {"path": "opencompass/SciReasoner1.5", "name": name, "task_type": name}
    for some, more in ((rows, {}), (rows[:2], {"mini_set": True}), (rows, {"sample_size": 2, "seed": 5})):
        add("SciReasoner1_5.SciReasoner15Dataset", {**entry, **more}, {UNDER + file: form(*some)}, READ)
    for change in ({"task_type": "odd"}, {"name": "odd"}):
        add("SciReasoner1_5.SciReasoner15Dataset", {**entry, **change}, {UNDER + file: form(*rows)}, READ, fails=True)
    add("SciReasoner1_5.SciReasoner15Dataset", entry, {UNDER + file: form({"output": "x", "label": "x"})}, READ, fails=True)
add("SciReasoner1_5.SciReasoner15Dataset", {**BAND, "source": "odd"}, {f"{UNDER}oqmd_test.json": listed(*MATERIALS)}, READ, fails=True)
