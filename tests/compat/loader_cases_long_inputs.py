"""Long inputs made of a few texts: NeedleBench in both versions, RULER."""

import json

from loader_case import Cases, lines, listed

CASES = Cases()

HAY = [
    {"text": f"{who} of {where} {did} {what} while the {when} bells rang. " * times}
    for times, (who, where, did, what, when) in enumerate(
        [
            ("The miller", "Oddel", "counted", "seven geese", "evening"),
            ("Old Marn", "the hill", "painted", "the gate", "morning"),
            ("A tinker", "Brack", "mended", "nine kettles", "noon"),
            ("磨坊主", "奥德尔村", "数了", "七只鹅🦆", "傍晚"),
            ("Nobody", "the far shore", "lost", "a blue lantern", "late"),
            ("The twins", "Harl", "sold", "crooked spoons é", "early"),
        ],
        start=2,
    )
]
NEEDLES = [
    {
        "needle": f"{who}最珍贵的东西是{what}。",
        "retrieval_question": f"{who}最珍贵的东西是什么？请按照'{who}最珍贵的东西是______。'的格式回答。",
        "arg1": who,
        "arg2": what,
        "language": "Chinese",
    }
    for who, what in [("阿力", "铜铃"), ("小雨", "旧地图"), ("阿力", "灯笼"), ("老乔", "铜铃"), ("春妮", "木船")]
] + [
    {
        "needle": f"What {who} treasures most is {what}.",
        "retrieval_question": f"What does {who} treasure most? Please answer in the format '{who} treasures ____.'",
        "arg1": who,
        "arg2": what,
        "language": "English",
    }
    for who, what in [("Ferra", "a brass bell"), ("Tam", "an old map"), ("Ferra", "a lantern"), ("Joss", "a brass bell"), ("Una", "a boat")]
]
STORIES = [
    {
        "derivation_count": count,
        "derivations": [f"{name} has key {number}." for number, name in enumerate(["Tam", "Una", "Joss"][:count])],
        "answer": f"key {count}",
        "question": f"Which key opens door {count}?",
    }
    for count in (2, 3, 2)
]
NAMES = {
    "English": ",".join(f"{first} {last}" for first in ("Tam", "Una", "Joss") for last in ("Brack", "Oddel", "Harl")),
    "Chinese": "阿力,小雨,老乔,春妮,大山,石头,云儿",
}
FILES = {
    "needles/PaulGrahamEssays.jsonl": lines(*HAY),
    "needles/zh_tech.jsonl": lines(*reversed(HAY)),
    "needles/needles.jsonl": lines(*NEEDLES),
    "needles/stories.json": listed(*STORIES),
    "needles/names.json": json.dumps(NAMES, ensure_ascii=False),
}
HAYSTACK = {
    "path": "needles",
    "tokenizer_model": "gpt-4",
    "num_repeats_per_file": 3,
    "length_buffer": 30,
    "length": 400,
    "file_list": ["zh_tech.jsonl", "PaulGrahamEssays.jsonl"],
}


def add(class_name, entry, columns=("prompt", "answer")):
    # Where a name stands for several classes, its module says which.
    is_shared = class_name.startswith("needlebench_v2.") or ".atc_choice." in class_name
    CASES.add(class_name, entry, FILES, columns, type=class_name if is_shared else None)


for language in ("English", "Chinese"):
    for place in ("End", "Start"):
        hay = {**HAYSTACK, "language": language}
        one = {**hay, "needle_file_name": "needles.jsonl"}
        at_once = {**one, "depths": [0, 30, 95]}
        # In the first version the Chinese question before the document is a pair of texts.
        for guide in (True, False) if (language, place) != ("Chinese", "Start") else ():
            for depth in (0, 37):
                add("needlebench.origin.NeedleBenchOriginDataset", {**one, "guide": guide, "position": place, "depth": depth})
            several = {**hay, "needle_file_name": "stories.json", "guide": guide, "position": place, "depth": 20, "diff": 15}
            add("needlebench.multi.NeedleBenchMultiDataset", {**several, "num_needles": 2 + guide})
        for guide in (True, False):
            add("needlebench.parallel.NeedleBenchParallelDataset", {**at_once, "guide": guide, "position": place})
        for depth in (0, 50.5, 100):
            add("needlebench_v2.origin.NeedleBenchOriginDataset", {**one, "quesiton_position": place, "depth": depth})
        for length in (70, 400):
            family = {**hay, "needle_file_name": "names.json", "quesiton_position": place, "depth": 60, "diff": 20, "length": length}
            add("needlebench_v2.multi.NeedleBenchMultiDataset", {**family, "num_needles": 3})
            add("needlebench_v2.parallel.NeedleBenchParallelDataset", {**at_once, "quesiton_position": place, "length": length})
    for count in (2, 3, 5):
        told = {"path": "needles", "file_name": "names.json", "num_needles": count, "language": language, "repeats": 4}
        add("needlebench.atc.NeedleBenchATCDataset", told)
        add("needlebench.atc.NeedleBenchATCOrderedDataset", told)
        add("needlebench.atc_choice.NeedleBenchATCDataset", told, ("question", "answer"))
        add("needlebench_v2.atc_elder_only.NeedleBenchATCDataset", told)
        add("needlebench_v2.atc.NeedleBenchATCDataset", told)

ESSAYS = {"ruler/essays.jsonl": lines(*({"text": row["text"] * 12} for row in HAY), {"title": "none"})}
SAMPLES = {"num_samples": 3, "max_seq_length": 900}


def ruler(module, stem, entry, files=None):
    class_name = f"ruler.ruler_{module}.Ruler{stem}Dataset"
    CASES.add(class_name, {**SAMPLES, **entry}, files or {"unused": ""}, ("prompt", "answer"))


HAYSTACKS = {"base_path": "./ruler", "file_path": "essays.jsonl", "tokens_to_generate": 64}
# Each of these makes the class write all pairs of adjectives and nouns down, so they are few.
for hay, key, value, counts in [
    ("repeat", "words", "numbers", (1, 1, 1)),
    ("essay", "words", "uuids", (4, 1, 1)),
    ("needle", "uuids", "uuids", (1, 1, 1)),
    ("essay", "words", "numbers", (1, 4, 1)),
    ("essay", "numbers", "words", (1, 2, 4)),
    ("needle", "words", "words", (2, 1, 2)),
]:
    kinds = {"type_haystack": hay, "type_needle_k": key, "type_needle_v": value}
    numbers = dict(zip(("num_needle_k", "num_needle_v", "num_needle_q"), counts))
    longer = {"max_seq_length": 4500, "random_seed": 7} if value == "words" else {}
    ruler("niah", "Niah", {**HAYSTACKS, **kinds, **numbers, **longer}, ESSAYS)
ruler("niah", "Niah", {**HAYSTACKS, "remove_newline_tab": "yes", "max_seq_length": 20000}, ESSAYS)
for entry in ({}, {"max_seq_length": 5000}, {"num_cw": 3, "freq_cw": 4, "freq_ucw": 2, "max_seq_length": 4200, "random_seed": 3}):
    ruler("cwe", "Cwe", entry)
for entry in ({}, {"max_seq_length": 3000, "alpha": 1.7}, {"max_seq_length": 2200, "coded_wordlen": 4, "vocab_size": 30, "random_seed": 9}):
    ruler("fwe", "Fwe", entry)
for entry in ({}, {"num_chains": 2, "num_hops": 3, "max_seq_length": 2000}, {"num_hops": 12, "max_seq_length": 700, "remove_newline_tab": "1"}):
    ruler("vt", "Vt", entry)
PASSAGES = [f"Passage {number}: {HAY[number % 6]['text'][:90]}" for number in range(30)]
SQUAD = {
    "data": [
        {
            "title": f"t{start}",
            "paragraphs": [
                {
                    "context": PASSAGES[start + number],
                    "qas": [
                        {"question": f"Which is {start + number}?", "answers": [{"text": "it's"}, {"text": "this"}], "is_impossible": False},
                        {"question": "Why not?", "answers": [], "is_impossible": True},
                    ],
                }
                for number in range(10)
            ],
        }
        for start in (0, 10, 20)
    ]
}
HOTPOT = [
    {
        "question": f"Who is number {number}?",
        "answer": f"person {number}",
        "context": [[f"Title {place}", [PASSAGES[place], " And more."]] for place in range(number, number + 6)],
    }
    for number in range(0, 24, 2)
]
QUESTIONS = {"ruler/dev-v2.0.json": json.dumps(SQUAD), "ruler/hotpotqa.json": json.dumps(HOTPOT)}
for length in (900, 1500, 6000):
    # The last holds all documents, which then stay shuffled.
    ruler("qa", "Qa", {"dataset": "squad", "path": "./ruler/dev-v2.0.json", "max_seq_length": length}, QUESTIONS)
    ruler("qa", "Qa", {"dataset": "hotpotqa", "path": "./ruler/hotpotqa.json", "max_seq_length": length, "pre_samples": 2}, QUESTIONS)
