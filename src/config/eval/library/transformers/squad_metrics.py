"""How far an answer has the words of another one, as SQuAD counts them."""

import collections
import re
import string

_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalize_answer(s):
    letters = "".join([letter for letter in s.lower() if letter not in string.punctuation])
    return " ".join(_ARTICLES.sub(" ", letters).split())


def get_tokens(s):
    return normalize_answer(s).split() if s else []


def compute_exact(a_gold, a_pred):
    return int(normalize_answer(a_gold) == normalize_answer(a_pred))


def compute_f1(a_gold, a_pred):
    gold = get_tokens(a_gold)
    said = get_tokens(a_pred)
    if not gold or not said:
        return int(gold == said)
    shared = sum((collections.Counter(gold) & collections.Counter(said)).values())
    if shared == 0:
        return 0
    precision = shared / len(said)
    recall = shared / len(gold)
    return (2 * precision * recall) / (precision + recall)
