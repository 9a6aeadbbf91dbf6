"""English entities, questions, facts and turns for training."""

from __future__ import annotations

import random
from typing import NamedTuple

import words as w
from names import blend, word


class Entity(NamedTuple):
    name: str  # as it stands in a sentence, with its article
    kind: str  # thing, man, woman or pair
    trade: str  # what the history says of it


class Fact(NamedTuple):
    statement: str  # with {x}
    question: str  # with {x}
    value: str
    reply: str  # a short answer


def pick(rng: random.Random, listed: list[str]) -> str:
    """A word of the list, or now and then one that is none."""
    return blend(rng, listed) if rng.random() < 0.3 else rng.choice(listed)


def of(name: str) -> str:
    return name + "'s"


def person_name(rng: random.Random) -> str:
    return f"{word(rng, rng.choice([1, 2, 2]))} {word(rng, rng.choice([1, 2, 2, 3]))}"


def entity(rng: random.Random, kind: str | None = None) -> Entity:
    kind = kind or rng.choices(["thing", "man", "woman"], [70, 15, 15])[0]
    if kind in ("man", "woman"):
        return Entity(person_name(rng), kind, rng.choice(w.EN_TRADES))
    trade = pick(rng, w.EN_KINDS)
    name = word(rng, rng.choice([1, 2, 2, 3]))
    shape = rng.randrange(9)
    if shape == 0:
        name = f"the {name}"
    elif shape == 1:
        name = f"{name} {trade.capitalize()}"
    elif shape == 2:
        name = f"the {name} {trade}"
    elif shape == 3:
        name = f"the {name} {rng.choice(w.EN_ADJECTIVES)} {trade}"
    elif shape == 4:
        name = f"the {name} {rng.choice(w.EN_ADJECTIVES).capitalize()} {trade.capitalize()}"
    elif shape == 5:
        name = f"the {name.lower()}"
    elif shape == 6:
        name = f"the {name} {word(rng, 1)}"
    elif shape == 7:
        name = f"the {name} {trade.capitalize()}"
    return Entity(name, "thing", trade)


def year(rng: random.Random) -> str:
    return str(rng.randint(1200, 1999))


def place(rng: random.Random) -> str:
    return word(rng, rng.choice([2, 2, 3]))


def tailed(rng: random.Random, question: str) -> str:
    tail = rng.choice(w.EN_TAILS)
    return f"{question} {tail}" if tail else question


def fact(rng: random.Random) -> Fact:
    """Something that a passage says, how it is asked for, and what answers it."""
    c = lambda listed: pick(rng, listed) if len(listed) > 20 else rng.choice(listed)
    shape = rng.randrange(15)
    if shape == 0:
        verb, value = c(w.EN_PARTICIPLES), year(rng)
        asked = c([f"When was {{x}} {verb}", f"In which year was {{x}} {verb}"])
        return Fact(f"{{x}} was {verb} in {value}.", asked, value, f"In {value}.")
    if shape == 1:
        adjective, unit = rng.choice(w.EN_MEASURES).split(":")
        value = f"{rng.randint(2, 990)} {unit}"
        return Fact(f"{{x}} is {value} {adjective}.", f"How {adjective} is {{x}}", value, f"{value.capitalize()}.")
    if shape == 2:
        verb, value = c(w.EN_PAST), person_name(rng)
        told = c([f"{value} {verb} {{x}}.", f"It was {value} who {verb} {{x}}."])
        return Fact(told, f"Who {verb} {{x}}", value, c([f"{value}.", f"{value} did."]))
    if shape == 3:
        verb, value = c(w.EN_PARTICIPLES), person_name(rng)
        asked = c([f"Who {verb} {{x}}", f"By whom was {{x}} {verb}", f"Who was {{x}} {verb} by"])
        return Fact(f"{{x}} was {verb} by {value}.", asked, value, f"{value}.")
    if shape == 4:
        noun = c(w.EN_NOUNS)
        value = c([c(w.EN_MATERIALS), place(rng), c(w.EN_ADJECTIVES), person_name(rng), f"a {c(w.EN_KINDS)}"])
        asked = c([f"What is the {noun} of {{x}}", f"What is {{s}} {noun}", f"Which {noun} does {{x}} have"])
        return Fact(f"The {noun} of {{x}} is {value}.", asked, value, f"{value[0].upper()}{value[1:]}.")
    if shape == 5:
        noun, value = c(w.EN_PLURALS), str(rng.randint(3, 900))
        return Fact(f"{{x}} has {value} {noun}.", f"How many {noun} does {{x}} have", value, f"{value}.")
    if shape == 6:
        value = c(w.EN_MATERIALS)
        verb = c(["made", "built", "cast", "carved"])
        return Fact(f"{{x}} is {verb} of {value}.", f"What is {{x}} {verb} of", value, f"Of {value}.")
    if shape == 7:
        value, verb = place(rng), c(["stands", "lies", "is kept", "was found", "began", "is shown"])
        base = {"stands": "does {x} stand", "lies": "does {x} lie", "began": "did {x} begin"}
        asked = f"Where {base[verb]}" if verb in base else f"Where {verb.split()[0]} {{x}} {verb.split()[1]}"
        return Fact(f"{{x}} {verb} in {value}.", asked, value, f"In {value}.")
    if shape == 8:
        value, verb = rng.choice(w.MONTHS), c(w.EN_PARTICIPLES)
        return Fact(f"{{x}} is {verb} in {value}.", f"In which month is {{x}} {verb}", value, f"In {value}.")
    if shape == 9:
        noun, value, time = c(["first prize", "medal", "cup", "award", "highest vote"]), person_name(rng), year(rng)
        asked = c([f"Who got the {noun} of {{x}} in {time}", f"To whom did the {noun} of {{x}} go in {time}"])
        return Fact(f"In {time} the {noun} of {{x}} went to {value}.", asked, value, f"{value}.")
    if shape == 10:
        noun, value = c(w.EN_PLURALS), str(rng.randint(3, 9000))
        time, verb = year(rng), c(["came to", "were counted at", "worked at", "were sold at"])
        asked = f"How many {noun} {verb} {{x}} in {time}"
        return Fact(f"In {time}, {value} {noun} {verb} {{x}}.", asked, value, f"{value}.")
    if shape == 11:
        verb, link = c(w.EN_PARTICIPLES), c(["with", "by", "on", "from", "for", "to", "at"])
        value = c([c(w.EN_MATERIALS), f"{c(w.EN_ADJECTIVES)} {c(w.EN_PLURALS)}", f"a {c(w.EN_ADJECTIVES)} {c(w.EN_KINDS)}"])
        noun, be = c(w.EN_NOUNS), c(["is", "was"])
        if rng.random() < 0.4:  # of a part
            told = c([f"Its {noun} {be} {verb} {link} {value}.", f"The {noun} of {{x}} {be} {verb} {link} {value}."])
            asked = c([f"What {be} {{s}} {noun} {verb} {link}", f"{link.capitalize()} what {be} {{s}} {noun} {verb}"])
            return Fact(told, asked, value, f"{link.capitalize()} {value}.")
        asked = c([f"What {be} {{x}} {verb} {link}", f"{link.capitalize()} what {be} {{x}} {verb}", f"{link.capitalize()} which {noun} {be} {{x}} {verb}"])
        return Fact(f"{{x}} {be} {verb} {link} {value}.", asked, value, f"{link.capitalize()} {value}.")
    if shape == 12:
        verb, noun, value = c(w.EN_VERBS), c(w.EN_PLURALS), str(rng.randint(3, 9900))
        tail = c(["", "", " " + rng.choice(w.EN_TAILS)]).rstrip()
        return Fact(f"{{x}} {verb}s {value} {noun}{tail}.", f"How many {noun} does {{x}} {verb}{tail}", value, f"It {verb}s {value}.")
    if shape == 13:
        verb, value, link = c(w.EN_VERBS), place(rng), c(["in", "on", "near", "under", "behind"])
        noun, tail = c(w.EN_NOUNS), c(["", "", " " + c(w.EN_ADJECTIVES)])
        asked = c([f"Where does {{x}} {verb}{tail}", f"{link.capitalize()} which {noun} does {{x}} {verb}{tail}"])
        return Fact(f"{{x}} {verb}s{tail} {link} {value}.", asked, value, f"{link.capitalize()} {value}.")
    verb, value = c(w.EN_VERBS), place(rng)
    return Fact(f"People {verb} {{x}} in {value}.", f"Where do people {verb} {{x}}", value, f"In {value}.")


def scrambled(rng: random.Random) -> str:
    """A question of arbitrary words, so that what is copied is not what is known."""
    drawn = [pick(rng, w.EN_FILL) for _ in range(rng.randint(2, 7))]
    drawn.insert(rng.randint(1, len(drawn)), "{x}")
    return rng.choice(["What", "When", "Who", "Where", "How", "Why", "Which", "Is", "Does", "In which"]) + " " + " ".join(drawn)


def ask(rng: random.Random, time: bool = True) -> str:
    """A question with {x}, or {s} where its owner stands, without its question mark."""
    c = lambda listed: pick(rng, listed) if len(listed) > 15 else rng.choice(listed)
    shape = rng.randrange(17)
    if shape < 5:
        asked = fact(rng).question
        while not time and " in 1" in asked:
            asked = fact(rng).question
        return asked if shape < 2 else tailed(rng, asked)
    if shape < 8:
        return scrambled(rng)
    wh = c(["When", "Why", "How", "Where", "By whom"])
    return tailed(
        rng,
        [
            f"{wh} was {{x}} {c(w.EN_PARTICIPLES)}",
            f"Why did {c(w.EN_REASONS)} {c(w.EN_VERBS)} {{x}}",
            f"What {c(w.EN_NOUNS)} did {{x}} have",
            f"{c(['Who is', 'What was', 'Where is', 'What is'])} {{s}} {c(w.EN_NOUNS)}",
            f"Does {{x}} {c(w.EN_VERBS)}",
            f"Is {{x}} {c(w.EN_ADJECTIVES)} or {c(w.EN_ADJECTIVES)}",
            f"How does {{x}} {c(w.EN_VERBS)}",
            f"Which {c(w.EN_KINDS)} did {{x}} {c(w.EN_VERBS)}",
            f"What do {c(w.EN_REASONS)} {c(w.EN_VERBS)} about {{x}}",
        ][shape - 8],
    )


def ask_pair(rng: random.Random) -> str:
    c = rng.choice
    more = c(["older", "larger", "longer", "newer", "better known", "heavier", "deeper", "cheaper", "faster", "younger"])
    return [
        f"Which of {{x}} is {more}",
        f"Which of {{x}} has more {c(w.EN_PLURALS)}",
        f"Which of {{x}} was {c(w.EN_PARTICIPLES)} {c(['first', 'last', 'earlier', 'later'])}",
        tailed(rng, f"Where were {{x}} {c(w.EN_PARTICIPLES)}"),
        f"What do {{x}} have in common",
        tailed(rng, f"Who {c(w.EN_PAST)} {{x}}"),
        f"How {c(['far apart', 'old', 'large', 'alike', 'different'])} are {{x}}",
        tailed(rng, f"Do {{x}} {c(w.EN_VERBS)}"),
    ][rng.randrange(8)]


def pronoun(rng: random.Random, about: Entity, question: str) -> tuple[str, str, str]:
    """The question as it leans on the dialogue, the words that do, and what they stand for."""
    own = {"thing": "its", "man": "his", "woman": "her", "pair": "their"}[about.kind]
    if "{s}" in question:
        return question.replace("{s}", own), own, of(about.name)
    if about.kind == "thing" and question.endswith(" {x}") and rng.random() < 0.1:
        return question.replace("{x}", "there"), "there", about.name
    after = question[: question.index("{x}")].rsplit(None, 1)[-1]
    subject = after in "was were is are does do did has Is Does that".split()
    shown = {
        "thing": rng.choice(["it", "it", "it", "it", "this", "this one", f"the {about.trade}", f"that {about.trade}"]),
        "man": "he" if subject else "him",
        "woman": "she" if subject else "her",
        "pair": "they" if subject else "them",
    }[about.kind]
    return question.replace("{x}", shown), shown, about.name


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


OPENERS = (
    "What is {n}?|{N} is a {t}.;Is {n} a {t}?|Yes, it is.;Have you heard of {n}?|Yes, {n} is a {t}.;"
    "Tell me about {n}.|{N} is a {t} in {p}.;Which {t} do you like?|I like {n}.;"
    "Do you know a {t} in {p}?|Yes, {n}.;I read about {n} today.|It is a well known {t}.;"
    "What is the best {t} in {p}?|That is {n}.;My friend likes {n}.|Many people do."
).split(";")
PERSON_OPENERS = (
    "Who is {n}?|{N} is a {t}.;Who was {n}?|A {t} from {p}.;Is {n} a {t}?|Yes, from {p}.;"
    "Do you know {n}?|Yes, {n} was a {t}.;Which {t} comes from {p}?|{N} does.;Tell me about {n}.|{N} is a {t} of {p}."
).split(";")
PAIR_OPENERS = (
    "Do you know {a} and {b}?|Yes, both.;Which {t} can I see in {p}?|{A} and {b}.;"
    "What is {a}?|A {t}, like {b}.;Have you seen {a} or {b}?|I have seen both.;"
    "Is {a} near {b}?|Yes, both are in {p}.;I know {a} and also {b}.|Both are well known."
).split(";")


def opening(rng: random.Random, about: Entity) -> tuple[str, str]:
    line = rng.choice(OPENERS if about.kind == "thing" else PERSON_OPENERS)
    line = line.format(n=about.name, N=capital(about.name), t=about.trade, p=place(rng))
    return tuple(line.split("|"))


def pair_opening(rng: random.Random, one: Entity, other: Entity) -> tuple[str, str]:
    line = rng.choice(PAIR_OPENERS)
    line = line.format(a=one.name, A=capital(one.name), b=other.name, t=one.trade, p=place(rng))
    return tuple(line.split("|"))


REPLIES = "Yes.;No.;I am not sure.;Nobody knows.;There are many ways.;Most people say so.;It depends.;Yes, often.".split(";")
TIMES = ["that year", "in that year", "that same year", "in the same year", "then", "at that time"]
FORMER, LATTER = ["the former", "the first one", "the first"], ["the latter", "the second one", "the second"]
PAIR = ["the two", "the two", "these two", "they", "them"]
MORE = "What about {x}?;How about {x}?;And what about {x}?;And how about {x}?;And for {x}?;And of {x}?;So what of {x}?;{x}, too?".split(";")
YEARS = "In {y}.;It was {y}.;That was in {y}.;In the year {y}.".split(";")
AND, IN_YEAR, UNKNOWN, MARK = "{} and {}", "in {}", "unknown", "?"
STANDS, JOIN, NO_NEED = "'{}' stands for '{}'", "; ", "The question is clear by itself."
NO_HINT = "The dialogue does not say what '{}' is."
MORE_THOUGHT = "'{}' takes the place of '{}' in the last question"
LEANING = "it it its he she they them this there".split()
STOP = "."


def ask_year(rng: random.Random) -> str:
    verb = pick(rng, w.EN_PARTICIPLES)
    if rng.random() < 0.35:
        return f"{rng.choice(['When did', 'In which year did'])} {person_name(rng)} {pick(rng, w.EN_VERBS)} {{x}}"
    return rng.choice([f"When was {{x}} {verb}", f"In which year was {{x}} {verb}", f"Since when is {{x}} {verb}"])


def about_year(rng: random.Random, name: str, time: str) -> str:
    verb = rng.choice(w.EN_PARTICIPLES)
    return rng.choice([f"Was {name} {verb} in {time}?", f"I heard that {name} was {verb} in {time}.", f"Is it true that {name} was {verb} in {time}?"])


def timed(rng: random.Random, question: str) -> str:
    """The question with {t} at its end, or before it where it reads as well."""
    if rng.random() < 0.12 and not question.startswith("In "):
        return f"{rng.choice(['And', 'So', 'Well'])} {{t}}, {question[0].lower()}{question[1:]}"
    return question + " {t}"


def small_talk(rng: random.Random) -> list[tuple[str, str]]:
    """Turns that bring nothing up."""
    if rng.random() < 0.6:
        drawn = [pick(rng, w.EN_FILL) for _ in range(rng.randint(2, 6))]
        answer = " ".join(rng.choice(w.EN_FILL) for _ in range(rng.randint(1, 4)))
        return [(f"{rng.choice(['Is', 'Do you', 'Can I', 'May I', 'Would you', 'Why'])} {' '.join(drawn)}?", capital(answer) + ".")]
    questions = "Hello.|Good morning.;Can you help me?|Yes, gladly.;How are you?|Fine.;What day is it?|Monday.;Thank you.|You are welcome.;Is it raining?|No."
    return [tuple(rng.choice(questions.split(";")).split("|"))]
