"""What tasks' own functions take over from lm-eval's tools."""

import logging
import re

from sklearn.metrics import f1_score


def weighted_f1_score(items):
    golds, preds = list(zip(*items))
    return f1_score(golds, preds, average="weighted")


def general_detokenize(string):
    for apart, together in ((" n't", "n't"), (" )", ")"), ("( ", "("), ('" ', '"'), (' "', '"')):
        string = string.replace(apart, together)
    return re.sub(" (['.,])", r"\1", string)
