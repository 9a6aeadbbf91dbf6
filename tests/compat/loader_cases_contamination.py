"""Exams with what a web search has found of their questions."""

import json

from loader_case import Cases, lines

CASES = Cases()
add = CASES.add

FOUND = ["clean", "input contamination", "input-and-label contamination"]
SIX = 'Which?,a,b,"c, é",d,{}\n你好,1,2,3,4,{}\nWo?,5,6,7,8,D\n'
EXAM = ["input", "A", "B", "C", "D", "target"]
MMLU = {"data/mmlu/dev/made_dev.csv": SIX.format("A", "B"), "data/mmlu/test/made_test.csv": SIX.format("C", "D")}
for known in ({"made 0": [FOUND[0], 1], "made 2": [FOUND[2]]}, {"other 0": [FOUND[1]]}, {"made 1": []}):
    files = {**MMLU, "data/mmlu/test/MMLU_test_contamination_annotations.json": json.dumps(known)}
    add("mmlu.MMLUDatasetClean", {"path": "opencompass/mmlu", "name": "made"}, files, [*EXAM, "is_clean"], "test", fails=[] in known.values())
add("mmlu.MMLUDatasetClean", {"path": "opencompass/mmlu", "name": "made"}, {"data/mmlu/test/MMLU_test_contamination_annotations.json": "{}"}, EXAM, "test", fails=True)

CEVAL = "id,question,A,B,C,D,answer,explanation\n0,Which?,a,b,c,d,B,so\n1,Who?,1,2,3,4,D,\n"
UNANSWERED = "id,question,A,B,C,D\n0,Which?,a,b,c,d\n1,Who?,1,2,3,4\n"
UNDER = "data/ceval/formal_ceval"
for known in ({"made-1": [FOUND[1]]}, {"made-0": [FOUND[2]], "made-1": [FOUND[0]]}):
    files = {f"{UNDER}/dev/made_dev.csv": CEVAL, f"{UNDER}/val/made_val.csv": CEVAL, f"{UNDER}/test/made_test.csv": UNANSWERED}
    add("ceval.CEvalDatasetClean", {"path": "opencompass/ceval-exam", "name": "made"}, {**files, f"{UNDER}/val/ceval_contamination_annotations.json": json.dumps(known)}, ["question", "is_clean", "answer"], "val")
add("ceval.CEvalDatasetClean", {"path": "opencompass/ceval-exam", "name": "made"}, {f"{UNDER}/val/ceval_contamination_annotations.json": "{}"}, ["question", "answer"], "val", fails=True)

ENDINGS = [{"query": "Topic: A: b: c", "choices": ["w", "x", "y", "z"], "gold": 2}, {"query": "no colon é", "choices": ["1", "2", "3", "4"], "gold": 0}]
for known in ({"0": [FOUND[0]]}, {"1": [FOUND[2], "x"], "7": [FOUND[1]]}):
    add("hellaswag.HellaswagDatasetClean", {"path": "opencompass/hellaswag"}, {"data/hellaswag/hellaswag.jsonl": lines(*ENDINGS), "data/hellaswag/hellaswag_val_contamination_annotations.json": json.dumps(known)}, ["ctx", "is_clean", "label"])
add("hellaswag.HellaswagDatasetClean", {"path": "opencompass/hellaswag"}, {"data/hellaswag/hellaswag.jsonl": "{", "data/hellaswag/hellaswag_val_contamination_annotations.json": "{}"}, ["ctx", "label"], fails=True)


def asked(name, letters, gold):
    """A question with lettered choices."""
    return {"id": name, "question": {"stem": f"{name}?", "choices": [{"text": f"{name} {letter} é", "label": letter} for letter in letters]}, "answerKey": gold}


ARC = [asked("q1", "1234", "3"), asked("q2", "AB", "A"), asked("q3", "ABCD", "A")]
FILE = "data/ARC/ARC-c/ARC-Challenge-Test.jsonl"
NOTES = "data/ARC/ARC-c/ARC_c_test_contamination_annotations.json"
for rows, known in ((ARC, {"q1": [FOUND[1]], "q2": [FOUND[0]]}), (ARC[2:], {"q3": [FOUND[2]]}), (ARC, {})):
    add("arc.ARCDatasetClean", {"path": "opencompass/ai2_arc-test", "name": "made"}, {FILE: lines(*rows), NOTES: json.dumps(known)}, ["question", "textA", "is_clean", "answerKey"])
add("arc.ARCDatasetClean", {"path": "opencompass/ai2_arc-test", "name": "made"}, {FILE: lines({"question": ARC[0]["question"], "answerKey": "3"}), NOTES: "{}"}, ["question", "answerKey"], fails=True)
