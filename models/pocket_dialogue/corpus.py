"""Texts that the dialogue model is trained on: rewritings and answers read off passages, English and Chinese.

A document is a list of pieces: a text and how much it counts in the loss. Everything is drawn from a seeded generator;
nothing in here needs more than Python's standard library. No question of the test set `configs/datasets/dialogues`
is drawn: `Excluded` holds their skeletons, the names taken out of them.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import chinese
import english

BOS, EOS, PAD, IM_START, IM_END = SPECIAL_TOKENS = [
    "<|bos|>", "<|eos|>", "<|pad|>", "<|im_start|>", "<|im_end|>"
]  # fmt: skip
BACKGROUND = 0.03  # what counts of text that is not an answer
TEST = Path(__file__).resolve().parents[2] / "configs/datasets/dialogues/test.jsonl"

Piece = tuple[str, float]
Row = dict[str, object]


class Mixture(NamedTuple):
    plain: float  # share of documents that ask by the plain instruction, without a thought
    reading: float  # share of documents with passages
    shots: tuple[int, ...]  # how many examples stand before the last rewriting
    cases: tuple[int, ...]  # weights of CASES
    passages: tuple[int, ...]  # how many passages a question is answered from


CASES = ("pronoun", "named", "no antecedent", "two", "ellipsis", "time")
FIRST = Mixture(0.0, 0.2, (0, 0, 1), (60, 15, 5, 10, 5, 5), (1,))
SECOND = Mixture(0.08, 0.35, (0, 0, 1, 2), (26, 14, 8, 18, 17, 17), (1, 1, 2))
LAST = Mixture(0.08, 0.32, (0, 0, 1, 2, 3, 4), (24, 14, 8, 18, 18, 18), (1, 2, 3))


def skeleton(text: str, names: list[str]) -> str:
    """A question without the names in it, longest first: what is left of it is its template."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "{}")
    return text


class Excluded:
    """What the test asks: skeletons of its rewritten questions."""

    def __init__(self, path: Path = TEST) -> None:
        self.skeletons: set[str] = set()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                for text in (row["question"], row["gold_rewriting"]):
                    self.skeletons.add(skeleton(text, row["names"]))

    def holds(self, text: str, names: list[str]) -> bool:
        return skeleton(text, names) in self.skeletons


EXCLUDED = Excluded()


# ------------------------------------------------------------------------------------- rewriting


def filled(question: str, about: english.Entity, l: ModuleType) -> str:
    return question.replace("{x}", about.name).replace("{s}", l.of(about.name))


def asked_turn(rng: random.Random, l: ModuleType, about: english.Entity) -> tuple[str, str]:
    """A question about something and its answer; the thing is named or a pronoun."""
    fact = l.fact(rng)
    if rng.random() < 0.5:
        question = l.pronoun(rng, about, fact.question)[0]
    else:
        question = fact.question.replace("{x}", about.name).replace("{s}", l.of(about.name))
    answer = fact.reply if rng.random() < 0.8 else rng.choice(l.REPLIES)
    if rng.random() < 0.25:
        answer = l.capital(fact.statement.replace("{x}", about.name))
    return question + l.MARK, answer


def rewriting_row(rng: random.Random, l: ModuleType, cases: tuple[int, ...]) -> Row:
    """A dialogue, its last question, and the question as it stands alone."""
    while True:
        case = rng.choices(CASES, cases)[0]
        row, names = draw_row(rng, l, case)
        texts = (str(row["question"]), str(row["output"]))
        if not any(EXCLUDED.holds(text, names) for text in texts):
            return row


def draw_row(rng: random.Random, l: ModuleType, case: str) -> tuple[Row, list[str]]:
    about, history, names = l.entity(rng), [], []
    pairs: list[tuple[str, str]] = []  # words that lean on the dialogue, what they stand for
    if case == "two":
        other = l.entity(rng, about.kind)._replace(trade=about.trade)
        if rng.random() < 0.5:
            history.append(l.pair_opening(rng, about, other))
            if rng.random() < 0.35:
                history.append(asked_turn(rng, l, rng.choice([about, other])))
        else:  # the same is asked of one and of the other
            asked = l.fact(rng)
            for one in (about, other):
                reply = asked.reply if rng.random() < 0.5 else l.fact(rng).reply
                history.append((filled(asked.question, one, l) + l.MARK, reply))
        names = [about.name, other.name]
        draw = rng.randrange(4)
        if draw < 2:
            shown, stands = [(rng.choice(l.FORMER), about.name), (rng.choice(l.LATTER), other.name)][draw]
            ask = l.ask(rng, time=False).replace("{s}", l.of("{x}"))
        else:
            shown, stands = rng.choice(l.PAIR), l.AND.format(about.name, other.name)
            ask = l.ask_pair(rng)
            if shown in ("they", "them"):
                shown = l.pronoun(rng, about._replace(kind="pair"), ask)[1]
        question, output = ask.replace("{x}", shown), ask.replace("{x}", stands)
        pairs = [(shown, stands)]
    elif case == "ellipsis":
        kind = rng.choice([about.kind, about.kind, "thing", "man"])
        other = l.entity(rng, kind)
        if rng.random() < 0.4:
            history.append(l.opening(rng, rng.choice([about, about, other])))
        ask = l.ask(rng)
        fill = lambda name: ask.replace("{x}", name).replace("{s}", l.of(name)) + l.MARK
        history.append((fill(about.name), rng.choice([l.fact(rng).reply, rng.choice(l.REPLIES)])))
        shown = rng.choice(l.MORE)
        names = [about.name, other.name]
        thought = l.MORE_THOUGHT.format(other.name, about.name) + l.STOP
        return made(history, shown.replace("{x}", other.name), "Yes", thought, fill(other.name)), names
    elif case == "time":
        time, word = l.year(rng), rng.choice(l.TIMES)
        fact = l.fact(rng)
        named = rng.random() < 0.4
        if rng.random() < 0.3 and not named:
            history.append(l.opening(rng, about))
        verb_fact = fact.question.replace("{x}", about.name).replace("{s}", l.of(about.name))
        if rng.random() < 0.75:
            asked = l.ask_year(rng).replace("{x}", about.name)
            history.append((asked + l.MARK, rng.choice(l.YEARS).format(y=time)))
        else:
            history.append((verb_fact + l.MARK, l.capital(fact.statement.replace("{x}", about.name))))
            history.append((l.about_year(rng, about.name, time), rng.choice(l.REPLIES)))
        if rng.random() < 0.2:
            history.append((l.pronoun(rng, about, l.ask(rng, time=False))[0] + l.MARK, rng.choice(l.REPLIES)))
        ask, stands = l.timed(rng, l.ask(rng, time=False)), l.IN_YEAR.format(time)
        names = [about.name, time]
        if named:
            shown = about.name
            question = ask.replace("{s}", l.of(shown)).replace("{x}", shown)
        else:
            question, shown, meant = l.pronoun(rng, about, ask)
            pairs = [(shown, meant)]
        output = ask.replace("{s}", l.of(about.name)).replace("{x}", about.name)
        question, output = question.replace("{t}", word), output.replace("{t}", stands)
        pairs.append((word, stands))
    else:
        history, about = plain_history(rng, l, about, case)
        names = [about.name]
        ask = l.ask(rng)
        if case == "pronoun":
            question, shown, stands = l.pronoun(rng, about, ask)
            pairs = [(shown, stands)]
            output = ask.replace("{x}", about.name).replace("{s}", l.of(about.name))
        elif case == "named":
            if rng.random() < 0.5:
                about = l.entity(rng)
                names = [about.name]
            question = output = ask.replace("{x}", about.name).replace("{s}", l.of(about.name))
        else:
            about = about._replace(kind=rng.choice(["thing", "thing", "man", "woman", "pair"]))
            question, shown, _ = l.pronoun(rng, about._replace(trade=""), ask)
            if history:
                history = l.small_talk(rng)
            thought = l.NO_HINT.format(shown)
            return made(history, question + l.MARK, "No", thought, question + l.MARK), names
    if not pairs:
        return made(history, question + l.MARK, "No", l.NO_NEED, output + l.MARK), names
    thought = l.JOIN.join(l.STANDS.format(*pair) for pair in pairs) + l.STOP
    return made(history, question + l.MARK, "Yes", thought, output + l.MARK), names


def plain_history(
    rng: random.Random, l: ModuleType, about: english.Entity, case: str
) -> tuple[list[tuple[str, str]], english.Entity]:
    """One to three turns, and what they are about at their end."""
    if case != "pronoun" and rng.random() < 0.25:
        return [], about
    if rng.random() < 0.15:  # the answer names who is meant
        person = l.entity(rng, rng.choice(["man", "woman"]))
        fact = l.fact(rng)
        while fact.reply[: len(fact.value)] != fact.value or not fact.value[:1].isalpha():
            fact = l.fact(rng)
        answer = fact.reply.replace(fact.value, person.name)
        history = [(filled(fact.question, about, l) + l.MARK, answer)]
        return history, person if rng.random() < 0.7 else about
    history = [l.opening(rng, about)] if rng.random() < 0.6 else []
    if history and rng.random() < 0.3:  # another thing comes up: it counts if the words fit it
        other = l.entity(rng)
        if rng.random() < 0.5:
            history = [(filled(l.fact(rng).question, about, l) + l.MARK, l.fact(rng).reply)]
            fact = l.fact(rng)
            history.append((filled(fact.question, other, l) + l.MARK, fact.reply))
        else:
            history.append(l.opening(rng, other))
        same = (about.kind == "thing") == (other.kind == "thing")
        if same or rng.random() < 0.6:
            about = other
    elif not history or rng.random() < 0.5:
        fact = l.fact(rng)
        named = not history or rng.random() < 0.5
        question = fact.question.replace("{x}", about.name).replace("{s}", l.of(about.name))
        if not named:
            question = l.pronoun(rng, about, fact.question)[0]
        history.append((question + l.MARK, fact.reply))
        if rng.random() < 0.25:
            history.append(asked_turn(rng, l, about))
    return history, about


def made(history: list[tuple[str, str]], question: str, need: str, thought: str, output: str) -> Row:
    return dict(history=history, question=question, need=need, thought=thought, output=output)


def lines(history: list[tuple[str, str]]) -> str:
    return "\n".join(f"Q: {question}\nA: {answer}" for question, answer in history)


def rewriting_prompt(row: Row) -> str:
    return f"HISTORY:\n[{lines(row['history'])}]\nNOW QUESTION: {row['question']}\nNEED COREFERENCE RESOLUTION: "


def rewriting_answer(row: Row) -> str:
    return f"{row['need']} => THOUGHT: {row['thought']} => OUTPUT QUESTION: {row['output']}"


PLAIN = {
    "en": "Rewrite the question so that it can be understood without the dialogue.",
    "zh": "请改写问题，使它不看对话也能明白。",
}


def plain_prompt(row: Row, language: str) -> str:
    return f"DIALOGUE:\n{lines(row['history'])}\nQUESTION: {row['question']}\n{PLAIN[language]}\nREWRITTEN QUESTION: "


# --------------------------------------------------------------------------------------- reading


def reading(rng: random.Random, l: ModuleType, count: int) -> tuple[str, str]:
    """Passages with a question, and what answers it."""
    chosen = [l.entity(rng) for _ in range(count)]
    kept, passages = [], []
    for about in chosen:
        facts = [l.fact(rng) for _ in range(rng.randint(2, 4) if count > 1 else rng.randint(2, 6))]
        kept.append(facts)
        told = []
        for place, fact in enumerate(facts):
            name = about.name
            if place and rng.random() < 0.6:
                name = l.pronoun(rng, about, "what of {x}" if l is english else "{x}")[1]
                name = {"him": "he", "her": "she", "there": "it"}.get(name, name)
            joined = fact.statement.startswith("{x}") and told and rng.random() < 0.45
            if joined:  # one sentence goes on
                link = rng.choice([", ", " and ", ", and "]) if l is english else "，"
                told[-1] = told[-1][:-1] + link + fact.statement[3:].strip()
            else:
                told.append(l.capital(fact.statement.replace("{x}", name)))
        text = (" " if l is english else "").join(told)
        title = l.capital(about.name.removeprefix("the "))
        passages.append(f"{title}: {text}" if l is english else f"{title}：{text}")
    at = rng.randrange(count)
    fact, value = rng.choice(kept[at]), None
    if rng.random() < 0.15:
        fact, value = l.fact(rng), l.UNKNOWN
        while any(fact.question == other.question for other in kept[at]):
            fact = l.fact(rng)
    name = chosen[at].name
    question = fact.question.replace("{x}", name).replace("{s}", l.of(name)) + l.MARK
    if EXCLUDED.holds(question, [name]):
        return reading(rng, l, count)
    order = list(range(count))
    rng.shuffle(order)
    text = "\n".join(f"[{i + 1}] {passages[p]}" for i, p in enumerate(order))
    return f"PASSAGES:\n{text}\nQUESTION: {question}\nANSWER: ", value or fact.value


# ------------------------------------------------------------------------------------- documents


def training_document(rng: random.Random, mixture: Mixture) -> list[Piece]:
    l = rng.choice([english, chinese])
    language = "en" if l is english else "zh"
    pieces: list[Piece] = [(BOS, 0.0)]
    draw = rng.random()
    if draw < mixture.reading:
        for _ in range(rng.choice([1, 2, 3])):
            prompt, answer = reading(rng, l, rng.choice(mixture.passages))
            pieces += [(prompt, BACKGROUND), (answer, 2.0), ("\n", 1.0)]
        return pieces + [(EOS, BACKGROUND)]
    plain = draw < mixture.reading + mixture.plain
    separator = rng.choice(["\n", "\n\n"])
    shots = rng.choice(mixture.shots)
    for shot in range(shots + 1):
        # Examples in English before a Chinese question, and the other way round, now and then.
        own = l if shot == shots or rng.random() < 0.8 else rng.choice([english, chinese])
        row = rewriting_row(rng, own, mixture.cases)
        if plain:
            language = "en" if own is english else "zh"
            pieces += [(plain_prompt(row, language), BACKGROUND), (str(row["output"]), 1.0)]
        else:
            pieces += [(rewriting_prompt(row), BACKGROUND), (rewriting_answer(row), 1.0)]
        pieces.append((separator if shot < shots else "\n", 0.5))
    return pieces + [(EOS, BACKGROUND)]
