"""Writes `passages.jsonl` and `test.jsonl`: 400 invented passages and 240 dialogues whose last question is searched.

    python make.py            # writes both files beside this one; the same bytes every time
    python make.py --check    # says whether the files are those that it would write

Only Python's standard library is needed. The dialogues are drawn from templates (`parts_en.py`, `parts_zh.py`), but
for those in `hand_written.jsonl`, which stand first of their kind.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import parts_en
import parts_zh

HERE = Path(__file__).resolve().parent
SEED = 7
CLUSTERS = 25  # of each half: eight passages to a pair of neighbouring places
COUNTS = {"pronoun": 30, "two_antecedents": 20, "ellipsis": 20, "time": 20, "none_needed": 15, "none_possible": 15}
# Names that stood in training texts by chance. They are renamed and not drawn again, which would change all that come after.
RENAMED = {"Drake": "Draket"}
Turn = tuple[str, str]
Row = dict[str, object]


class Entity(NamedTuple):
    id: str  # of its passage
    kind: str
    name: str  # as it stands in a sentence
    cluster: int
    facts: dict[str, object]


def of_test(part: str) -> bool:
    """Names for training have none of these syllables (English) or pairs of letters (Chinese): one in four."""
    return zlib.crc32(part.encode()) % 4 == 0


class Names:
    """Invented names, none of them twice, and none part of another."""

    def __init__(self, rng: random.Random, lang: str) -> None:
        self.rng, self.lang, self.used = rng, lang, []

    def fresh(self, draw) -> str:
        while True:
            name = draw()
            name = RENAMED.get(name, name)
            if not any(name in other or other in name for other in self.used):
                self.used.append(name)
                return name

    def english(self, syllables: int) -> str:
        parts: list[str] = []
        while len(parts) < syllables:
            part = self.rng.choice(parts_en.ONSETS) + self.rng.choice(parts_en.VOWELS)
            if len(parts) + 1 == syllables:
                part += self.rng.choice(parts_en.CODAS)
            if of_test(part):
                parts.append(part)
        return "".join(parts).capitalize()

    def chinese(self, count: int) -> str:
        while True:
            drawn = self.rng.sample(parts_zh.LETTERS, count)
            if all(of_test(a + b) for a, b in zip(drawn, drawn[1:])):
                return "".join(drawn)

    def place(self) -> str:
        if self.lang == "en":
            return self.fresh(lambda: self.english(self.rng.choice([2, 2, 3])))
        return self.fresh(lambda: self.chinese(2))

    def surname(self) -> str:
        return self.fresh(lambda: self.english(2)) if self.lang == "en" else self.rng.choice(parts_zh.SURNAMES)

    def person(self, surname: str | None = None) -> str:
        surname = surname or self.surname()
        if self.lang == "en":
            return f"{self.fresh(lambda: self.english(2))} {surname}"

        def draw() -> str:
            while True:
                name = surname + self.chinese(2)
                if of_test(name[:2]):
                    return name

        return self.fresh(draw)


# -------------------------------------------------------------------------------------- passages


def cluster_facts(rng: random.Random, names: Names, p: ModuleType, lang: str) -> list[tuple[str, str, dict]]:
    """Kind, name and facts of eight neighbouring things."""
    c, english = rng.choice, lang == "en"
    town, river, region = names.place(), names.place(), names.place()
    river = river if english else river + "河"
    town_name, bridge = (town, f"{town} Bridge") if english else (town + "镇", town + "桥")
    engineer, woman = names.person(), rng.random() < 0.5
    inventor_surname = names.surname()
    inventor = names.person(inventor_surname)
    instrument = names.fresh(lambda: names.english(2).lower() if english else names.chinese(2))
    instrument = f"the {instrument}" if english else instrument + c("琴筝")
    host, feast = names.place(), c(p.FEASTS)
    festival = f"the {host} {feast} Festival" if english else f"{host}{feast}节"
    machine, what, does = c(p.MACHINES).split("|")
    machine = f"the {inventor_surname} {machine}" if english else f"{inventor[1:]}{machine}"
    born = rng.randint(1790, 1880)
    city = lambda: names.place() + ("" if english else "市")
    he = ("she" if woman else "he") if english else ("她" if woman else "他")
    first, second = sorted(rng.sample(range(1921, 1990), 2))
    made = [
        ("town", town_name, dict(river=river, year=rng.randint(1180, 1590), n=rng.randint(18, 970) * 100 + rng.randint(1, 99), material=c(p.MATERIALS), near=bridge)),
        ("bridge", bridge, dict(river=river, person=engineer, year=born + rng.randint(26, 50), n=rng.randint(41, 690), n2=rng.randint(2, 19), material=c(p.MATERIALS))),
        ("engineer", engineer, dict(town=town_name, year=born, year2=born + rng.randint(55, 84), trade=c(p.TRADES), place=city(), n=rng.randint(3, 88), near=bridge, he=he, woman=woman)),
        ("instrument", instrument, dict(town=town_name, person=names.person(), year=rng.randint(1610, 1890), n=rng.randint(3, 41), wood=c(p.WOODS), bow=c(p.BOWS))),
        ("festival", festival, dict(river=river, person=names.person(), year=rng.randint(1640, 1910), month=c(p.MONTHS), n=rng.randint(2, 16), dish=c(p.DISHES))),
    ]
    for year in (first, second):
        made.append(("edition", festival, dict(year=year, n=rng.randint(11, 980) * 10, person=names.person(), person2=names.person(), place=c(p.PLACES), weather=c(p.WEATHER))))
    n2 = rng.randint(4, 70)
    made.append(("machine", machine, dict(machine=what, does=does.format(n2=n2), person=inventor, year=rng.randint(1780, 1935), n=rng.randint(60, 2900), power=c(p.POWERS), place=city())))
    return made


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def passages(rng: random.Random, p: ModuleType, lang: str) -> tuple[list[Row], list[Entity]]:
    names, rows, entities = Names(rng, lang), [], []
    for cluster in range(CLUSTERS):
        for kind, name, facts in cluster_facts(rng, names, p, lang):
            parts = p.EDITION if kind == "edition" else p.KINDS[kind]
            filled = {"name": name, "x": name, "X": capital(name), "Kind": capital(name.removeprefix("the ")), **facts}
            filled["He"] = capital(str(facts.get("he", " ")))
            number = f"{lang}-{len(rows) + 1:03}"
            text = rng.choice(parts["texts"]).format(**filled)
            title = parts["title"].format(**filled)
            rows.append({"id": number, "lang": lang, "title": title, "text": text})
            entities.append(Entity(number, kind, name, cluster, facts))
    return rows, entities


# ------------------------------------------------------------------------------------- dialogues


def fill(template: str, name: str, p: ModuleType) -> str:
    return template.replace("{x}", name).replace("{s}", name + p.GENITIVE)


class Dialogues:
    """Draws dialogues about the entities of one language."""

    def __init__(self, rng: random.Random, p: ModuleType, lang: str, entities: list[Entity]) -> None:
        self.rng, self.p, self.lang = rng, p, lang
        self.of_kind = {kind: [e for e in entities if e.kind == kind] for kind in [*p.KINDS, "edition"]}
        self.waiting: dict[str, list[Entity]] = {}

    def entity(self, kind: str) -> Entity:
        """Each in turn before one comes a second time."""
        if not self.waiting.get(kind):
            self.waiting[kind] = self.rng.sample(self.of_kind[kind], CLUSTERS)
        return self.waiting[kind].pop()

    def facts(self, kind: str, count: int) -> list[Turn]:
        return self.rng.sample(self.p.KINDS[kind]["facts"], count)

    def turn(self, e: Entity, fact: tuple[str, str, str]) -> Turn:
        return fill(fact[0], e.name, self.p) + self.p.MARK, capital(fact[2].format(**e.facts))

    def other_topic(self, e: Entity) -> list[Turn]:
        """Now and then a turn about a neighbour comes first."""
        if self.rng.random() < 0.6:
            return []
        kind = self.rng.choice([kind for kind in self.p.KINDS if kind != e.kind])
        near = next(o for o in self.of_kind[kind] if o.cluster == e.cluster)
        return [self.turn(near, self.facts(kind, 1)[0])]

    def lean(self, question: str, e: Entity) -> str:
        if self.lang == "zh":
            pronoun = ("她" if e.facts["woman"] else "他") if e.kind == "engineer" else "它"
            return question.replace("{x}", pronoun)
        subject, owner = "it", "its"
        if e.kind == "engineer":
            subject, owner = ("she", "her") if e.facts["woman"] else ("he", "his")
        return question.replace("{x}", subject).replace("{s}", owner)

    def row(self, history, question, gold, needs, relevant, answer, names) -> Row:
        mark = "" if question.endswith(("?", "？")) else self.p.MARK
        gold_mark = "" if gold.endswith(("?", "？")) else self.p.MARK
        return dict(
            history=[list(turn) for turn in history], question=question + mark, gold_rewriting=gold + gold_mark,
            needs_rewriting=needs, relevant=relevant, answer=answer, names=names,
        )  # fmt: skip

    def pronoun(self, number: int) -> Row:
        kind = list(self.p.KINDS)[number % len(self.p.KINDS)]
        e = self.entity(kind)
        asked, wanted = self.facts(kind, 2)
        if kind == "engineer" and number % 4 == 0:  # the one who is meant stands in an answer
            bridge = next(o for o in self.of_kind["bridge"] if o.cluster == e.cluster)
            history = [self.turn(bridge, self.p.KINDS["bridge"]["facts"][4])]
        else:
            history = [*self.other_topic(e), self.turn(e, asked)]
        gold = fill(wanted[0], e.name, self.p)
        return self.row(history, self.lean(wanted[0], e), gold, True, [e.id], wanted[1].format(**e.facts), [e.name])

    def two_antecedents(self, number: int) -> Row:
        kind = list(self.p.KINDS)[number % len(self.p.KINDS)]
        a, b = self.entity(kind), self.entity(kind)
        asked, wanted = self.facts(kind, 2)
        history = [self.turn(a, asked), self.turn(b, asked)]
        if number % 3 == 0:
            both = self.rng.choice(self.p.BOTH_NAMED).format(a=a.name, A=capital(a.name), b=b.name)
            history = [(self.p.KINDS[kind]["several"], both)]
        if number % 3 == 2:
            question = self.p.KINDS[kind]["more"]
            while a.facts["n"] == b.facts["n"]:
                return self.two_antecedents(number)
            most = a if a.facts["n"] > b.facts["n"] else b
            names = a.name + self.p.CONJUNCTION + b.name
            return self.row(
                history, fill(question, self.p.BOTH, self.p), fill(question, names, self.p), True, [a.id, b.id], most.name, [a.name, b.name]
            )
        e, words = (a, self.p.FORMER) if self.rng.random() < 0.6 else (b, self.p.LATTER)
        return self.row(
            history, fill(wanted[0], words, self.p), fill(wanted[0], e.name, self.p), True, [e.id], wanted[1].format(**e.facts), [a.name, b.name]
        )

    def ellipsis(self, number: int) -> Row:
        kind = list(self.p.KINDS)[number % len(self.p.KINDS)]
        a, b = self.entity(kind), self.entity(kind)
        asked = self.facts(kind, 1)[0]
        history = [*self.other_topic(a), self.turn(a, asked)]
        question = self.rng.choice(self.p.MORE).replace("{x}", b.name)
        return self.row(history, question, fill(asked[0], b.name, self.p), True, [b.id], asked[1].format(**b.facts), [a.name, b.name])

    def time(self, number: int) -> Row:
        e = self.entity("edition")
        festival = next(o for o in self.of_kind["festival"] if o.cluster == e.cluster)
        asked, wanted = self.rng.sample(self.p.EDITION["facts"], 2)
        answer = self.rng.choice(self.p.EDITION["years"]).format(**e.facts)
        history = [(fill(asked[2].format(x="{x}", **e.facts), e.name, self.p), answer)]
        if number % 5 == 0:
            history.insert(0, self.turn(festival, self.facts("festival", 1)[0]))
        word = self.rng.choice(self.p.EDITION["leaning"])
        leaning = wanted[0].replace("{t}", f" {word}" if self.lang == "en" else word)
        standing = wanted[0].replace("{t}", self.p.EDITION["stands"].format(**e.facts))
        leaning = fill(leaning, e.name, self.p) if number % 2 else self.lean(leaning, e)
        return self.row(
            history, leaning, fill(standing, e.name, self.p), True, [e.id], wanted[1].format(**e.facts), [e.name, str(e.facts["year"])]
        )

    def none_needed(self, number: int) -> Row:
        kind = list(self.p.KINDS)[number % len(self.p.KINDS)]
        a, b = self.entity(kind), self.entity(kind)
        asked, wanted = self.facts(kind, 2)
        history = [*self.other_topic(a), self.turn(a, asked)]
        e = a if number % 3 == 0 else b
        question = fill(wanted[0], e.name, self.p)
        return self.row(history, question, question, False, [e.id], wanted[1].format(**e.facts), [a.name, b.name])

    def none_possible(self, number: int) -> Row:
        if number % 2:  # nothing in the dialogue that the question could be about
            question = self.p.UNRESOLVED[number // 2 % len(self.p.UNRESOLVED)]
            return self.row(self.p.EMPTY[number // 2 % len(self.p.EMPTY)], question, question, False, [], "", [])
        kind = list(self.p.KINDS)[number // 2 % len(self.p.KINDS)]
        e = self.entity(kind)
        wanted = self.rng.choice(self.p.KINDS[kind]["missing"])
        history = [*self.other_topic(e), self.turn(e, self.facts(kind, 1)[0])]
        return self.row(history, self.lean(wanted, e), fill(wanted, e.name, self.p), True, [], "", [e.name])


def lines(history: list[list[str]]) -> str:
    return "\n".join(f"Q: {question}\nA: {answer}" for question, answer in history)


def evidence(rows: list[Row], lang: str) -> str:
    colon = ": " if lang == "en" else "："
    return "\n".join(f"[{place}] {row['title']}{colon}{row['text']}" for place, row in enumerate(rows, 1))


def all_rows() -> tuple[list[Row], list[Row]]:
    own = HERE / "hand_written.jsonl"
    written = [json.loads(line) for line in own.read_text(encoding="utf-8").splitlines()] if own.exists() else []
    every_passage, tests = [], []
    for lang, p in (("en", parts_en), ("zh", parts_zh)):
        rng = random.Random(f"{SEED} {lang}")
        rows, entities = passages(rng, p, lang)
        every_passage += rows
        told = {row["id"]: row for row in rows}
        dialogues = Dialogues(rng, p, lang, entities)
        for phenomenon, count in COUNTS.items():
            kept = [row for row in written if (row["lang"], row["phenomenon"]) == (lang, phenomenon)]
            questions = {row["gold_rewriting"] for row in kept}
            number = 0
            while len(kept) < count:
                row = getattr(dialogues, phenomenon)(number)
                if row["gold_rewriting"] in questions and phenomenon != "none_possible":
                    continue
                questions.add(row["gold_rewriting"])
                kept.append(row)
                number += 1
            for place, row in enumerate(kept, 1):
                head = {"id": f"{lang}-{phenomenon}-{place:02}", "lang": lang, "phenomenon": phenomenon}
                body = {**head, **row, "hand_written": row in written}
                body["dialogue"] = lines(row["history"])
                body["evidence"] = evidence([told[number] for number in row["relevant"]], lang)
                tests.append(body)
    return every_passage, tests


def main() -> None:
    wrong = False
    for name, rows in zip(("passages", "test"), all_rows()):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path = HERE / f"{name}.jsonl"
        if "--check" not in sys.argv[1:]:
            path.write_bytes(text.encode())
        elif path.read_bytes() != text.encode():
            wrong = True
            print(f"{path.name} is not what make.py writes")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
