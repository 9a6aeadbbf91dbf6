"""Classes that turn the options of other classes."""

from loader_case import Cases, lines

CASES = Cases()
add = CASES.add

#: Which turns are asked.
TURNS = ({}, {"circular_patterns": "circular"}, {"circular_patterns": "all_possible"})


def turned(class_name, entry, files, read, split=None, turns=TURNS, broken=None, module="circular"):
    """The same files under each way of turning, and perhaps broken ones."""
    for more in turns:
        add(f"{module}.{class_name}", {**entry, **more}, files, read, split)
    add(f"{module}.{class_name}", {**entry, "circular_patterns": "odd"}, files, read, split, fails=True)
    if broken is not None:
        add(f"{module}.{class_name}", entry, broken, read, split, fails=True)


SIX = 'Which?,a,b,"c, é",d,{}\n你好,1,2,3,4,{}\n'
EXAM = ["input", "A", "B", "C", "D", "target"]
turned("CircularMMLUDataset", {"path": "opencompass/mmlu", "name": "made"}, {"data/mmlu/dev/made_dev.csv": SIX.format("A", "B"), "data/mmlu/test/made_test.csv": SIX.format("C", "?")}, EXAM, "test", broken={"data/mmlu/dev/made_dev.csv": "a,b\n"})
NUMBERED = ",Question,A,B,C,D,Answer\n1,Which?,a,b,c,d,{}\n2,Who?,1,2,3,4,{}\n"
turned("CircularCMMLUDataset", {"path": "opencompass/cmmlu", "name": "made"}, {"data/cmmlu/dev/made.csv": NUMBERED.format("A", "B"), "data/cmmlu/test/made.csv": NUMBERED.format("D", "C")}, ["question", "A", "answer"], "test", broken={})
CEVAL = "id,question,A,B,C,D,answer,explanation\n0,Which?,a,b,c,d,B,so\n1,Who?,1,2,3,4,D,\n"
UNANSWERED = "id,question,A,B,C,D\n0,Which?,a,b,c,d\n1,Who?,1,2,3,4\n"
turned("CircularCEvalDataset", {"path": "opencompass/ceval-exam", "name": "made"}, {"data/ceval/formal_ceval/dev/made_dev.csv": CEVAL, "data/ceval/formal_ceval/val/made_val.csv": CEVAL, "data/ceval/formal_ceval/test/made_test.csv": UNANSWERED}, ["question", "A", "answer"], "val", broken={})


def asked(stem, letters, gold, **more):
    """A question with lettered choices."""
    choices = [{"text": f"{stem} {letter}", "label": letter} for letter in letters]
    return {"question": {"stem": stem, "choices": choices}, "answerKey": gold, **more}


FIVE = lines(asked("Why?", "ABCDE", "E"), asked("Wer? é", "ABCDE", "A"))
turned("CircularCSQADataset", {"path": "opencompass/commonsense_qa"}, {"data/commonsenseqa/train_rand_split.jsonl": FIVE, "data/commonsenseqa/dev_rand_split.jsonl": FIVE}, ["question", "A", "answerKey"], "validation", broken={"data/commonsenseqa/train_rand_split.jsonl": "{"})
ARC = lines(asked("Why?", "1234", "3"), asked("Two?", "AB", "A"), asked("Who?", "ABCD", "A"))
turned("CircularARCDataset", {"path": "opencompass/ai2_arc-test", "name": "made"}, {"data/ARC/ARC-c/ARC-Challenge-Test.jsonl": ARC}, ["question", "textA", "answerKey"], broken={"data/ARC/ARC-c/ARC-Challenge-Test.jsonl": lines(asked("Why?", "ABCD", "Z"))})
OPEN = lines(asked("Snow is", "ABCD", "D", fact1="Cold."), asked("Ice?", "ABCD", "B", fact1="Hard é."))
turned("CircularOBQADataset", {"path": "opencompass/openbookqa_fact", "name": "additional"}, {"data/openbookqa/Additional/test_complete.jsonl": OPEN}, ["question_stem", "A", "fact1", "answerKey"], broken={"data/openbookqa/Additional/test_complete.jsonl": "{}\n"})
ENDINGS = [{"query": "Topic: A: b: c", "choices": ["w", "x", "y", "z"], "gold": 2}, {"query": "no colon é", "choices": ["1", "2", "3", "4"], "gold": 0}]
turned("CircularHSWAGDataset", {"path": "opencompass/hellaswag"}, {"data/hellaswag/hellaswag.jsonl": lines(*ENDINGS)}, ["ctx", "A", "label"], broken={"data/hellaswag/hellaswag.jsonl": lines({"query": "x", "choices": ["w"], "gold": 0})})
ARTICLES = [{"article": "Long.", "question": "Why?", "options": ["w", "x", "y", "z"], "answer": "C"}, {"article": "Länger.", "question": "Who?", "options": ["1", "2", "3", "4"], "answer": "A"}]
turned("CircularRaceDataset", {"path": "opencompass/race", "name": "high"}, {f"data/race/{split}/high.jsonl": lines(*ARTICLES) for split in ("validation", "test")}, ["article", "question", "A", "answer"], "test", broken={"data/race/test/high.jsonl": lines(*ARTICLES)})
SUBJECTS = [{"question": "Was?", "options": "a\nb\nc\nd", "answer": "c", "labels": ["x", "long é"], "label": ["y", "longer"]}, {"question": "Two?", "options": "a\nb", "answer": "a", "labels": [], "label": []}, {"question": "Wo?", "options": '1\n2\n3\n4"\n', "answer": "4", "labels": ["z"], "label": ["z"]}]
for name in ("xiezhi_inter_chn", "xiezhi_spec_eng"):
    folder = f"data/xiezhi/xiezhi_train_{name[-3:]}"
    turned("CircularXiezhiDataset", {"path": "./data/xiezhi", "name": name}, {f"{folder}/xiezhi.v1.json": lines(*SUBJECTS), f"data/xiezhi/{name}/xiezhi.v1.json": lines(*SUBJECTS)}, ["question", "A", "labels", "answer"], turns=TURNS[:2], broken={f"{folder}/xiezhi.v1.json": lines(*SUBJECTS)})
GOALS = [{"id": "a", "goal": "Open it", "sol1": "Pull", "sol2": "Push é"}, {"id": "b", "goal": "Shut it", "sol1": "Push", "sol2": "Pull"}]
PIQA = {f"data/piqa/{file}.jsonl": lines(*GOALS) for file in ("train", "dev")} | {"data/piqa/train-labels.lst": "0\n-1\n", "data/piqa/dev-labels.lst": "1\n0\n"}
turned("CircularPIQADataset", {"path": "opencompass/piqa"}, PIQA, ["goal", "sol1", "sol2", "answer"], "validation", broken={**PIQA, "data/piqa/dev-labels.lst": "1\n-1\n"})
SCENES = [{"context": "Ned fell.", "question": "Why?", "answerA": "rain", "answerB": "ice", "answerC": "wind é"}, {"context": "Ada ran.", "question": "Where?", "answerA": "home", "answerB": "out", "answerC": "off"}]
SIQA = {f"data/siqa/{file}.jsonl": lines(*SCENES) for file in ("train", "dev")} | {"data/siqa/train-labels.lst": "1\n3\n", "data/siqa/dev-labels.lst": "2\n3\n"}
turned("CircularsiqaDataset", {"path": "opencompass/siqa"}, SIQA, ["context", "A", "B", "C", "answer"], "validation", broken={**SIQA, "data/siqa/dev-labels.lst": "2\n"})
OWN = [{"question": "Why?", "A": "a", "B": "b", "C": "é", "answer": "C"}, {"question": "Who?", "A": "1", "B": "2", "C": "3", "answer": "none"}]
for more in ({"option_keys": ["A", "B", "C"], "answer_key": "answer"}, {"option_keys": ["B", "C"], "answer_key": "question"}):
    turned("CircularCustomDataset", {"path": "./data/own.jsonl", **more}, {"data/own.jsonl": lines(*OWN)}, ["question", "A", "answer"], broken={}, module="custom")
turned("CircularCustomDataset", {"path": "./data/own.csv", "option_keys": ["A", "B"], "answer_key": "answer"}, {"data/own.csv": "question,A,B,answer\nWhy?,a,b,A\nWho?,1,2,B\n"}, ["question", "A", "answer"], module="custom")
