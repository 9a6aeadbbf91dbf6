"""The answer of a text by a pattern, as tasks' own filters take it over."""

import re

from lm_eval.api.filter import Filter


class RegexFilter(Filter):
    def __init__(self, regex_pattern=r"#### (\-?[0-9\.\,]+)", group_select=0, fallback="[invalid]"):
        self.regex_pattern = regex_pattern
        self.regex = re.compile(regex_pattern)
        self.group_select = group_select
        self.fallback = fallback

    def first(self, resp):
        found = self.regex.findall(resp if isinstance(resp, str) else "")
        if not found:
            return self.fallback
        chosen = found[self.group_select]
        if isinstance(chosen, tuple):
            filled = [group for group in chosen if group]
            chosen = filled[0] if filled else self.fallback
        return chosen.strip()

    def apply(self, resps, docs):
        return [[self.first(resp) for resp in answers] for answers in resps]
