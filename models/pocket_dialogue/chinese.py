"""Chinese entities, questions, facts and turns for training; the names are those of `english.py`."""

from __future__ import annotations

import random

import words as w
from english import Entity, Fact
from names import LETTERS, letters

RARE = "氘龢彧翀垚昶霈骞嵘彤珩瑭璟翊骁劭曦晖暄沄淙渌漪澍灏炘煊爔琮瑄璇甯皓祎禛稷筠箴"


def pick(rng: random.Random, listed: list[str]) -> str:
    """A word of the list, or now and then any letters."""
    if rng.random() < 0.3:
        return "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 4)))
    return rng.choice(listed)


def of(name: str) -> str:
    return name + "的"


def word(rng: random.Random, count: int) -> str:
    """Letters of a name; a rare one now and then, which the tokenizer writes as bytes."""
    if rng.random() < 0.04:
        return letters(rng, count - 1) + rng.choice(RARE)
    return letters(rng, count)


def person_name(rng: random.Random) -> str:
    return word(rng, rng.choice([2, 3, 3]))


def entity(rng: random.Random, kind: str | None = None) -> Entity:
    kind = kind or rng.choices(["thing", "man", "woman"], [70, 15, 15])[0]
    if kind in ("man", "woman"):
        return Entity(person_name(rng), kind, rng.choice(w.ZH_TRADES))
    trade = pick(rng, w.ZH_KINDS)
    name = word(rng, rng.choice([2, 2, 3, 3]))
    shape = rng.randrange(6)
    if shape < 3:
        name += trade
    elif shape == 3:
        name += rng.choice(["号", "一号", "二号", "式", "大", "新", "老"]) + trade
    elif shape == 4:
        name += word(rng, 2) + trade
    return Entity(name, "thing", trade)


def year(rng: random.Random) -> str:
    return str(rng.randint(1200, 1999))


def place(rng: random.Random) -> str:
    return word(rng, 2) + rng.choice("州县镇港湾山城村岛")


def ask_verb(rng: random.Random, verb: str) -> str:
    return rng.choice(["{x}是什么时候%s的", "{x}是哪一年%s的", "{x}于哪年%s", "{x}在哪一年%s"]) % verb


def fact(rng: random.Random) -> Fact:
    c = lambda listed: pick(rng, listed) if len(listed) > 20 else rng.choice(listed)
    shape = rng.randrange(15)
    if shape == 0:
        verb, value = c(w.ZH_VERBS), year(rng) + "年"
        told = c([f"{{x}}于{value}{verb}。", f"{value}，{{x}}{verb}。", f"{{x}}是{value}{verb}的。"])
        return Fact(told, ask_verb(rng, verb), value, f"{value}。")
    if shape == 1:
        adjective, unit = c(w.ZH_MEASURES).split(":")
        value = f"{rng.randint(2, 990)}{unit}"
        return Fact(f"{{x}}{adjective}{value}。", c([f"{{x}}有多{adjective}", f"{{x}}多{adjective}"]), value, f"{value}。")
    if shape in (2, 3):
        verb, value = c(w.ZH_VERBS), person_name(rng)
        told = c([f"{{x}}由{value}{verb}。", f"{value}{verb}了{{x}}。", f"{{x}}是{value}{verb}的。"])
        return Fact(told, c([f"谁{verb}了{{x}}", f"{{x}}由谁{verb}", f"{{x}}是谁{verb}的"]), value, f"{value}。")
    if shape == 4:
        noun = c(w.ZH_NOUNS)
        value = c([c(w.ZH_MATERIALS), place(rng), person_name(rng), c(w.ZH_KINDS)])
        asked = c([f"{{x}}的{noun}是什么", f"{{s}}{noun}是什么", f"什么是{{s}}{noun}", f"{{s}}{noun}在哪里"])
        return Fact(f"{{x}}的{noun}是{value}。", asked, value, f"{value}。")
    if shape == 5:
        noun, value = c(w.ZH_PLURALS), str(rng.randint(3, 900))
        return Fact(f"{{x}}有{value}{noun}。", f"{{x}}有多少{noun}", value + noun[0], f"{value}{noun}。")
    if shape == 6:
        value, verb = c(w.ZH_MATERIALS), c(["做", "造", "建", "制", "雕刻"])
        return Fact(f"{{x}}用{value}{verb}成。", c([f"{{x}}是用什么{verb}的", f"{{x}}用什么{verb}成"]), value, f"{value}。")
    if shape == 7:
        value, side = place(rng), c(["", "", c(w.ZH_PLACES)])
        return Fact(f"{{x}}位于{value}{side}。", c(["{x}位于哪里", "{x}在哪里", "{x}位于什么地方"]), value + side, f"{value}。")
    if shape == 8:
        value, verb = f"{rng.randint(1, 12)}月", c(w.ZH_VERBS)
        return Fact(f"{{x}}每年{value}{verb}。", f"{{x}}在几月{verb}", value, f"{value}。")
    if shape == 9:
        noun, value, time = c(["头等奖", "奖章", "银杯", "奖金", "第一名"]), person_name(rng), year(rng)
        asked = c([f"{time}年{{x}}的{noun}归谁", f"{time}年谁拿到了{{x}}的{noun}"])
        return Fact(f"{time}年，{{x}}的{noun}归{value}。", asked, value, f"{value}。")
    if shape == 10:
        verb, value, mark = c(w.ZH_VERBS), c(w.ZH_MATERIALS), c(["着", "了", "成", "的是", "于"])
        asked, noun = c([f"{{x}}{verb}{mark}什么", f"{{x}}{verb}{mark}哪种东西"]), c(w.ZH_NOUNS)
        if rng.random() < 0.4:
            return Fact(f"{{x}}的{noun}{verb}{mark}{value}。", f"{{s}}{noun}{verb}{mark}什么", value, f"{verb}{mark}{value}。")
        return Fact(f"{{x}}{verb}{mark}{value}。", asked, value, f"{value}。")
    if shape == 11:
        verb, noun, value = c(w.ZH_VERBS), c(w.ZH_PLURALS), str(rng.randint(3, 9000))
        unit = noun[0]
        return Fact(f"{{x}}{verb}{value}{noun}。", c([f"{{x}}{verb}几{noun}", f"{{x}}{verb}多少{noun}"]), value + unit, f"{verb}{value}{noun}。")
    if shape == 12:
        verb, value = c(w.ZH_VERBS), place(rng)
        asked = c([f"{{x}}{verb}在什么地方", f"{{x}}{verb}于哪里", f"{{x}}{verb}在何处"])
        return Fact(f"{{x}}{verb}{c(['在', '于'])}{value}。", asked, value, f"在{value}。")
    if shape == 13:
        verb, value, noun = c(w.ZH_VERBS), person_name(rng), c(w.ZH_NOUNS)
        told = c([f"{{x}}的{noun}由{value}{verb}。", f"{{x}}的{noun}是{value}{verb}的。", f"{{x}}的{noun}被{value}{verb}。"])
        return Fact(told, c([f"{{s}}{noun}由谁{verb}", f"{{s}}{noun}是谁{verb}的", f"{{s}}{noun}被谁{verb}"]), value, f"{value}。")
    noun, value, time = c(w.ZH_PLURALS), str(rng.randint(3, 9000)), year(rng)
    return Fact(f"{time}年，{{x}}有{value}{noun}。", f"{time}年{{x}}有多少{noun}", value + noun[0], f"{value}{noun}。")


def scrambled(rng: random.Random) -> str:
    drawn = [rng.choice(LETTERS) for _ in range(rng.randint(2, 8))]
    drawn.insert(rng.randint(0, len(drawn)), "{x}")
    return "".join(drawn) + rng.choice(["吗", "呢", "什么", "多少", "哪里", "谁"])


def ask(rng: random.Random, time: bool = True) -> str:
    c = lambda listed: pick(rng, listed) if len(listed) > 15 else rng.choice(listed)
    shape = rng.randrange(17)
    if shape < 6:
        asked = fact(rng).question
        while not time and asked[:1] == "1":
            asked = fact(rng).question
        return asked
    if shape < 9:
        return scrambled(rng)
    later = c(w.ZH_ADVERBS)
    return [
        f"{{x}}{later}是怎么{c(w.ZH_VERBS)}的",
        f"{c(w.ZH_REASONS)}为什么{later}{c(w.ZH_VERBS)}{{x}}",
        f"{later}{{s}}{c(w.ZH_NOUNS)}有什么{c(w.ZH_NOUNS)}",
        f"谁是{{s}}{c(w.ZH_NOUNS)}",
        f"{{x}}{later}可以{c(w.ZH_VERBS)}吗",
        f"{{x}}{later}{c(w.ZH_VERBS)}过哪些{c(w.ZH_KINDS)}",
        f"在哪里可以{c(w.ZH_VERBS)}{{x}}",
        f"{c(w.ZH_REASONS)}怎么看{{s}}{c(w.ZH_NOUNS)}",
    ][shape - 9]


def ask_pair(rng: random.Random) -> str:
    c = rng.choice
    more = c("更老 更大 更长 更新 更有名 更重 更深 更便宜 更快 年纪更小 更高 历史更久".split())
    return [
        f"{{x}}中哪一个{more}",
        f"{{x}}哪个{more}",
        f"{{x}}中谁先{c(w.ZH_VERBS)}",
        f"{{x}}有什么{c(['共同点', '不同', '区别', '关系'])}",
        f"{{x}}都在哪里{c(w.ZH_VERBS)}",
        f"谁{c(w.ZH_VERBS)}了{{x}}",
        f"{{x}}相距多{c('远近')}",
        f"{{x}}的{c(w.ZH_NOUNS)}一样吗",
    ][rng.randrange(8)]


def pronoun(rng: random.Random, about: Entity, question: str) -> tuple[str, str, str]:
    thing = rng.choice(["它", "它", "它", "这", "该" + about.trade, "这" + about.trade])
    shown = {"thing": thing, "man": "他", "woman": "她", "pair": "它们"}[about.kind]
    if "{s}" in question:
        shown = of(shown) if about.kind != "thing" else "它的"
        return question.replace("{s}", shown), shown, of(about.name)
    if about.kind == "thing" and question.endswith("{x}") and rng.random() < 0.2:
        shown = "那里"
    return question.replace("{x}", shown), shown, about.name


def capital(text: str) -> str:
    return text


OPENERS = (
    "{n}是什么？|{n}是一{m}{t}。;{n}是{t}吗？|是的。;你听说过{n}吗？|听说过，{n}是{t}。;"
    "介绍一下{n}。|{n}是{p}的{t}。;你喜欢哪个{t}？|我喜欢{n}。;你知道{p}有什么{t}吗？|有{n}。;"
    "我今天读到了{n}。|那是有名的{t}。;{p}最好的{t}是哪个？|是{n}。;我的朋友喜欢{n}。|很多人都喜欢。"
).split(";")
PERSON_OPENERS = (
    "{n}是谁？|{n}是一位{t}。;{n}是什么人？|{p}的{t}。;{n}是{t}吗？|是的，来自{p}。;"
    "你知道{n}吗？|知道，{n}是{t}。;{p}出过哪位{t}？|{n}。;介绍一下{n}。|{n}是{p}的{t}。"
).split(";")
PAIR_OPENERS = (
    "你知道{a}和{b}吗？|都知道。;{p}有哪些{t}？|{a}和{b}。;{a}是什么？|和{b}一样，是{t}。;"
    "你见过{a}或{b}吗？|都见过。;{a}离{b}近吗？|近，都在{p}。;我知道{a}，也知道{b}。|两个都有名。"
).split(";")


def opening(rng: random.Random, about: Entity) -> tuple[str, str]:
    line = rng.choice(OPENERS if about.kind == "thing" else PERSON_OPENERS)
    line = line.format(n=about.name, t=about.trade, p=place(rng), m=rng.choice("个座种"))
    return tuple(line.split("|"))


def pair_opening(rng: random.Random, one: Entity, other: Entity) -> tuple[str, str]:
    line = rng.choice(PAIR_OPENERS)
    line = line.format(a=one.name, b=other.name, t=one.trade, p=place(rng))
    return tuple(line.split("|"))


REPLIES = "是的。;不是。;我不清楚。;没有人知道。;有很多办法。;大家都这么说。;要看情况。;经常。".split(";")
TIMES = ["那一年", "那年", "当年", "同一年", "在那一年"]
FORMER, LATTER = ["前者", "第一个", "前一个"], ["后者", "第二个", "后一个"]
PAIR = ["两者", "这两个", "二者", "它们", "他们"]
MORE = "{x}呢？;那么{x}呢？;换成{x}呢？;{x}怎么样？;而{x}呢？;说到{x}呢？".split(";")
YEARS = "{y}年。;是{y}年。;在{y}年。;那是{y}年。".split(";")
AND, IN_YEAR, UNKNOWN, MARK = "{}和{}", "{}年", "不知道", "？"
STANDS, JOIN, NO_NEED = "“{}”指“{}”", "；", "问题本身是清楚的。"
NO_HINT = "对话没有说“{}”指什么。"
MORE_THOUGHT = "“{}”代替上一个问题里的“{}”"
LEANING = "它 它 他 她 他们 它们 这 那里".split()
STOP = "。"


def ask_year(rng: random.Random) -> str:
    verb = pick(rng, w.ZH_VERBS)
    if rng.random() < 0.35:
        return rng.choice(["{{x}}是哪一年被{}{}的", "{}哪一年{}了{{x}}", "{}是什么时候{}{{x}}的"]).format(person_name(rng), verb)
    return ask_verb(rng, verb)


def about_year(rng: random.Random, name: str, time: str) -> str:
    verb = rng.choice(w.ZH_VERBS)
    return rng.choice([f"{name}是{time}年{verb}的吗？", f"听说{name}在{time}年{verb}。", f"{time}年{name}{verb}了吗？"])


def timed(rng: random.Random, question: str) -> str:
    if question.startswith(("{x}", "{s}")) and rng.random() < 0.5:
        return question.replace("{x}", "{x}{t}", 1) if "{x}" in question else "{t}" + question
    return "{t}" + question


def small_talk(rng: random.Random) -> list[tuple[str, str]]:
    if rng.random() < 0.6:
        drawn = "".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 6)))
        return [(drawn + rng.choice(["吗？", "呢？", "吧？"]), rng.choice(LETTERS) + rng.choice(LETTERS) + "。")]
    questions = "你好。|你好。;能帮我吗？|当然可以。;你好吗？|很好。;今天星期几？|星期一。;谢谢。|不客气。;下雨了吗？|没有。"
    return [tuple(rng.choice(questions.split(";")).split("|"))]
