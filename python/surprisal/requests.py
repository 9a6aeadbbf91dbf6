"""Requests that are answered together: one process for all of them, so that what they share is computed once.

A request and its answer are lines of JSON, as `surprisal answer` has them. That a row is missing, out of its place or an error is an
exception; no answer is ever made up.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surprisal.program import Program, SurprisalError

#: Characters of a request that are shown where it has no answer.
SHOWN_CHARS = 80


def answered(program: Program, requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers to requests, in their order.

    Raises SurprisalError if the program refuses them or one has no answer. Answers that were kept in a working folder are not lost.
    """
    if not requests:
        return []
    with tempfile.TemporaryDirectory(prefix="surprisal-") as folder:
        asked, told = Path(folder, "requests.jsonl"), Path(folder, "answers.jsonl")
        with asked.open("w", encoding="ascii") as file:
            for place, request in enumerate(requests):
                file.write(json.dumps({"id": place, **request}) + "\n")
        program.ask(["answer", str(asked), "--model", program.model, "-o", str(told)])
        if not told.exists():
            raise SurprisalError("surprisal ended well and wrote no answers")
        with told.open(encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
    places = [answer.get("id") for answer in answers]
    if places != list(range(len(requests))):
        raise SurprisalError(f"{len(requests)} requests have {len(answers)} answers, or they are in another order")
    failed = [answer for answer in answers if "error" in answer]
    if failed:
        place = failed[0]["id"]
        shown = json.dumps(requests[place], ensure_ascii=False)[:SHOWN_CHARS]
        raise SurprisalError(
            f"{len(failed)} of {len(requests)} requests have no answer; the first is number {place + 1}, {shown}…: "
            f"{failed[0]['error']}"
        )
    return answers


def log_likelihood(answer: dict[str, Any]) -> float:
    """The log-likelihood of an answer in nats."""
    value = answer.get("log_likelihood")
    if not isinstance(value, (int, float)) or math.isnan(value):
        raise SurprisalError(f"request {answer.get('id')}: its log-likelihood is {value}, which is no number")
    return float(value)


def with_draws(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Requests of texts with those that are there already told apart, so that each draws its own."""
    seen: dict[str, int] = {}
    told_apart = []
    for request in requests:
        same = json.dumps(request, sort_keys=True)
        draw = seen.get(same, 0)
        seen[same] = draw + 1
        told_apart.append({**request, "draw": draw} if draw else dict(request))
    return told_apart
