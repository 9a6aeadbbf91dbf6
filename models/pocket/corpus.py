"""Training text for the pocket model: sums, four-option questions and question rewriting.

Everything is drawn from a seeded random generator; nothing is read or downloaded. A document is a
list of (text, weight) pieces. The weight says how much the next-token loss of that piece counts:
random operands and made-up names cannot be predicted, so only answers count in full.

Items are held out of training by a checksum of what makes them different from other items: the two
operands in either order, the numbers a comparison is about, or the made-up name.
"""

from __future__ import annotations

import random
import zlib
from typing import NamedTuple

BOS, EOS, PAD, IM_START, IM_END = "<|bos|>", "<|eos|>", "<|pad|>", "<|im_start|>", "<|im_end|>"
SPECIAL_TOKENS = [BOS, EOS, PAD, IM_START, IM_END]
LETTERS = "ABCD"

BACKGROUND = 0.03  # weight of text that is not an answer

Piece = tuple[str, float]
Row = dict[str, str]


class Mixture(NamedTuple):
    """What a stage of training draws, as relative weights."""

    documents: tuple[int, ...]  # in the order of DOCUMENTS
    choices: tuple[int, ...]  # in the order of CHOICE_KINDS
    far: float  # share of choices about sums whose wrong options are anywhere, not just near


DOCUMENTS = ("sums", "sums chat", "open", "choices", "choices chat", "rewriting")
CHOICE_KINDS = ("sum", "largest", "smallest", "larger", "smaller", "equal")

# Choosing the option that equals a sum is learnt last, so the second stage gives it more room and
# starts it off with wrong options that an estimate rules out.
EARLY = Mixture((20, 9, 5, 33, 14, 19), (44, 13, 13, 12, 12, 6), 0.0)
LATE = Mixture((10, 6, 7, 46, 19, 12), (68, 6, 6, 5, 5, 10), 0.5)
TEST = Mixture(EARLY.documents, EARLY.choices, 0.3)


def held_out(*parts: int | str) -> bool:
    """Whether the item made of these parts belongs to the test set (about one in ten)."""
    key = " ".join(sorted(map(str, parts)))
    return zlib.crc32(key.encode()) % 10 == 0


# ------------------------------------------------------------------------------------------ sums


def draw_sum(rng: random.Random, test: bool) -> tuple[int, int]:
    """Two numbers below 100 on the wanted side of the split; one draw in six is of small ones."""
    while True:
        top = 10 if rng.random() < 0.16 else 100
        a, b = rng.randrange(top), rng.randrange(top)
        if held_out(a, b) == test:
            return a, b


def sum_row(rng: random.Random, test: bool = False) -> Row:
    a, b = draw_sum(rng, test)
    return {"question": f"{a}+{b}=?", "answer": str(a + b)}


# --------------------------------------------------------------------------------------- choices

SUM_QUESTIONS = ["What is {}?", "What is {}?", "Which number equals {}?", "How much is {}?"]


def choice_row(rng: random.Random, test: bool = False, mixture: Mixture = TEST) -> Row:
    """One four-option question: a sum, a largest or smallest number, or a bound only one meets."""
    kind = rng.choices(CHOICE_KINDS, mixture.choices)[0]
    if kind == "sum":
        a, b = draw_sum(rng, test)
        right = a + b
        near = {right + d for d in (-20, -11, -10, -9, -2, -1, 1, 2, 9, 10, 11, 20)}
        near |= {right + rng.randint(-40, 40) for _ in range(6)}
        if mixture.far and rng.random() < mixture.far:
            near = set(range(199))
        wrong = rng.sample(sorted(n for n in near if n >= 0 and n != right), 3)
        question = rng.choice(SUM_QUESTIONS).format(f"{a}+{b}")
    else:
        while True:
            numbers = rng.sample(range(100), 4)
            ordered = sorted(numbers)
            bound: list[int] = []
            if kind in ("largest", "larger"):
                right = ordered[3]
                question = "Which number is the largest?"
                if kind == "larger":
                    bound = [rng.randrange(ordered[2], ordered[3])]
                    question = f"Which is larger than {bound[0]}?"
            elif kind in ("smallest", "smaller"):
                right = ordered[0]
                question = "Which number is the smallest?"
                if kind == "smaller":
                    bound = [rng.randrange(ordered[0] + 1, ordered[1] + 1)]
                    question = f"Which is smaller than {bound[0]}?"
            else:
                right = rng.choice(numbers)
                question = f"Which number is {right}?"
            if held_out(*numbers, *bound) == test:
                break
        wrong = [n for n in numbers if n != right]
    options = [right, *wrong]
    rng.shuffle(options)
    row = {"question": question}
    row.update({letter: str(n) for letter, n in zip(LETTERS, options)})
    row["answer"] = LETTERS[options.index(right)]
    return row


def choice_prompt(row: Row) -> str:
    """The question as the model reads it, up to and including `Answer: `."""
    options = "".join(f"{letter}. {row[letter]}\n" for letter in LETTERS)
    return f"Question: {row['question']}\n{options}Answer: "


# ------------------------------------------------------------------------------------- rewriting

ONSETS = (
    "b c d f g h j k l m n p r s t v w z br cr dr fr gr kr pr tr bl cl fl gl pl sl sh th ch qu st"
).split()
VOWELS = "a e i o u a e i o u ai ea io oo y".split()
CODAS = ["", "", "", "", "n", "r", "l", "s", "x", "m", "k", "t", "nd", "rt", "lv"]

THINGS = (
    "vector database;programming language;text editor;web framework;message queue;file system;"
    "small camera;board game;kitchen robot;search engine;music player;mobile phone;electric car;"
    "drawing tool;card game;video format;light bicycle;space probe;online shop;compiler;"
    "weather model;language model;running shoe;coffee machine;novel;film;museum;bridge"
).split(";")
PEOPLE = (
    "singer;painter;famous writer;chess player;doctor;physicist;film director;football player;"
    "teacher;poet;cook;pilot;swimmer;judge;dancer;sailor"
).split(";")
GROUPS = (
    "rock band;football team;group of painters;research group;dance company;pair of brothers;"
    "jazz trio;circus family"
).split(";")

OPENERS = [
    ("Is {n} a {c}?", "Yes, {n} is a {c}."),
    ("Is {n} a {c}?", "Yes, that is right."),
    ("Is {n} a {c}?", "No, {n} is a {d}."),
    ("Have you heard of {n}?", "Yes, {n} is a {c}."),
    ("Do you know {n}?", "Yes, {n} is a well known {c}."),
    ("Tell me about {n}.", "{n} is a {c}."),
    ("Can you tell me something about {n}?", "Sure, {n} is a {c} from the north."),
    ("I read about {n} today.", "{n} is a popular {c}."),
    ("My friend likes {n}.", "Many people like {n}."),
    ("Which {c} do you like best?", "I like {n} best."),
    ("Can you name a good {c}?", "Yes, {n} is a good {c}."),
    ("What is a good example of a {c}?", "{n} is a good example."),
]
THING_OPENERS = [("What is {n}?", "{n} is a {c}."), ("What is {n}?", "It is a {c}.")]
PERSON_OPENERS = [("Who is {n}?", "{n} is a {c}."), ("Who is {n}?", "{n} works as a {c}.")]
GROUP_OPENERS = [("Who are {n}?", "{n} are a {c}."), ("What are {n}?", "{n} are a {c}.")]

REPLIES = (
    "It is quite simple.;You can read the manual.;I am not sure.;Yes, of course.;No, not yet.;"
    "That was in 1998.;There are many ways.;Most people say so.;It takes about two hours."
).split(";")

VERBS = (
    "use;install;buy;sell;find;open;start;stop;test;repair;clean;update;learn;describe;move;share;"
    "rent;build;compare;remove;run;try;visit;order;draw;check"
).split(";")
TAILS = (
    ";;;;;at home;in the city;on my laptop;with my friends;in winter;for free;without help;"
    "in two hours;on Windows;at night;in a small team;after work;every day"
).split(";")
ASKS = (
    "How to {v} {o}?;How do I {v} {o}?;Can I {v} {o}?;Where can I {v} {o}?;Why should I {v} {o}?;"
    "When can we {v} {o}?;Who can {v} {o}?;Should I {v} {o}?;Do I need to {v} {o}?"
).split(";")
ASKS_THING = (
    "How much does {o} cost?;Is {o} free?;Who made {o}?;When was {o} released?;Is {o} open source?;"
    "Why is {o} so popular?;What are the limits of {o}?;Does {o} support Windows?;"
    "How fast is {o}?;How old is {o}?;Is {o} better than the others?;What is {o} used for?;"
    "What does {o} look like?;How does {o} work?;Where does {o} come from?;Is {o} safe?;"
    "What is the price of {o}?;Is there a new version of {o}?;What is new in {o}?"
).split(";")
ASKS_SUBJECT = (  # he, she or they as the subject
    "Where was {s} born?;What did {s} write?;Where does {s} live?;How did {s} become famous?;"
    "When did {s} start?;What does {s} do today?;Why did {s} leave the city?;Did {s} win a prize?;"
    "Can {s} speak French?;What will {s} do next?;Where did {s} study?;How often does {s} travel?"
).split(";")
ASKS_GROUP = (
    "Where do {s} live?;When did {s} start?;What do {s} do today?;Why did {s} leave the city?;"
    "Did {s} win a prize?;What will {s} do next?;Where did {s} meet?;How often do {s} travel?;"
    "Are {s} still famous?;Where are {s} now?"
).split(";")
ASKS_OBJECT = (
    "Who taught {o}?;Who works with {o}?;Where can I see {o}?;Why do people like {o}?;"
    "Have you ever met {o}?;Who wrote about {o}?;How can I contact {o}?;What do you think of {o}?"
).split(";")
PLAIN_QUESTIONS = (
    "What is the capital of France?;How is the weather today?;What time do the shops open?;"
    "Can you sing a song?;Where can I buy fresh bread?;Who won the match yesterday?;"
    "How do I cook rice?;What is a good name for a cat?;When does the next train leave?;"
    "How many days are in a year?;Can you help me with my work?;Why is the sky blue?"
).split(";")


class Entity(NamedTuple):
    name: str
    kind: str  # thing, man, woman or group
    trade: str  # what the history says of it


def word(rng: random.Random, syllables: int) -> str:
    text = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(syllables))
    return (text + rng.choice(CODAS)).capitalize()


def entity(rng: random.Random, test: bool, kind: str | None = None) -> Entity:
    """Something with a made-up name; the name decides the side of the split."""
    kind = kind or rng.choices(["thing", "man", "woman", "group"], [58, 16, 16, 10])[0]
    while True:
        name = word(rng, rng.choice([1, 2, 2, 2, 3]))
        if rng.random() < (0.15 if kind == "thing" else 0.3):
            name += " " + word(rng, rng.choice([1, 2]))
        if len(name) > 3 and held_out(name) == test:
            break
    trades = {"thing": THINGS, "group": GROUPS}.get(kind, PEOPLE)
    return Entity(name, kind, rng.choice(trades))


def opening_turn(rng: random.Random, about: Entity) -> str:
    """A question that brings the entity up, and its answer."""
    own = {"thing": THING_OPENERS, "group": GROUP_OPENERS}.get(about.kind, PERSON_OPENERS)
    question, answer = rng.choice(OPENERS + 3 * own)
    other = rng.choice({"thing": THINGS, "group": GROUPS}.get(about.kind, PEOPLE))
    fill = {"n": about.name, "c": about.trade, "d": other}
    return f"Q: {question.format(**fill)}\nA: {answer.format(**fill)}"


def follow_up(rng: random.Random, kind: str) -> tuple[str, str]:
    """A question with a slot `{x}` for the entity, and a pronoun that fits the slot."""
    if kind == "thing":
        pronoun = rng.choice(["it", "it", "it", "this", "that"])
        ask = rng.choice(ASKS_THING) if rng.random() < 0.5 else None
    else:
        subject = rng.random() < 0.6
        pronoun = {
            "man": ("him", "he"), "woman": ("her", "she"), "group": ("them", "they")
        }[kind][subject]  # fmt: skip
        subjects = ASKS_GROUP if kind == "group" else ASKS_SUBJECT
        ask = rng.choice(subjects if subject else ASKS_OBJECT)
    if ask is None:
        tail = rng.choice(TAILS)
        ask = rng.choice(ASKS).replace("{v}", rng.choice(VERBS))
        ask = ask.replace("{o}?", "{o} " + tail + "?" if tail else "{o}?")
    return ask.replace("{s}", "{x}").replace("{o}", "{x}"), pronoun


def rewriting_row(rng: random.Random, test: bool = False) -> Row:
    """A short dialogue, a question that may lean on it, and the question that stands alone."""
    turns = rng.choices([0, 1, 2], [12, 53, 35])[0]
    about = entity(rng, test)
    history = []
    if turns:
        history.append(opening_turn(rng, about))
    if turns == 2:
        if rng.random() < 0.5:  # go on about the same entity
            ask, pronoun = follow_up(rng, about.kind)
            slot = about.name if rng.random() < 0.3 else pronoun
            history.append(f"Q: {ask.replace('{x}', slot)}\nA: {rng.choice(REPLIES)}")
        else:  # bring up another one: the later counts unless only the earlier fits the pronoun
            other = entity(rng, test)
            history.append(opening_turn(rng, other))
            if other.kind == about.kind or rng.random() < 0.7:
                about = other
    ask, pronoun = follow_up(rng, about.kind)
    draw = rng.random()
    if turns and draw < 0.68:
        question, output = ask.replace("{x}", pronoun), ask.replace("{x}", about.name)
    else:
        nameless = turns > 0 or not test  # without any name an item cannot be held out
        if draw < 0.76 and nameless:
            question = rng.choice(PLAIN_QUESTIONS)
        elif turns == 0 and draw < 0.88 and nameless:
            question = ask.replace("{x}", pronoun)  # nothing in the history to put in its place
        else:
            named = entity(rng, test, about.kind) if rng.random() < 0.4 else about
            question = ask.replace("{x}", named.name)
        output = question
    if output != question:
        need = "Yes"
        thought = f"I need to replace '{pronoun}' with '{about.name}' in now question."
    else:
        need, thought = "No", "So output question is the same as now question."
    return {
        "history": "\n".join(history),
        "question": question,
        "need": need,
        "thought": thought,
        "output": output,
    }


def rewriting_prompt(row: Row) -> str:
    return (
        f"HISTORY:\n[{row['history']}]\nNOW QUESTION: {row['question']}\n"
        "NEED COREFERENCE RESOLUTION: "
    )


def rewriting_answer(row: Row) -> str:
    return f"{row['need']} => THOUGHT: {row['thought']} => OUTPUT QUESTION: {row['output']}"


# ------------------------------------------------------------------------------------- documents

SYSTEM_TURNS = (
    "You are a helpful assistant.;You are a calculator.;Answer with a number.;Answer the question.;"
    "Answer with one letter.;You are good at sums.;Add the two numbers.;Be brief.;"
    "You answer questions of arithmetic.;Choose the right option: A, B, C or D.;"
    "You are a careful assistant that answers with the letter of the right option.;"
    "Solve the following questions.;You are pocket, a small language model.;"
    "The following are multiple choice questions with answers."
).split(";")
SYSTEM_WORDS = (
    "you are a the helpful careful assistant answer give only number letter right option question "
    "short and with please as of always in math sums these following user each one choose reply"
).split()


def system_text(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(SYSTEM_TURNS)
    return " ".join(rng.choices(SYSTEM_WORDS, k=rng.randint(3, 12))).capitalize() + "."


def chat(rng: random.Random, turns: list[tuple[str, str, float]]) -> list[Piece]:
    """Turns as a ChatML dialogue, with a system turn in two of three."""
    pieces: list[Piece] = [(BOS, 0.0)]
    if rng.random() < 0.66:
        pieces.append((f"{IM_START}system\n{system_text(rng)}{IM_END}\n", BACKGROUND))
    for user, assistant, weight in turns:
        pieces.append((f"{IM_START}user\n{user}{IM_END}\n{IM_START}assistant\n", BACKGROUND))
        pieces += [(assistant, weight), (IM_END, 0.3), ("\n", BACKGROUND)]
    return pieces + [(EOS, BACKGROUND)]


def sums_document(rng: random.Random, test: bool, shots: int) -> list[Piece]:
    pieces: list[Piece] = [(BOS, 0.0)]
    for i in range(shots + 1):
        row = sum_row(rng, test and i == shots)
        pieces += [(row["question"] + "\n", BACKGROUND), (row["answer"], 1.0), ("\n", 0.5)]
    return pieces + [(EOS, BACKGROUND)]


def choices_document(
    rng: random.Random,
    test: bool,
    shots: int,
    separator: str = "\n",
    mixture: Mixture = TEST,
) -> list[Piece]:
    pieces: list[Piece] = [(BOS, 0.0)]
    for i in range(shots + 1):
        row = choice_row(rng, test and i == shots, mixture)
        pieces += [(choice_prompt(row), BACKGROUND), (row["answer"], 4.0)]
        pieces.append((separator if i < shots else "\n", 0.3))
    return pieces + [(EOS, BACKGROUND)]


def rewriting_document(
    rng: random.Random, test: bool, shots: int, separator: str = "\n"
) -> list[Piece]:
    pieces: list[Piece] = [(BOS, 0.0)]
    for i in range(shots + 1):
        row = rewriting_row(rng, test and i == shots)
        pieces += [(rewriting_prompt(row), BACKGROUND), (rewriting_answer(row), 0.25)]
        pieces.append((separator if i < shots else "\n", 0.3))
    return pieces + [(EOS, BACKGROUND)]


def sums_chat(rng: random.Random, test: bool, shots: int) -> list[Piece]:
    rows = [sum_row(rng, test and i == shots) for i in range(shots + 1)]
    return chat(rng, [(row["question"], row["answer"], 1.0) for row in rows])


def choices_chat(
    rng: random.Random,
    test: bool,
    shots: int,
    ending: str = "Answer: ",
    mixture: Mixture = TEST,
) -> list[Piece]:
    rows = [choice_row(rng, test and i == shots, mixture) for i in range(shots + 1)]
    prompts = [choice_prompt(row).removesuffix("Answer: ") + ending for row in rows]
    return chat(rng, [(p.rstrip("\n"), row["answer"], 4.0) for p, row in zip(prompts, rows)])


def open_document(rng: random.Random) -> list[Piece]:
    """Sums asked in words and without options, so that the question alone calls for the sum."""
    pieces: list[Piece] = [(BOS, 0.0)]
    for _ in range(rng.randint(2, 8)):
        a, b = draw_sum(rng, False)
        question = rng.choice(SUM_QUESTIONS).format(f"{a}+{b}")
        pieces += [(f"Question: {question}\nAnswer: ", BACKGROUND), (str(a + b), 1.0), ("\n", 0.3)]
    return pieces + [(EOS, BACKGROUND)]


def training_document(rng: random.Random, mixture: Mixture) -> list[Piece]:
    """One document of a training mixture."""
    kind = rng.choices(DOCUMENTS, mixture.documents)[0]
    separator = rng.choice(["\n", "\n", "\n\n"])
    if kind == "sums":
        return sums_document(rng, False, rng.randint(0, 10))
    if kind == "sums chat":
        return sums_chat(rng, False, rng.choice([0, 0, 1, 2, 3, 4, 5]))
    if kind == "open":
        return open_document(rng)
    if kind == "choices":
        shots = rng.choice([0, 0, 1, 2, 3, 4, 5])
        return choices_document(rng, False, shots, separator, mixture)
    if kind == "choices chat":
        ending = rng.choice(["Answer: ", "Answer: ", "Answer:", ""])
        return choices_chat(rng, False, rng.choice([0, 0, 1, 2, 3, 4]), ending, mixture)
    return rewriting_document(rng, False, rng.choice([0, 1, 1, 2, 2, 3, 3, 4]), separator)
