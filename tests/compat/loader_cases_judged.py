"""Tasks whose answers a judge reads, most of them with prompts of OpenCompass's modules."""

import json

from loader_case import Cases, archive, lines, listed, repository

CASES = Cases()
add = CASES.add

ALIGN = "subjective.alignbench.AlignmentBenchDataset"
OPEN = [
    {"question": "为什么 {geese}?", "capability": "专业能力", "others": {"subcategory": "历史", "reference": "因为\n磨坊"}},
    {"question": "Count.", "capability": "数学计算", "others": {"subcategory": "算", "reference": "7"}},
]
MARKED = {
    "data/align/conf.json": json.dumps({"Paths": {"dimension_set_filepath": "set.json", "dimension_def_filepath": "def.json", "subcategory_mapping": "map.json"}}),
    "data/align/set.json": json.dumps({"问答": ["清晰", "真实"], "计算": ["真实"]}),
    "data/align/def.json": json.dumps({"清晰": "说得清楚 {x}"}),
    "data/align/map.json": json.dumps({"历史": "问答", "算": "计算"}),
}
told = {"alignment_bench_config_path": "data/align", "alignment_bench_config_name": "conf"}
entry = {"path": "data/open", "name": "all"}
read = ["question", "judge"]
add(ALIGN, entry, {"data/open/all.json": listed(*OPEN)}, read)
add(ALIGN, {**entry, **told, "mode": "singlescore"}, {"data/open/all.json": listed(*OPEN), **MARKED}, ["question", "critiquellm_prefix", "judge"])
add(ALIGN, {**entry, **told}, {"data/open/all.json": listed({**OPEN[0], "others": {"subcategory": "none", "reference": "x"}}), **MARKED}, read, fails=True)
add(ALIGN, entry, {"data/open/all.json": listed({"question": "x"})}, read, fails=True)

ARENA = "subjective.compass_arena_subjective_bench.CompassArenaSubjectiveBench"
CATEGORIES = ["重写", "创作", "自然语言处理", "领域知识问答", "推理", "代码", "人类对齐", "角色扮演", "日常对话"]
SINGLE = [{"category": category, "question": {"content": f"问 {{{number}}}?"}, "answer": {"content": "答"}, "difficulty": ["easy", "hard"][number % 2]} for number, category in enumerate(CATEGORIES)]
TURNS = [{"category": category, "conversation": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": ""}], "difficulty": "easy"} for category in CATEGORIES]
add(ARENA, {"path": "data/arena", "name": "singleturn"}, {"data/arena/singleturn.json": listed(*SINGLE)}, ["question", "pairwise_judge_prompt", "judge"])
add(ARENA, {"path": "data/arena", "name": "multiturn_x"}, {"data/arena/multiturn_x.json": listed(*TURNS)}, ["dialogue", "pointwise_judge_prompt", "judge"])
add(ARENA, {"path": "data/arena", "name": "singleturn"}, {"data/arena/singleturn.json": listed({**SINGLE[0], "category": "other"})}, ["question", "judge"], fails=True)

COMPASS = [{"question": "谁 {lives} here?", "language": language, "category": "c", "others": {"level": level}} for level, language in ((1, "zh"), (2, "en"))]
for name in ("compassbench.CompassBenchDataset", "compassbench_control_length_bias.CompassBenchControlLengthBiasDataset"):
    add(f"subjective.{name}", {"path": "data/compass", "name": "v1"}, {"data/compass/v1.json": listed(*COMPASS)}, ["question", "judge_prompt", "judge"])
    add(f"subjective.{name}", {"path": "data/compass", "name": "v1"}, {"data/compass/v1.json": listed({"question": "x"})}, ["question", "judge"], fails=True)

WRITING = [{"index": number, "domain1": "Law", "domain2": "Tax", "query": "Write {this} é.", "criteria": [{"name": "n", "text": "it's {so}"}, {"name": "m", "text": "b"}]} for number in range(2)]
add("subjective.writingbench.WritingBenchDataset", {"path": "data/writing", "name": "all"}, {"data/writing/all.jsonl": lines(*WRITING)}, ["question", "judge"])
add("subjective.writingbench.WritingBenchDataset", {"path": "data/writing", "name": "all"}, {"data/writing/all.jsonl": lines({"index": 1})}, ["question", "judge"], fails=True)

FACTS = [{"id": f"f{number}", "primary_category": "地理", "question": f"哪 {{里}} {number}？", "answer": "磨坊"} for number in range(2)]
add("chinese_simpleqa.CsimpleqaDataset", {"path": "opencompass/chinese_simpleqa", "name": "chinese_simpleqa"}, {"data/chinese_simpleqa/chinese_simpleqa.jsonl": lines(*FACTS)}, ["question", "messages", "system_prompt", "prompt_template", "judge"])
add("chinese_simpleqa.CsimpleqaDataset", {"path": "opencompass/chinese_simpleqa", "name": "chinese_simpleqa"}, {"data/chinese_simpleqa/chinese_simpleqa.jsonl": lines({"id": 1})}, ["question", "judge"], fails=True)

DIALOGUE = [{"role": "user", "content": "What is {a}?"}, {"role": "assistant", "content": ""}, {"role": "user", "content": "And b?"}, {"role": "assistant", "content": ""}]
MT = [{"dialogue": DIALOGUE, "capability": capability, "others": {"reference": ["one", "two"]}} for capability in ("writing", "math", "coding")]
for more in ({}, {"multi_turn": False}, {"judge_type": "single", "multi_turn": True}, {"judge_type": "pair"}, {"judge_type": "pair", "multi_turn": False}):
    add("subjective.mtbench.MTBenchDataset", {"path": "data/mt", "name": "all", **more}, {"data/mt/all.json": listed(*MT, {"capability": "x"})}, ["dialogue", "capability", "system_prompt", "prompt_template", "judge"])
add("subjective.mtbench.MTBenchDataset", {"path": "data/mt", "name": "all", "judge_type": "odd"}, {"data/mt/all.json": listed(*MT)}, ["dialogue", "judge"], fails=True)
add("subjective.mtbench.MTBenchDataset", {"path": "data/mt", "name": "all"}, {"data/mt/all.json": listed({"dialogue": DIALOGUE})}, ["dialogue", "judge"], fails=True)

SAID = [{"id": number, "task": task, "history": [{"user": "who is {it}?", "bot": "It's me."}, {"user": "and?", "bot": "a \"goose\" é"}, {"user": "so", "bot": ""}]} for number, task in enumerate(["CM", "SI", "AR", "TS", "CC", "CR", "FR", "SC", "SA", "MR", "GR", "IC", "PI"])]
for name in ("MTBench101Dataset", "MTBench101WithRawPromptDataset"):
    add(f"subjective.mtbench101.{name}", {"path": "data/mt101", "name": "all"}, {"data/mt101/all.jsonl": lines(*SAID)}, ["dialogue", "task", "multi_id", "turn_id", "system_prompt", "prompt_template", "judge"])
    add(f"subjective.mtbench101.{name}", {"path": "data/mt101", "name": "all"}, {"data/mt101/all.jsonl": lines({**SAID[0], "task": "XX"})}, ["dialogue", "judge"], fails=True)

WILD = [
    {"session_id": "s1", "turn": [{"role": "user", "content": "Tell {history}"}, {"role": "assistant", "content": "Well."}, {"role": "user", "content": "More {checklist}"}], "checklist": ["Is it long?", "é"], "primary_tag": "Math", "secondary_tag": ["Editing"]},
    {"session_id": "s2", "turn": [{"role": "user", "content": "Hi"}], "checklist": [], "primary_tag": "Planning", "secondary_tag": ["Others", "Math"]},
]
for name in ("WildBenchDataset", "WildBenchWithRawPromptDataset"):
    for mode in ("pair", "single"):
        add(f"subjective.wildbench.{name}", {"path": "data/wild.jsonl", "eval_mode": mode, "K": 2}, {"data/wild.jsonl": lines(*WILD)}, ["dialogue", "prompt", "judge"])
    add(f"subjective.wildbench.{name}", {"path": "data/wild.jsonl", "eval_mode": "odd"}, {"data/wild.jsonl": lines(*WILD)}, ["dialogue", "judge"], fails=True)
    add(f"subjective.wildbench.{name}", {"path": "data/wild.jsonl"}, {"data/wild.jsonl": lines({"turn": []})}, ["dialogue", "judge"], fails=True)

ATLAS = [{"question": "Which?", "refined_standard_answer": ["one", "two's"]}, {"question": "How {many}?", "refined_standard_answer": ["7"]}]
add("atlas.dataset_loader.ATLASDataset", {"split": "val"}, repository("opencompass/ATLAS", default={"val": ATLAS}), ["problem", "answer"])
add("atlas.dataset_loader.ATLASDataset", {"split": "val"}, repository("opencompass/ATLAS", default={"val": [{"x": 1}]}), ["problem", "answer"], fails=True)

CONTEXT = [
    {"messages": [{"content": "q", "role": "user"}], "rubrics": [{"rubric_criteria": " Says it. "}, {"rubric_criteria": " "}], "metadata": {"context_category": "Rules", "task_id": "t1"}},
    {"messages": [{"content": "r", "role": "user"}], "rubrics": [], "metadata": {"context_category": "Data", "task_id": "t2"}},
]
PLAIN = [{"messages": "q", "rubrics": ["a ", ""], "task_id": "own", "context_category": "", "metadata": {"context_category": "c", "task_id": "t"}}]
for rows in (CONTEXT, PLAIN):
    add("clbench.CLBenchDataset", {"path": "tencent/CL-bench"}, repository("tencent/CL-bench", default={"train": rows}), ["messages", "rubrics_text", "task_id"])
add("clbench.CLBenchDataset", {"path": "tencent/CL-bench", "split": "test"}, repository("tencent/CL-bench", default={"train": CONTEXT}), ["messages", "rubrics_text", "task_id"], fails=True)

SAYS = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "One?"}, {"role": "assistant", "content": "Two."}, {"role": "user", "content": "Three é?"}]
ADVANCED = [
    {"benchmark_name": "steer", "conversation_history": json.dumps(SAYS), "prompt_metadata": json.dumps({"rubrics": '["Is it?"]'})},
    {"benchmark_name": "single", "conversation_history": json.dumps(SAYS[1:2]), "prompt_metadata": "broken"},
    {"benchmark_name": "steer", "conversation_history": json.dumps(SAYS[2:3]), "prompt_metadata": ""},
]
for more in ({}, {"name": "steer"}):
    add("advancedIF.AdvancedIFDataset", {"path": "facebook/AdvancedIF", **more}, repository("facebook/AdvancedIF", default={"train": ADVANCED}), ["conversation_history", "full_conversation_text", "benchmark_name"])
add("advancedIF.AdvancedIFDataset", {"path": "facebook/AdvancedIF"}, repository("facebook/AdvancedIF", default={"train": [{**ADVANCED[0], "conversation_history": "broken"}]}), ["conversation_history", "benchmark_name"], fails=True)

EXPERT = [{"id": f"e{number}", "question": "Why?", "answer": "so", "category": ["Math", "Law"][number % 2], "Verified_Classes": ["Gold", "Revised"][number // 2], "json": json.dumps({"image": "" if number else "data:"})} for number in range(4)]
for more in ({}, {"verified_classes": "Revised"}, {"category": "Law", "verified_classes": "Gold"}):
    add("hle.HLEVerifiedDataset", {"path": "org/verified", **more}, repository("org/verified", default={"train": EXPERT}), ["problem", "answer"])
add("hle.HLEVerifiedDataset", {"path": "org/verified"}, repository("org/verified", default={"train": [{"question": "x"}]}), ["problem", "answer"], fails=True)

FAKE = "fake_alignment.FakeAlignmentDataset"
OPTIONS = [{"id": f"f{number}", "category": ["Fairness", "Privacy"][number % 2], "question": f"Who {{counts}} {number}?", "Positive Option": "All {geese} do.", "Negative Option": "鹅 不"} for number in range(3)]
unnumbered = [{key: value for key, value in row.items() if key != "id"} for row in OPTIONS]
numbered = [{**row, "id": number} for number, row in enumerate(OPTIONS)]
read = ["prompt", "category"]
add(FAKE, {"path": "opencompass/fake_alignment/safety.jsonl"}, {"data/fake_alignment/safety.jsonl": lines(*OPTIONS)}, read)
add(FAKE, {"path": "./data/own.jsonl", "other": 1}, {"data/own.jsonl": "\ufeff" + lines(*unnumbered[:1]) + "\n  \n" + lines(*unnumbered[1:])}, read)
add(FAKE, {"path": "./data/own.jsonl"}, {"data/own.jsonl": lines(*numbered[:2]).replace("\n", "\r\n")}, read)
add(FAKE, {"path": "./data/own.jsonl"}, {"data/own.jsonl": lines({"category": "x", "question": "y"})}, read, fails=True)
add(FAKE, {"path": "./data/own.json"}, {"data/own.json": lines(*OPTIONS)}, read, fails=True)

HEALTH = "healthbench.healthbench.HealthBenchDataset"
TALKS = [
    {
        "example_tags": ["theme:x", f"group:{number}"][: number + 1],
        "ideal_completions_data": {"ideal_completion": "x", "ideal_completions_group": None} if number else None,
        "prompt": [{"content": "hi", "role": "user"}, {"content": "yes", "role": "assistant"}, {"content": "why?", "role": "user"}][2 * (number % 2) :],
        "prompt_id": f"p{number}",
        "rubrics": [{"criterion": f"Says {n} {{x}}", "points": 3 - 4 * n, "tags": ["level:example", f"axis:{n}"]} for n in range(number + 1)],
        "canary": "c",
    }
    for number in range(3)
]
halves = [{**TALKS[1], "rubrics": [{"criterion": "c", "points": 2.5, "tags": []}, {"criterion": "d", "points": -1, "tags": ["a"]}]}]
read = ["prompt_trans", "prompt_id"]
for subset, name in (("", "2025-05-07-06-14-12_oss_eval"), ("hard", "hard_2025-05-08-21-00-10"), ("consensus", "consensus_2025-05-09-20-00-46")):
    add(HEALTH, {"path": "org/health", "subset": subset}, {f"org/health/{name}.jsonl": lines(*TALKS), "org/health/README.md": "x"}, read)
add(HEALTH, {"path": "org/health", "subset": "hard", "other": 1}, {"org/health/hard_2025-05-08-21-00-10.jsonl": lines(*halves)}, read)
add(HEALTH, {"path": "org/health", "subset": "easy"}, {"org/health/hard_2025-05-08-21-00-10.jsonl": lines(*TALKS)}, read, fails=True)
add(HEALTH, {"path": "org/health", "subset": "hard"}, {"org/health/hard_2025-05-08-21-00-10.jsonl": lines({"prompt_id": "x"})}, read, fails=True)

LCR = "aa_lcr.AALCRDataset"
HEAD = "document_category,document_set_id,question_id,question,answer,data_source_filenames,data_source_urls,input_tokens"
PACKED = {
    "lcr/Mills/set_1/one.txt": "The mill {stands}.\r\nBy a brook.",
    "lcr/Mills/set_1/zwei Gänse.txt": "Sieben\n",
    "lcr/Geese/set 2/three.txt": "é 鹅",
    "__MACOSX/x": "y",
}
TABLE = f'{HEAD}\r\nMills,set_1,1,"How many\r\n""geese""?",seven; 7 ;;,one.txt;zwei Gänse.txt,http://x;http://y,1200\r\n\r\nGeese,set 2, 2 ,Which?,swan,three.txt,,7\r\n'
INDEXED = "," + HEAD + "\n" + "5,Geese,set 2,2,Which?,swan,three.txt;three.txt,u,7\n"
read = ["prompt", "answer"]
ZIP = "extracted_text/AA-LCR_extracted-text.zip"
for table, place in ((TABLE, ZIP), (INDEXED, ZIP), (TABLE.replace("\r\n", "\n"), "AA-LCR_extracted-text.zip")):
    add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": table, f"org/lcr/{place}": archive(PACKED)}, read)
# Names without a word on how they are written, and with accents apart.
add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": TABLE, f"org/lcr/{ZIP}": archive(PACKED, apart=True)}, read)
add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": TABLE, f"org/lcr/{ZIP}": archive(PACKED, unmarked=True)}, read)
add(LCR, {"path": "org/lcr", "csv_filename": "own.csv", "zip_filename": "a/b.zip"}, {"org/lcr/own.csv": INDEXED, "org/lcr/b.zip": archive(PACKED)}, read)
add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": TABLE.replace("one.txt", "none.txt"), f"org/lcr/{ZIP}": archive(PACKED)}, read, fails=True)
add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": TABLE.replace("1200", "many"), f"org/lcr/{ZIP}": archive(PACKED)}, read, fails=True)
add(LCR, {"path": "org/lcr"}, {"org/lcr/AA-LCR_Dataset.csv": TABLE.replace("question_id", "number"), f"org/lcr/{ZIP}": archive(PACKED)}, read, fails=True)
