"""What a comparison left in its folder, and tables of it."""

import json
from pathlib import Path


def read_json(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list:
    # Not splitlines(): texts may hold line separators of Unicode.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def ranked(folder: Path) -> list:
    """Samples with their candidates and surprisals, of a run with one model and one data set whose tables were exported."""
    samples = {sample["row"]: sample | {"candidates": []} for sample in read_lines(folder / "samples.jsonl")}
    for candidate in read_lines(folder / "candidates.jsonl"):
        samples[candidate["row"]]["candidates"].append(candidate | {"nlls": []})
    for token in read_lines(folder / "tokens.jsonl"):
        # The first token of a text has no surprisal.
        if token["nll_nats"] is not None:
            samples[token["row"]]["candidates"][token["candidate"]]["nlls"].append(token["nll_nats"])
    return list(samples.values())


def generated_ids(tokens: Path) -> list:
    """The ids that were generated for each sample, from the exported tokens of a run with one model and one data set."""
    ids = {}
    for token in read_lines(tokens):
        own = ids.setdefault(token["row"], [])
        if token["is_answer"]:
            own.append(token["id"])
    return list(ids.values())


def less(whole: dict, part: dict) -> dict:
    """What remains of a cost."""
    return {key: whole[key] - part[key] for key in ("cpu_s", "wall_s")}


def number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def aligned(head: list[str], lines: list[list[str]]) -> str:
    """A table; the first column stands left, the others right."""
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]

    def line(cells: list[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]).rstrip()

    return "\n".join(map(line, [head, ["-" * width for width in widths], *lines]))
