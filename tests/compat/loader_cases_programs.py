"""Programs, texts, judged tasks, adversarial sentences."""

import json

from loader_case import Cases, lines, listed, repository

CASES = Cases()
add = CASES.add

TASKS = [{"task_id": f"T/{number}", "prompt": f"def f{number}():\n", "entry_point": f"f{number}", "test": "assert", "n": number} for number in range(3)]


def several(class_name, entry, name, read, rows=TASKS, form=lines, broken="{", split=None):
    """A file of rows, a shorter one, a broken one, and none."""
    add(class_name, entry, {name: form(*rows)}, read, split)
    add(class_name, entry, {name: form(*rows[1:2])}, read, split)
    if broken is not None:
        add(class_name, entry, {name: broken}, read, split, fails=True)
    add(class_name, entry, {}, read, split, fails=True)


ASK = ["prompt", "test"]
BIG = "bigcodebench.bigcodebench.BigCodeBenchDataset"
several(BIG, {"path": "opencompass/bigcodebench", "release_version": "v0.1.2"}, "data/bigcodebench/BigCodeBench-v0.1.2.jsonl", ASK)
several(BIG, {"path": "opencompass/bigcodebench", "dataset_version": "hard"}, "data/bigcodebench/BigCodeBench-Hard-v0.1.2.jsonl", ASK)
add(BIG, {"path": "opencompass/bigcodebench", "dataset_version": "odd"}, {"data/bigcodebench/BigCodeBench-v0.1.2.jsonl": lines(*TASKS)}, ASK, fails=True)
TESTED = [{"task_id": number, "text": f"Write {number}.", "code": "c", "test_list": ["assert a", f"assert {number}"], "Contest id": f"c{number}", "Difficulty": ["EASY", "HARD"][number % 2]} for number in range(9)]
for more in ({}, {"difficulty": "EASY"}, {"num_repeats": 2}, {"difficulty": "HARD", "num_repeats": 3}):
    add("LCBench.LCDataset", {"path": "./data/lc.jsonl", **more}, {"data/lc.jsonl": lines(*TESTED)}, ["text", "test_list", "test_column"])
add("LCBench.LCDataset", {"path": "./data/lc.jsonl"}, {"data/lc.jsonl": lines(*({"text": "x"} for _ in range(8)))}, ["text", "test_column"], fails=True)
several("mbpp.MBPPPlusDataset", {"path": "./data/mbpp_plus/made.jsonl", "num_repeats": 2}, "data/mbpp_plus/made.jsonl", ["text", "test_list", "task_id"], TESTED)
several("mbpp_pro.MBPPProDataset", {"path": "opencompass/mbpp_pro"}, "data/mbpp_pro/mbpp_pro.json", ASK)
several("humaneval_pro.HumanevalevalProDataset", {"path": "opencompass/humaneval_pro"}, "data/humaneval_pro/humaneval_pro.json", ASK, form=listed)
several("multipl_e.MultiplEDataset", {"path": "opencompass/multipl_e", "language": "rs"}, "data/multipl_e/humaneval-rs.jsonl", ASK)
several("multipl_e.MultiplEDataset", {"path": "opencompass/multipl_e", "language": "ts", "tag": "mbpp"}, "data/multipl_e/mbpp-ts.jsonl", ASK)
for more in ({"language": "dart", "tag": "mbpp"}, {"language": "cobol"}, {"language": "rs", "tag": "odd"}):
    add("multipl_e.MultiplEDataset", {"path": "opencompass/multipl_e", **more}, {f"data/multipl_e/{more.get('tag', 'humaneval')}-{more['language']}.jsonl": lines(*TASKS)}, ASK, fails=True)
several("humaneval_multi.HumanevalMultiDataset", {"path": "./data/hm/", "language": "cpp", "version": "reworded", "num_repeats": 2}, "data/hm/humaneval-cpp-reworded.jsonl", ASK)
for more in ({"language": "cpp", "version": "odd"}, {"language": "odd", "version": "keep"}):
    add("humaneval_multi.HumanevalMultiDataset", {"path": "./data/hm/", **more}, {"data/hm/humaneval-cpp-odd.jsonl": lines(*TASKS)}, ASK, fails=True)
PROBLEMS = [{"problem_id": number, "question": "q", "starter_code": "def f():" if number == 2 else "", "input_output": ["", "{}", '{"fn_name": "f", "inputs": []}', '{"fn_name": "f"}', "[broken"][number]} for number in range(5)]
for rows, more in ((PROBLEMS, {}), (PROBLEMS[1:], {"num_repeats": 2})):
    add("apps.APPSDataset", {"path": "codeparrot/apps", **more}, repository("codeparrot/apps", default={"train": PROBLEMS[:1], "test": rows}), ["question", "starter", "problem_id"], "test")
several("ojbench.OJBenchDataset", {"path": "opencompass/ojbench"}, "data/ojbench/ojbench_464.jsonl", ["prompt", "id"], [{"id": 7, "prompt": "p", "x": 1}, {"id": 8, "prompt": "é"}])
several("livecodebench_pro.livecodebench_pro.LCBProDataset", {"path": "opencompass/lcb_pro"}, "data/lcb_pro/lcb_pro_706.jsonl", ["problem", "id_ddm"], [{"id_ddm": "a", "dialogs": [{"content": "p"}]}, {"id_ddm": "b", "dialogs": [{"content": "q"}, {"content": "r"}]}])
STEPS = [{"problem_id": "1", "sub_steps": [{"step_number": "1.1", "description": "d"}]}, {"problem_id": "2", "sub_steps": []}]
for with_bg, name in ((True, "_with_background"), (False, "")):
    several("scicode.SciCodeDataset", {"path": "./data/scicode", "with_bg": with_bg}, f"data/scicode/SciCode_datasets{name}.json", ["problem_id", "sub_steps"], STEPS, listed)
for rows in (TASKS, TASKS[:1]):
    add("humanevalx.HumanevalXDataset", {"path": "data/hx", "language": "go"}, {"data/hx/humanevalx_go.jsonl.gz": {"gzip": lines(*rows) + "\n"}}, ASK)
add("humanevalx.HumanevalXDataset", {"path": "data/hx", "language": "cobol"}, {"data/hx/humanevalx_cobol.jsonl.gz": {"gzip": lines(*TASKS)}}, ASK, fails=True)
LINES = [{"id": 1, "input": "<s> import os <EOL> x = <NUM_LIT:3> + <NUM_LIT> <EOL> y = <STR_LIT:a b>", "gt": "z = <STR_LIT>"}, {"id": 2, "input": "a <CHAR_LIT:c> <CHAR_LIT>", "gt": "b"}]
several("py150.Py150Dataset", {"path": "data/py150/test.json"}, "data/py150/test.json", ["input", "gt"], LINES)

EXAM = [{"question": " Which? ", "options": ["a", "b"], "answer": "A", "analysis": "x"}, {"question": "怎么？", "options": ["1", "2", "3"], "answer": "AB"}]
for name in ("single_choice", "multi_choice", "cloze"):
    several("kaoshi.KaoshiDataset", {"path": "./data/k/made.jsonl", "name": name}, "data/k/made.jsonl", ["question", "answer"], EXAM)
SCORED = [{"content": "one", "text": "one", "n": 1}, {"content": "", "text": "", "n": 2}, {"content": "zwei é", "text": "zwei é", "n": 3}]
for more in ({}, {"samples": 2}, {"samples": 1}):
    add("llm_compression.LLMCompressionDataset", {"path": "./data/llm", "name": "made", **more}, {"data/llm/made.jsonl": lines(*SCORED)}, ["n", "content"])
    add("inference_ppl.InferencePPLDataset", {"path": "./data/ppl", "name": "made", **more}, {"data/ppl/made.jsonl": lines(*SCORED)}, ["n", "text"])
add("llm_compression.LLMCompressionDataset", {"path": "./data/llm", "name": "made"}, {"data/llm/made.json": lines(*SCORED)}, ["n", "content"])
for name, file in (("llm_compression.LLMCompressionDataset", "data/x/made.jsonl"), ("inference_ppl.InferencePPLDataset", "data/x/made.json")):
    add(name, {"path": "./data/x", "name": "other"}, {file: lines(*SCORED)}, ["n", "text"], fails=True)
NQ = [{"question": "Who?", "answer": ["me", "I"]}, {"question": "谁？", "answer": ["我"]}]
for rows in (NQ, NQ[1:]):
    add("natural_question_cn.NaturalQuestionDatasetCN", {"path": "./data/nq_cn"}, {f"data/nq_cn/{split}.jsonl": lines(*rows) for split in ("dev", "test")}, ["question", "answer"], "test")
add("natural_question_cn.NaturalQuestionDatasetCN", {"path": "./data/nq_cn"}, {f"data/nq_cn/{split}.jsonl": lines({"question": "x", "answer": []}) for split in ("dev", "test")}, ["question", "answer"], "test", fails=True)
FIN = [{"id": 1, "question": "q", "A": "a", "B": "b", "C": "c", "answer": "A"}, {"id": 2, "question": "r", "A": "a", "B": "b", "C": None, "answer": "B"}]
several("OpenFinData.OpenFinDataDataset", {"path": "./data/fin", "name": "made"}, "data/fin/made.json", ["question", "A", "answer"], FIN, listed)
several("lawbench.lawbench.LawBenchDataset", {"path": "./data/law", "index": "1-1"}, "data/law/1-1.json", ["question", "answer"], FIN, listed)
several("charm.CharmDataset", {"path": "data/CHARM", "name": "made"}, "data/CHARM/made.json", ["input", "target"], [{"input": "i", "target": "t"}, {"target": "u", "input": "j", "x": 1}], lambda *rows: json.dumps({"examples": rows, "more": 1}), broken='{"rows": []}')
several("dingo.DingoDataset", {"path": "./data/d.csv"}, "data/d.csv", ["input", "input"], ["a;b\n", '"c;d";e\n', "\n", "f\n"], lambda *rows: "".join(rows), broken=None)

OPEN = [{"question": "Why?", "capability": "chat", "others": {"id": 1, "reference": None}}, {"question": "How?", "capability": "code", "others": {"id": 2, "reference": "so"}}]
JUDGE = {"mode": "singlescore"}
for class_name in ("subjective.alpacaeval.AlpacaEvalDataset", "subjective.subjective_cmp.SubjectiveCmpDataset", "subjective.compass_arena.CompassArenaDataset"):
    several(class_name, {"path": "./data/s", "name": "made", **JUDGE}, "data/s/made.json", ["question", "judge"], OPEN, listed)
several("subjective.arena_hard.ArenaHardDataset", {"path": "./data/s", "name": "made", **JUDGE}, "data/s/made.jsonl", ["question", "judge"], [{"question_id": "a", "cluster": "c", "turns": [{"content": "q"}]}, {"question_id": "b", "cluster": "d", "turns": [{"content": "r"}, {"content": "s"}]}])
for name in ("fofo_test_prompts", "fofo_test_prompts_cn"):
    several("subjective.fofo.FofoDataset", {"path": "./data/s", "name": name, **JUDGE}, f"data/s/{name}.json", ["question", "judge"], [{"instruction": f"i{number}", "id": number, "domain": "d", "sub_domain": "s", "format": "f", "format_type": "t"} for number in range(2)], listed)
several("subjective.followbench.FollowBenchDataset", {"path": "data/s", "name": "made", "cate": "llm", **JUDGE}, "data/s/made.json", ["instruction", "judge_prompt", "judge"], [{"instruction": "i", "judge_prompt": "j", "level": 1}, {"instruction": "k", "judge_prompt": "l", "level": 2}], listed)
add("subjective.followbench.FollowBenchDataset", {"path": "data/s", "name": "made", "cate": "rule"}, {"data/s/made.json": listed({"instruction": "i", "judge_prompt": "j"})}, ["instruction", "judge"], fails=True)
several("subjective.hellobench.HelloBenchDataset", {"path": "data/h", "category_name": "made", **JUDGE}, "data/h/made.jsonl", ["instruction", "judgement"], [{"instruction": "i", "category": "c", "num_checklist": 3, "formatted_checklists": "f"}, {"instruction": "j", "category": "d", "num_checklist": 4, "formatted_checklists": "g"}])
several("subjective.compassbench_checklist.CompassBenchCheklistDataset", {"path": "data/c", "name": "a/made", **JUDGE}, "data/c/a/made.json", ["question", "checklist", "judge"], [{"instruction": "i", "checklist": ["one", "two"], "category": "c", "lan": "en", "id": 3}, {"instruction": "j"}, {"instruction": "k", "checklist": []}], listed)
FLAME = [{"prompt": "p", "dimension": "d", "subcomponent": "s"}, {"prompt": "问", "dimension": "e", "subcomponent": "t", "x": 1}]
for rows in (FLAME, FLAME[1:]):
    add("subjective.flames.FlamesDataset", {"path": "./data/f", "name": "made", **JUDGE}, {"data/f/made.json": listed(*rows), "data/f/made_config.txt": "Read:\n{x} "}, ["prompt", "instruction", "judge"])
PAIRS = [{"prompt": "p", "chosen": "good", "rejected": "bad", "chosen_model": "m", "rejected_model": "n", "winner": winner, "subset": "s"} for winner in "AB"]
for class_name in ("judge.judgebench.JudgeBenchDataset", "judge.rewardbench.RewardBenchDataset"):
    several(class_name, {"path": "./data/j", "name": "made.json", **JUDGE}, "data/j/made.json", ["question", "answerA", "judge"], PAIRS, listed)
RMB = [{"subset": "pair", "chosen": {"answer": "a"}, "reject": {"answer": "b"}, "conversation_input": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "v"}], "pair_uid": "1", "goal": "g"}, {"subset": "pair", "chosen": {"answer": "c"}, "reject": {"answer": "d"}, "conversation_input": [], "pair_uid": "2", "goal": "h"}]
BON = [{"subset": "bon", "bon_best": {"answer": "a"}, "loser_list": [{"answer": "b"}, {"answer": "c"}], "conversation_input": [{"role": "user", "content": "u"}], "bon_uid": "1", "goal": "g"}]
for rows in (RMB, BON, RMB + BON):
    add("judge.rmb.RMBDataset", {"path": "./data/j", "name": "made.json", **JUDGE}, {"data/j/made.json": listed(*rows)}, ["question", "answerA", "judge"])
add("judge.rmb.RMBDataset", {"path": "./data/j", "name": "made.json"}, {"data/j/made.json": listed({"subset": "odd"})}, ["question", "judge"], fails=True)
for kind, class_name, rows, read in (
    ("通用", "General", [{"input": [{"role": "user", "content": "q"}], "target": 3}, {"input": "plain", "target": None}, {"target": "x"}], ["question", "target"]),
    ("高阶育人/omni", "HighLevelOmni", [{"question": "q", "answer": "C, a"}, {"question": "r", "answer": ["B", "K"]}], ["question", "answer"]),
    ("高阶育人/edu", "HighLevelEdu", [{"question": "q", "Score": 3, "Subject": "é"}, {"Question": "r", "Personalized Feedback": "中", "Scoring Details": [1.0]}], ["question", "judge"]),
    ("安全", "Safety", [{"question": "q", "label": "l"}, {"question": "r", "label": "", "category": "c", "subcategory": "s"}, {"question": "s"}], ["question", "judge"]),
):
    for some in (rows, rows[1:]):
        add(f"subjective.elbench.ELBench{class_name}Dataset", {"path": kind, "name": "made"}, {f"data/elbench/{kind}/made.jsonl": "\n" + lines(*some) + " \n"}, read)
    add(f"subjective.elbench.ELBench{class_name}Dataset", {"path": kind, "name": "made"}, {"data/elbench/x": ""}, read, fails=True)
RULES = [{"instruction_types": kind, "prompt": f"p {kind}", "response_reference": "r", "language": language, "judge_prompt_template": "t", "judge_system_prompt": "s", "x": 1} for kind in ("Fix", "Ask") for language in ("chinese", "english")]
for more in ({}, {"language": "chinese"}, {"instruction_type": "Ask", "language": "english"}, {"instruction_type": ["Ask", "Fix"], "max_samples": 3}, {"max_samples": 0}):
    add("inverse_ifeval.InverseIFEvalDataset", {"path": "m-a-p/Inverse_IFEval", **more}, repository("m-a-p/Inverse_IFEval", default={"train": RULES}), ["prompt", "response_reference"])

ATTACKS = {"sst2": ["sentence"], "qqp": ["question1", "question2"], "mnli": ["premise", "hypothesis"], "mnli-mm": ["premise", "hypothesis"], "qnli": ["question", "sentence"], "rte": ["sentence1", "sentence2"]}
NAMES = {"sst2": "Sst2", "qqp": "Qqp", "mnli": "Mnli", "mnli-mm": "MnliMM", "qnli": "Qnli", "rte": "Rte"}
for task, columns in ATTACKS.items():
    first, last = columns[0], columns[-1]
    rows = [
        {**{name: f"new {name}" for name in columns}, "label": 0, "idx": 0, "method": "m", "type": "adv", f"original_{first}": "old one"},
        {**{name: f"n {name}" for name in columns}, "label": 1, "idx": 1, "method": "m", "type": "adv"},
        {**{name: f"é {name}" for name in columns}, "label": 2, "idx": 2, "method": "n", "type": "adv", f"original_{last}": "old two"},
    ]
    class_name = f"advglue.Adv{NAMES[task]}Dataset"
    for some in (rows, rows[2:], rows[1:]):
        add(class_name, {"path": "opencompass/advglue-dev"}, {"data/adv_glue/dev_ann.json": json.dumps({task: some, "other": []})}, [*columns, "label_option"])
    add(class_name, {"path": "opencompass/advglue-dev"}, {"data/adv_glue/dev_ann.json": json.dumps({"other": rows})}, [*columns, "label_option"], fails=True)
TURN = {"role": "user", "content": "Do it, \"now\"."}


def cell(value):
    """JSON in a cell of a CSV."""
    return '"' + json.dumps(value).replace('"', '""') + '"'


COLUMNS = ",".join(["key", "language", *(f"turn_{turn}_{part}" for turn in (1, 2, 3) for part in ("prompt", "instruction_id_list", "kwargs"))])
FULL = ",".join(["k", "English", *([cell(TURN), cell(["a:b"]), cell([json.dumps({"n": 1}), {"m": None}])] * 3)])
SHORT = ",".join(["k", "French", *([cell(TURN), cell([]), cell([])] * 2), "", "", ""])
for text in (f"{COLUMNS}\n{FULL}\n{SHORT}\n", f"{COLUMNS}\n{FULL}\n{FULL}\n"):
    add("MultiIF.multiif.MultiIFDataset", {"path": "opencompass/MultiIF"}, {"data/MultiIF/multiIF_20241018.csv": text}, ["dialogue", "reference"])
add("MultiIF.multiif.MultiIFDataset", {"path": "opencompass/MultiIF"}, {"data/MultiIF/multiIF_20241018.csv": f"{COLUMNS}\n" + FULL.replace("role", '"') + "\n"}, ["dialogue", "reference"], fails=True)
REPORT = {"title": "On geese", "reports": {"subsections": [{"section_title": "First", "paragraphs": ["One.", "Two."]}, {"section_title": None, "paragraphs": []}]}, "summary": ["Short.", "é"]}
for ids in ("R1\n", "R1\nR1\n"):
    files = {f"data/govrep/gov-report/split_ids/crs_{split}.ids": ids for split in ("train", "valid", "test")}
    add("govrepcrs.GovRepcrsDataset", {"path": "./data/govrep/"}, {**files, "data/govrep/gov-report/crs/R1.json": json.dumps(REPORT)}, ["content", "summary"], "test")
add("govrepcrs.GovRepcrsDataset", {"path": "./data/govrep/"}, files, ["content", "summary"], "test", fails=True)
for recap in (["He ", "left."], ["x"]):
    show = json.dumps({"Recap": recap, "Transcript": ["A: hi", "B: é"], "x": 1})
    add("summscreen.SummScreenDataset", {"path": "./data/SummScreen/"}, {"data/SummScreen/SummScreen_raw/fd/a.json": show, "data/SummScreen/SummScreen_raw/tms/b.json": show.replace("hi", "ho")}, ["content", "summary"], "dev")
