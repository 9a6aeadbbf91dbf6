"""Long texts: LEval, LVEval, InfiniteBench, LongBench, MRCR."""

from loader_case import Cases, lines, repository

CASES = Cases()

STORY = "The miller of Oddel kept seven geese.\nOne of them could count."
L_EVAL = [
    {
        "instructions": ["How many geese?", "Who counts?"],
        "outputs": ["(B) seven geese", "one  of\tthe geese\u00a0there"],
        "input": STORY,
        "source": "made up",
        "evaluation": "exam",
    },
    {"instructions": ["Where?"], "outputs": ["(A) in Oddel é 中"], "input": "Oddel lies by a brook.", "source": "x", "evaluation": "y"},
]
L_EVAL_CLASSES = {
    "": "coursera.Coursera gsm100.GSM100 tpo.TPO topic_retrieval.TopicRetrieval quality.Quality",
    "length": "financial_qa.FinancialQA gov_report_summ.GovReportSumm legal_contract_qa.LegalContractQA "
    "meeting_summ.MeetingSumm multidoc_qa.MultidocQA narrattive_qa.NarrativeQA natural_question.NaturalQuestion "
    "news_summ.NewsSumm paper_assistant.PaperAssistant patent_summ.PatentSumm review_summ.ReviewSumm "
    "scientific_qa.ScientificQA tvshow_summ.TVShowSumm",
}
for extra, classes in L_EVAL_CLASSES.items():
    for name in classes.split():
        module, stem = name.split(".")
        class_name = f"leval.leval_{module}.LEval{stem}Dataset"
        columns = ["question", "context", *([extra] if extra else []), "answer"]
        for rows in (L_EVAL, L_EVAL[1:]):
            files = repository("L4NLP/LEval", one={"test": rows}, other={"test": L_EVAL[:1]})
            CASES.add(class_name, {"path": "L4NLP/LEval", "name": "one"}, files, columns, "test")
        if module in ("coursera", "quality", "tpo"):
            broken = [{**L_EVAL[0], "outputs": ["x"]}]
            files = repository("L4NLP/LEval", one={"test": broken})
            entry = {"path": "L4NLP/LEval", "name": "one"}
            CASES.add(class_name, entry, files, columns, "test", fails=module == "quality")

LV_EVAL = [
    {
        "input": "Who painted the gate?",
        "context": STORY,
        "answers": ["Marn", "old Marn"],
        "length": 12,
        "dataset": "made_up",
        "language": "en",
        "answer_keywords": "Marn",
        "confusing_facts": ["Tarn painted the door."],
    },
    {
        "input": "谁？",
        "context": "磨坊主。",
        "answers": ["磨坊主"],
        "length": 3,
        "dataset": "made_up",
        "language": "zh",
        "answer_keywords": "磨坊",
        "confusing_facts": [],
    },
]
for name in (
    "cmrc_mixup.cmrc dureader_mixup.dureader factrecall_en.factrecallen factrecall_zh.factrecallzh "
    "hotpotwikiqa_mixup.hotpotwikiqa lic_mixup.lic loogle_CR_mixup.looglecr loogle_MIR_mixup.looglemir "
    "loogle_SD_mixup.looglesd multifieldqa_en_mixup.multifieldqaen multifieldqa_zh_mixup.multifieldqazh"
).split():
    module, stem = name.split(".")
    class_name = f"lveval.lveval_{module}.LVEval{stem}Dataset"
    for rows in (LV_EVAL, LV_EVAL[1:]):
        files = repository("Infinigence/LVEval", made_16k={"test": rows})
        entry = {"path": "Infinigence/LVEval", "name": "made_16k"}
        CASES.add(class_name, entry, files, ["context", "input", "answers"], "test")
    files = repository("Infinigence/LVEval", made_16k={"test": [{"input": "x", "context": "y"}]})
    CASES.add(class_name, {"path": "Infinigence/LVEval", "name": "made_16k"}, files, ["context", "answers"], "test", fails=True)

INFINITE = [
    {
        "id": 0,
        "context": "func_12 calls func_3. " + STORY,
        "input": "Please give me the exact number that func_12(-7) and func_3(1) return.",
        "answer": ["gate"],
        "options": ["door", "gate", "wall", "roof"],
    },
    {
        "id": 1,
        "context": "[4, 8, 15]",
        "input": "Say func_0(5). THE x. The Second Largest of one of\nthe list",
        "answer": ["door"],
        "options": ["door", "gate", "door", "roof", "moat"],
    },
    {"id": 2, "context": "none", "input": "The smallest of all: func_1(0)", "answer": ["roof"], "options": ["a", "b", "c", "roof"]},
]
INFINITE_CLASSES = {
    "codedebug": "question option_A answer",
    "enmc": "question option_D answer",
    "coderun": "func func_call answer",
    "endia": "question answer",
    "enqa": "question answer",
    "zhqa": "question answer",
    "ensum": "context answer",
    "mathcalc": "context answer",
    "mathfind": "prefix answer",
    "retrievekv": "input answer",
    "retrievenumber": "input answer",
    "retrievepasskey": "input answer",
}
for name, columns in INFINITE_CLASSES.items():
    class_name = f"infinitebench.infinitebench_{name}.InfiniteBench{name}Dataset"
    entry = {"path": "./data/InfiniteBench/made.jsonl"}
    for rows in (INFINITE, INFINITE[:1]):
        rows = [{**row, "input": row["input"] + " The nth of it"} for row in rows]
        CASES.add(class_name, entry, {"data/InfiniteBench/made.jsonl": lines(*rows)}, columns.split())
    without = lines({"context": "x", "input": "none here", "options": ["a"]})
    CASES.add(class_name, entry, {"data/InfiniteBench/made.jsonl": without}, columns.split(), fails=True)
    CASES.add(class_name, entry, {}, columns.split(), fails=True)

CHOICE = {
    "_id": "a1",
    "domain": "tales",
    "sub_domain": "geese",
    "difficulty": "easy",
    "length": "short",
    "question": "How many?",
    "choice_A": "six",
    "choice_B": "seven",
    "choice_C": "eight",
    "choice_D": "nine",
    "answer": "B",
    "context": STORY,
}
for text in (lines(CHOICE, {**CHOICE, "difficulty": "hard", "choice_C": "8"}), "[" + lines(CHOICE).strip() + "]"):
    CASES.add(
        "longbenchv2.LongBenchv2Dataset",
        {"path": "opencompass/longbenchv2"},
        {"data/longbenchv2/data.json": text},
        ["context", "question", "answer"],
        "test",
    )
CASES.add(
    "longbenchv2.LongBenchv2Dataset",
    {"path": "opencompass/longbenchv2"},
    {"data/longbenchv2/data.json": lines({"question": "x"})},
    ["context", "answer"],
    "test",
    fails=True,
)

MRCR = [
    {"context": STORY, "question": "Prepend  x9Tto to the third poem. Prepend b to c", "answers": ["x9Tto a \"poem\" é", "b"]},
    {"context": "none", "question": "Write the poem again.", "answers": ["poem"]},
]
for rows in (MRCR, MRCR[1:]):
    files = repository("giulio98/MRCR_v2_common", two={"test": rows})
    entry = {"path": "giulio98/MRCR_v2_common", "subset": "two"}
    CASES.add("mrcr.MRCRDataset", entry, files, ["context", "question", "gold"])
