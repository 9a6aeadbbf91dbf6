"""Medicine, languages and agents."""

import json

from loader_case import Cases, lines, parquet, repository

CASES = Cases()
add = CASES.add


def hub(class_name, path, config, split, cases, read, entry=None, at=None, broken=None, also=None):
    """Rows of one split of a repository, several times."""
    entry = {"path": path, **(entry or {})}
    for rows in cases:
        add(class_name, entry, repository(path, **{config: {split: rows, **(also or {})}}), read, at)
    if broken is not None:
        add(class_name, entry, repository(path, **{config: {split: [broken]}}), read, at, fails=True)
    add(class_name, entry, {}, read, at, fails=True)


XPERT = [{"id": "T-1", "question": "What now?", "options": {"A": "rest", "B": "run", "C": "x"}, "label": "A", "medical_task": "Care", "body_system": "Skin", "question_type": "Reasoning"}, {"id": "T-2", "question": "Who?", "options": {"A": "1", "B": "2", "C": "3"}, "label": "B", "medical_task": "Care", "body_system": "Eye", "question_type": "x"}]
hub("MedXpertQA.MedXpertQADataset", "TsinghuaC3I/MedXpertQA", "Text", "test", (XPERT, XPERT[1:], [{**XPERT[0], "options": ["a", "b"]}]), ["question", "options", "label"], {"prompt_mode": "zero-shot"}, broken={"question": "x", "options": 3})
hub("MedXpertQA.MedXpertQADataset", "TsinghuaC3I/MedXpertQA", "Text", "test", (XPERT,), ["question", "options", "label"], {"prompt_mode": "few-shot"})
NEJM = '"No",Question,Choices,Answer,Subject\n1,"Why, then?"," A. rest\n\nB.run \nC) x\n",A,Heart\n2,Who?,"A. me\nB. you",B,Eye\n'
NEJM_FILE = "data/nejmaibench/NEJM_All_Questions_And_Answers.csv"
for mode, read in (("zero-shot", ["question", "options", "label"]), ("few-shot", ["Question", "Choices", "Answer"])):
    add("nejmaibench.NejmaibenchDataset", {"path": "opencompass/nejmaibench", "prompt_mode": mode}, {NEJM_FILE: NEJM}, read)
add("nejmaibench.NejmaibenchDataset", {"path": "opencompass/nejmaibench", "prompt_mode": "zero-shot"}, {NEJM_FILE: "Question,Choices,Subject\nx,A. y,z\n"}, ["question", "label"], fails=True)
HEAD = "id,question,opa,opb,opc,opd,ope,answer_idx,answer,Subject,question_type\n"
for module, path, file in (("Medbullets.MedbulletsDataset", "opencompass/medbullets", "data/medbullets/medbullets.csv"),):
    five = HEAD + '1,"Why, then?",a,b,c,d,e,B,b,Heart,x\n2,Who?,1st,2nd,3rd,4th,,A,1st,Eye,y\n'
    four = HEAD.replace("ope,", "") + "1,Why?,1,2,3,4,D,4,Eye,y\n2,How?,5,6,7,8,C,7,,y\n"
    for mode in ("zero-shot", "few-shot"):
        for text in (five, four):
            add(module, {"path": path, "prompt_mode": mode}, {file: text}, ["question", "options" if mode == "zero-shot" else "opa", "label" if mode == "zero-shot" else "answer_idx"])
    add(module, {"path": path, "prompt_mode": "zero-shot"}, {}, ["question", "label"], fails=True)
PROTEIN = [{"question": "Which fold?", "options": ["option 1: a", "option 2: b: c", "option 3: d"], "answer": "option 3", "explanation": "x"}, {"question": "Why?", "options": ["one", "option 2: é"], "answer": "option 1", "explanation": "y"}]
hub("ProteinLMBench.ProteinLMBenchDataset", "tsynbio/ProteinLMBench", "evaluation", "train", (PROTEIN, PROTEIN[1:]), ["question", "options", "label"], broken={"question": "x", "options": ["a"], "answer": "none"})
PUB = [{"pubid": 1, "question": "Is it?", "context": {"contexts": ["It's one.", "Two \"of\" them."], "labels": ["A"]}, "long_answer": "Yes.", "final_decision": "yes"}, {"pubid": 2, "question": "Was it?", "context": {"contexts": [], "labels": []}, "long_answer": "No.", "final_decision": "no"}, {"pubid": 3, "question": "?", "context": {"contexts": ["é\n"], "labels": ["b"]}, "long_answer": "", "final_decision": "maybe"}]
hub("PubMedQA.PubMedQADataset", "qiaojin/PubMedQA", "pqa_labeled", "train", (PUB, PUB[2:]), ["question", "choices", "label"], broken={"question": "x"})
SCHOOL = [{"question": "Which is hot?", "choices": ["ice", "fire"], "answer": 1, "image": None, "grade": "2"}, {"question": "See?", "choices": ["a", "b"], "answer": 0, "image": None, "grade": "3"}]
WITH_IMAGE = [SCHOOL[0], {**SCHOOL[1], "image": "x.png"}]
hub("ScienceQA.ScienceQADataset", "derek-thomas/ScienceQA", "default", "test", (SCHOOL, WITH_IMAGE), ["question", "choices", "label"], broken={**SCHOOL[0], "answer": 7})
hub("ClinicBench.ClinicBenchDataset", "xuxuxuxuxu/Pharmacology-QA", "default", "train", ([{"question": "q", "choices": "A. x", "label": "A"}], [{"label": "B", "question": "r", "choices": None}, {"label": "C", "question": "s", "choices": "t"}]), ["question", "choices", "label"])
NAMES = ["Row Number", "Calculator ID", "Calculator Name", "Category", "Output Type", "Note ID", "Note Type", "Patient Note", "Question", "Relevant Entities", "Ground Truth Answer", "Lower Limit", "Upper Limit", "Ground Truth Explanation"]
CALC = [{**{name: f"{name} {number}" for name in NAMES}, "Row Number": number} for number in range(3)]
MED_CALC = "MedCalc_Bench.MedCalc_BenchDataset"
for mode in ("zero-shot", "few-shot"):
    for rows in (CALC, CALC[1:2]):
        files = {f"ncbi/MedCalc/data/{split}-00000-of-00001.parquet": parquet(*rows) for split in ("train", "test")}
        add(MED_CALC, {"path": "ncbi/MedCalc", "prompt_mode": mode}, files, ["Question", "Ground Truth Answer"])
files = {f"ncbi/MedCalc/data/{split}-00000-of-00001.parquet": parquet({"Row Number": 1}) for split in ("train", "test")}
add(MED_CALC, {"path": "ncbi/MedCalc", "prompt_mode": "zero-shot"}, files, ["question"], fails=True)
CARD = 'question,answer,Bio_Category,SQL_Category,uuid\n"Which, then?",a,Genes,s,u1\nWho?,b,Drugs,t,u2\n'
for mode in ("zero-shot", "few-shot"):
    add("CARDBiomedBench.CARDBiomedBenchDataset", {"path": "NIH-CARD/CARDBiomedBench", "prompt_mode": mode}, {"NIH-CARD/CARDBiomedBench/data/CARDBiomedBench.csv": CARD}, ["question", "answer"])
add("CARDBiomedBench.CARDBiomedBenchDataset", {"path": "NIH-CARD/CARDBiomedBench", "prompt_mode": "zero-shot"}, {"NIH-CARD/CARDBiomedBench/data/CARDBiomedBench.csv": "question,answer\nx,y\n"}, ["question", "answer"], fails=True)
R_ROW = {"question": "Which?", "answer": "C", **{letter: f"option {letter}" for letter in "ABCDEF"}}
for subset in ("en", "zh"):
    hub("rbench.RBenchDataset", "R-Bench/R-Bench", f"rbench-t_{subset}", "test", ([R_ROW], [{**R_ROW, "F": None, "index": 1}, R_ROW]), ["RBench_Question_Input", "RBench_Option_F", "target"], {"name": "R-Bench", "subset": subset}, broken={"question": "x"})
BIO = [
    {"prompt": "What does it bind? ", "ground_truth": {"a": 1.5, "b": 2}, "meta_data": {"ans_type": "dict", "task": "t"}},
    {"prompt": "How many?", "ground_truth": {"a": 3, "b": 0}, "meta_data": {"ans_type": "number", "task": "t"}},
]
TEXT_TASKS = ["Function EC", "Non-coding RNA Function Classification", "Modification Prediction"]
NAMED = [{"prompt": f"Sequence {number}.", "ground_truth": "x", "meta_data": {"ans_type": "string", "task": TEXT_TASKS[number % 3]}} for number in range(23)] + [{"prompt": "Is it?", "ground_truth": "yes", "meta_data": {"ans_type": "cls", "task": "u"}}]
for rows, more in ((BIO, {}), (NAMED, {}), (NAMED, {"mini_set": True}), (BIO, {"mini_set": True})):
    add("biodata.BiodataTaskDataset", {"path": "opencompass/biology-instruction", "task": "made", **more}, {"data/biology-instruction-fixed/made.jsonl": lines(*rows)}, ["prompt", "ground_truth"])
for bad in ({"ans_type": "none", "task": "t"}, {"ans_type": "string", "task": "t"}):
    add("biodata.BiodataTaskDataset", {"path": "opencompass/biology-instruction", "task": "made"}, {"data/biology-instruction-fixed/made.jsonl": lines({"prompt": "p", "ground_truth": "x", "meta_data": bad})}, ["prompt", "ground_truth"], fails=True)
KNOW = [{"prompt": {"default": "Choose well."}, "question": "Which?", "choices": {"label": ["A", "B"], "text": ["cell", "gene"]}, "answerKey": "A", "type": "mcq"}, {"prompt": {"default": "Say."}, "question": "é?", "choices": {"label": [], "text": []}, "answerKey": "B", "type": "open"}]
for subset in ("biology", "chemistry"):
    file = f"hicai-zju/SciKnowEval/data/{subset.capitalize()}/sciknoweval_{subset}_test.jsonl"
    for rows in (KNOW, KNOW[:1]):
        add("SciKnowEval.SciKnowEvalDataset", {"path": "hicai-zju/SciKnowEval", "prompt_mode": "zero-shot", "subset": subset}, {file: lines(*rows)}, ["question", "q4", "answerKey"])
    add("SciKnowEval.SciKnowEvalDataset", {"path": "hicai-zju/SciKnowEval", "prompt_mode": "zero-shot", "subset": subset}, {file: lines({"question": "x", "prompt": {"default": "y"}})}, ["question", "q4", "answerKey"], fails=True)
    add("SciKnowEval.SciKnowEvalDataset", {"path": "hicai-zju/SciKnowEval", "prompt_mode": "zero-shot", "subset": subset}, {}, ["question", "q4", "answerKey"], fails=True)
EVAL = [
    {"id": "1", "question": "\nWhat is hot?\n A. ice B. fire \nC. snow D. rain\nAnswer:", "answer": ["B"], "type": "multiple-choice", "category": "biology"},
    {"id": "2", "question": "Fill A. x", "answer": ["y"], "type": "filling", "category": "biology"},
    {"id": "3", "question": "No options. Answer:", "answer": ["A"], "type": "multiple-choice", "category": "physics"},
    {"id": "4", "question": "DNA. is? A. a B. b C. c D. d Answer: none", "answer": ["D", "A"], "type": "multiple-choice", "category": "physics"},
    {"id": "5", "question": "x A. a B. b C. c D. d Answer:", "answer": [], "type": "multiple-choice", "category": "biology"},
]
for more in ({}, {"category": "physics"}, {"category": "biology", "mode": "x"}):
    add("SciEval.SciEvalDataset", {"path": "OpenDFM/SciEval", "name": "default", **more}, repository("OpenDFM/SciEval", default={"test": EVAL}), ["input", "A", "D", "target"], "test")

FILES = {
    "mgsm.PMMEvalMGSMDataset": ("mgsm/test/en.jsonl", {"lang": "en"}),
    "mhellaswag.PMMEvalMHellaswagDataset": ("mhellaswag/test/zh.jsonl", {"lang": "zh"}),
    "mifeval.PMMEvalMIFEvalDataset": ("mifeval/test/en.jsonl", {"lang": "en"}),
    "mlogiqa.PMMEvalMLogiQADataset": ("mlogiqa/test/en.jsonl", {"lang": "en"}),
    "xnli.PMMEvalXNLIDataset": ("xnli/test/en.jsonl", {"lang": "en"}),
    "flores.PMMEvalFloresDataset": ("flores/test/Chinese.jsonl", {"lang_fullname": "Chinese"}),
    "humanevalxl.PMMEvalHumanEvalXLDataset": ("humaneval-xl/test/python/English.jsonl", {"lang": "English", "program_lang": "python"}),
}
ROWS = [{"question": "How many geese?", "answer": 7, "kwargs": [{"a": 1}, {"b": None}]}, {"question": "é", "answer": 8, "extra": 1}]
for name, (file, entry) in FILES.items():
    for rows in (ROWS, ROWS[1:]):
        add(f"PMMEval.{name}", {"path": "P-MMEval", **entry}, {f"data/P-MMEval/{file}": lines(*rows)}, ["question", "answer"])
    add(f"PMMEval.{name}", {"path": "P-MMEval", **entry}, {f"data/P-MMEval/{file}": "{}\n\n"}, ["question", "answer"], fails=True)
    add(f"PMMEval.{name}", {"path": "P-MMEval", **entry}, {}, ["question", "answer"], fails=True)
for difficulty in ("easy", "hard", "all", "odd"):
    files = {f"data/P-MMEval/mmmlu/{kind}/test/mmlu_EN-US.jsonl": lines({"Question": kind, "A": 1, "Answer": "A"}, {"Question": "x", "A": 2, "Answer": "B"}) for kind in ("easy", "hard")}
    add("PMMEval.mmmlu.PMMEvalMMMLUDataset", {"path": "P-MMEval", "lang": "EN-US", "difficulty": difficulty}, files, ["Question", "Answer"], fails=difficulty == "odd")
for rows in ([{"translation": {"de": "Gans", "en": "goose"}}, {"translation": {"de": "Tor", "en": "gate"}}], [{"translation": {"de": "ä", "en": "e"}}]):
    add("iwslt2017.IWSLT2017Dataset", {"path": "iwslt2017", "name": "en-de"}, repository("iwslt2017", **{"en-de": {"train": rows, "validation": rows[:1], "test": rows}}), ["en", "de"], "validation")
XCOPA = "et ht it id qu sw zh ta th tr vi translation-et translation-ht translation-it translation-id translation-sw translation-zh translation-ta translation-th translation-tr translation-vi"
add("xcopa.XCOPADataset", {"path": "xcopa"}, repository("xcopa", **{lang: {"validation": [{"premise": f"In {lang}.", "choice1": "a", "choice2": "b", "question": "cause", "label": 0, "idx": 5}]} for lang in XCOPA.split()}), ["premise", "label"])
add("xcopa.XCOPADataset", {"path": "xcopa"}, repository("xcopa", et={"validation": [{"premise": "x", "label": 0}]}), ["premise", "label"], fails=True)
XLSUM = (
    "oromo french amharic arabic azerbaijani bengali burmese chinese_simplified chinese_traditional welsh english kirundi gujarati hausa hindi "
    "igbo indonesian japanese korean kyrgyz marathi spanish scottish_gaelic nepali pashto persian pidgin portuguese punjabi russian "
    "serbian_cyrillic serbian_latin sinhala somali swahili tamil telugu thai tigrinya turkish ukrainian urdu uzbek vietnamese yoruba"
)
add("xlsum.XLSUMDataset", {"path": "csebuetnlp/xlsum"}, repository("csebuetnlp/xlsum", **{lang: {"validation": [{"id": lang, "text": f"Much {lang}.", "summary": "Little."}]} for lang in XLSUM.split()}), ["text", "summary"])
add("xlsum.XLSUMDataset", {"path": "csebuetnlp/xlsum"}, repository("csebuetnlp/xlsum", oromo={"validation": [{"text": "x", "summary": "y"}]}), ["text", "summary"], fails=True)
TEXTS = 'id,content,lang\n1,"one, two",es\n2,x,fr\n3,"a\nb",es\n'
LABELS = "id,toxic\n1,1\n2,0\n3,0\n"
JIGSAW = {"path": "data/j/test.csv", "label": "data/j/labels.csv"}
for lang, texts, labels, fails in (("es", TEXTS, LABELS, False), ("fr", TEXTS, LABELS, False), ("de", TEXTS, LABELS, True), ("es", TEXTS, LABELS.replace("1,1", "9,1"), True), ("es", TEXTS, LABELS.replace("1,1", "1,x"), True)):
    add("jigsawmultilingual.JigsawMultilingualDataset", {**JIGSAW, "lang": lang}, {"data/j/test.csv": texts, "data/j/labels.csv": labels}, ["text", "label"], "test", fails=fails)

STEPS = [{"id": "1", "problem": "Add.", "steps": ["First.\n", "Second."], "label": 1, "final_answer_correct": False}, {"id": "2", "problem": "Sub.", "steps": [], "label": -1, "final_answer_correct": True}]
for subset in ("gsm8k", "math"):
    hub("ProcessBench.ProcessBenchEvalDataset", "Qwen/ProcessBench", "default", subset, (STEPS, STEPS[:1]), ["problem", "tagged_response", "label"], {"subset": subset}, broken={"problem": "x"})
PUZZLE = [{"id": "1", "puzzle": "Three houses.", "question": "Who?", "choices": ["Eric", "Ann"], "answer": "Ann"}, {"id": "2", "puzzle": "Two.", "question": "?", "choices": ["a"], "answer": "b"}]
hub("zebralogic.ZebraLogicDataset", "WildEval/ZebraLogic", "mc_mode", "test", (PUZZLE, PUZZLE[1:]), ["puzzle", "formatted_choices", "answer_label"], {"config": "mc_mode"}, broken={"puzzle": "x", "choices": ["a"] * 11, "answer": "a"})
hub("zebralogic.ZebraLogicDataset", "WildEval/ZebraLogic", "grid_mode", "test", ([{"puzzle": "p", "solution": {"header": ["House"], "rows": [["1"]]}}],), ["puzzle", "solution"], {"config": "grid_mode"})
SMOL = [{"input": f"Name {number}.", "output": f"C{number}", "task": "naming" if number % 3 else "other", "raw_input": "x"} for number in range(20)]
for more in ({}, {"mini_set": True}):
    add("smolinstruct.SmolInstructDataset", {"path": "osunlp/SMolInstruct", "name": "naming", **more}, repository("osunlp/SMolInstruct", default={"train": SMOL[:1], "validation": SMOL[:5], "test": SMOL}), ["input", "output"], "test")
for rows in ([{"prompt": "p", "ground_truth": {"b": [1, 2.5], "a": "é"}}], [{"prompt": "p", "ground_truth": [1], "x": 1}, {"prompt": "q", "ground_truth": None}]):
    add("internsandbox.InternSandboxDataset", {"path": "./data/isb/", "local_mode": True, "sandbox": "made"}, {"data/isb/made.jsonl": lines(*rows)}, ["prompt", "ground_truth"])
add("internsandbox.InternSandboxDataset", {"path": "./data/isb/", "local_mode": True, "sandbox": "made"}, {"data/isb/made.jsonl": lines({"prompt": "p"})}, ["prompt", "ground_truth"], fails=True)
PI = [{"experiment": name, "prompt": prompt, "answer_formatted": "{}", "n": number} for number, (name, prompt) in enumerate([("exp_updates", "plain text"), ("exp_keys", json.dumps([{"role": "user", "content": "hi"}])), ("extra_exp_updates_randomoff", "other"), ("exp_valuelength", "[1"), ("exp_updates_2", "third")])]
for more in ({"experiment_filter": "exp_updates"}, {"experiment_filter": "exp_keys"}, {"experiment_filter": "exp_sequential"}, {"experiment_filter": "exp_valuelength"}, {"experiment_filter": "exp_updates", "max_samples": 1}):
    add("PI_LLM.PILLMDataset", {"path": "giantfish-fly/pi-llm", "subset": "core", **more}, repository("giantfish-fly/pi-llm", core={"test": PI}), ["prompt", "answer_formatted"])
hub("cruxeval.CRUXEvalDataset", "cruxeval-org/cruxeval", "default", "test", ([{"code": "def f(x): return x", "input": "1", "output": "1"}], [{"code": "c", "input": "'é'", "output": "o", "id": 3}]), ["code", "input", "output"])
CALLS = {"a": {"origin_prompt": [{"role": "user", "content": "Call it."}], "ground_truth": {"name": "f", "args": [1, None]}, "template": "json"}, "b": {"origin_prompt": json.dumps([{"role": "system", "content": "é"}, {"role": "user", "content": "中"}]), "ground_truth": "plain"}, "c": {"origin_prompt": []}}
for calls in (CALLS, {"b": CALLS["b"]}):
    add("teval.TEvalDataset", {"path": "data/teval", "name": "made"}, {"data/teval/made.json": json.dumps(calls)}, ["prompt", "ground_truth"])
add("teval.TEvalDataset", {"path": "data/teval", "name": "made"}, {"data/teval/made.json": "{\"a\": {\"origin_prompt\": \"{\"}}"}, ["prompt", "ground_truth"], fails=True)
BUY = [{"question": "q", "A": "a", "B": "b", "C": "c", "D": "d", "answer": "A"}]
add("BuySideFinBench.BuySideFinBenchDataset", {"path": "cindy90/BuySideFinBench", "name": "made"}, repository("cindy90/BuySideFinBench", made={"dev": BUY, "test": BUY * 2}), ["question", "answer"], "dev")
add("BuySideFinBench.BuySideFinBenchDataset", {"path": "cindy90/BuySideFinBench", "name": "made"}, repository("cindy90/BuySideFinBench", made={"dev": BUY}), ["question", "answer"], "dev", fails=True)
