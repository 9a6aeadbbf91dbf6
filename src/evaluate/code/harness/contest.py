# Runs a program of a contest on each input, as a function that is called or as a text that reads and writes, and
# compares. `judge` ends in an AssertionError with all results as JSON unless each is right: true and false, -1 for a
# program that fails, -2 for one that does not begin.
import ast, builtins, io, json, signal, sys, time, unittest.mock

STARS = ("string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys "
         "json builtins typing").split()
MODULES = [name for name in STARS if name not in ("builtins", "typing")]
PRELUDES = {
    "live_code_bench": "".join(f"from {name} import *\n" for name in STARS)
    + "".join(f"import {name}\n" for name in MODULES)
    + "sys.setrecursionlimit(600000)\n",
    "taco": """import collections, fractions, heapq, itertools, math, random, sys, time
import numpy as np
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from functools import lru_cache
from heapq import *
from itertools import accumulate, combinations, permutations, product
from math import ceil, cos, exp, fabs, floor, gcd, log, log2, sin, sqrt, tan
from typing import List, Tuple
""",
}


class TimeoutException(Exception):
    pass


class Ended(Exception):
    """No more inputs are tried."""


def late(*_):
    raise TimeoutException


def cut(text, length=300):
    return text if len(text) <= length else text[: length // 2] + "...(truncated) ..." + text[-length // 2 :]


def without_guard(code):
    """A last `if __name__ == '__main__':` is what the program does."""
    try:
        body = ast.parse(code).body
        if isinstance(body[-1], ast.If) and ast.unparse(body[-1].test).strip() == "__name__ == '__main__'":
            return ast.unparse(body[:-1]) + "\n" + ast.unparse(body[-1].body)
    except Exception:
        pass
    return code


def as_function(code):
    """The program as the function `code`; imports before its first line stay outside."""
    outside, inside = [], []
    for line in code.split("\n"):
        is_import = line.startswith(("from ", "import "))
        (outside if is_import and not inside else inside).append(line)
    if not inside:
        return "\n".join(outside)
    inside = ["stdin = sys.stdin", "stdout = sys.stdout", "def code():"] + ["\t" + line for line in inside]
    return "\n".join(outside + inside)


class Input:
    """What stands for stdin: reading always gives the whole text."""

    def __init__(self, text):
        self.lines, self.text = io.StringIO(text), text
        self.buffer = InputBytes(text.encode())

    def read(self, *_):
        return self.text

    def readline(self, *limit):
        return self.lines.readline(*limit)

    def readlines(self, *_):
        return self.text.split("\n")

    def __getattr__(self, name):
        return getattr(self.lines, name)


class InputBytes:
    def __init__(self, text):
        self.text = text

    def read(self, *_):
        return self.text

    def readline(self, *_):
        return self.text.split(b"\n")[0] + b"\n"


def called(function, text, stdin):
    """Calls a program on an input."""
    lines, patch = iter(text.split("\n")), unittest.mock.patch
    with (
        patch("builtins.open", unittest.mock.mock_open(read_data=text)),
        patch("sys.stdin", stdin),
        patch("sys.stdin.readline", lambda *_: next(lines)),
        patch("sys.stdin.readlines", lambda *_: text.split("\n")),
        patch("sys.stdin.read", lambda *_: text),
    ):
        try:
            function()
        except SystemExit:
            pass


def numbers(texts):
    return [float(text) for text in texts]


def are_close(left, right):
    def is_close(a, b):
        return a == b or abs(a - b) <= 1e-8 + 1e-5 * abs(b) and abs(b) != float("inf")

    return len(left) == len(right) and all(map(is_close, left, right))


def is_same_text(said, expected, style):
    """Whether a program said what is expected: but for blanks at the ends, as numbers, or in sets of words."""
    lines = said.splitlines()
    if "\n".join(lines).strip() == expected.strip():
        return True
    if "\n".join(line.strip() for line in lines).strip() == expected.strip():
        return True
    wanted = [line.strip() for line in expected.split("\n") if line]
    kept = [line for line in lines if line]
    if wanted in (lines, kept):
        return True
    is_whole = all(left.isdigit() and right.isdigit() for left, right in zip(kept, wanted))
    if style == "taco" or not is_whole:
        try:
            if are_close(numbers(kept), numbers(wanted)):
                return True
        except ValueError:
            pass
    if style != "taco":
        return False
    said = [line.split() for line in kept]
    said, wanted = [words for words in said if words], [line.split() for line in wanted]
    if set(map(frozenset, said)) == set(map(frozenset, wanted)):
        return True
    try:
        rounded = [{frozenset(round(float(word), 3) for word in words) for words in side} for side in (said, wanted)]
        return rounded[0] == rounded[1]
    except ValueError:
        return False


def with_whole_keys(value):
    """JSON has texts for keys where Python had whole numbers."""
    try:
        return [{int(key): item for key, item in value.items()}]
    except (AttributeError, ValueError):
        return None


class Contest:
    def __init__(self, job, same):
        self.style, self.seconds, self.same = job["style"], job["seconds"], same
        self.code, self.results, self.told = job["code"], [], {}
        self.stops = self.style == "live_code_bench"
        self.end_time = time.monotonic() + job["total_seconds"]

    def begin(self, name):
        """The function that is to be called; `-2` if there is none."""
        source = self.code
        if name is None:
            source = as_function(without_guard(source) if self.stops else source)
        names = {}
        signal.alarm(self.seconds)
        try:
            exec(PRELUDES[self.style] + source, names)
            owner = names["Solution"]() if name is not None and "class Solution" in self.code else None
            signal.alarm(0)
        except Exception as error:
            self.end(-2, error=repr(error), error_code=-1, error_message="Compilation Error")
        wanted = name or "code"
        try:
            if owner is None and wanted not in names:
                raise AttributeError(f"module 'tmp_sol' has no attribute {wanted!r}")
            return getattr(owner, wanted) if owner is not None else names[wanted]
        except Exception as error:
            error = repr((type(error), error))
            self.end(-2, error=error, error_code=-1, error_message="Unable to extract code")

    def end(self, result, **told):
        signal.alarm(0)
        self.results.append(result)
        self.told = told
        raise Ended

    def failed(self, error, shown):
        signal.alarm(0)
        if not self.stops:
            self.results.append(-1)
            return
        is_late = "timeoutexception" in repr(error).lower()
        code, message = (-3, "Time Limit Exceeded") if is_late else (-4, "Runtime Error")
        self.end(-1, error=repr(error), error_code=code, error_message=message, **shown)

    def compared(self, is_right, output, shown):
        if is_right is True or not self.stops:
            self.results.append(is_right)
        else:
            self.end(is_right, output=output, expected=shown["expected"], inputs=shown["inputs"], error_code=-2,
                     error_message="Wrong Answer")

    def read_and_write(self, function, text, expected):
        if isinstance(text, list):
            text = "\n".join(text)
        if isinstance(expected, list):
            expected = "\n".join(expected)
        shown = {"inputs": cut(text), "expected": cut(expected, 200)}
        said, before = io.StringIO(), sys.stdout
        # A program that closes its output has still said something.
        said.close = lambda: None
        sys.stdout = said
        signal.alarm(self.seconds)
        try:
            called(function, text, Input(text) if self.stops else io.StringIO(text))
        except Exception as error:
            return self.failed(error, shown)
        finally:
            signal.alarm(0)
            sys.stdout = before
        said = said.getvalue()
        self.compared(is_same_text(said, expected, self.style), cut(said, 200), shown)

    def call(self, function, inputs, expected):
        shown = {}
        if self.stops:
            lines = inputs.strip().split("\n")
            length = 300 // (inputs.count("\n") + 1)
            shown = {"inputs": "\n".join(cut(line, length) for line in lines), "expected": cut(expected, 200)}
            inputs, expected = [json.loads(line) for line in inputs.split("\n")], json.loads(expected)
        if inputs and isinstance(inputs[0], dict):
            inputs = with_whole_keys(inputs[0]) or inputs
        if isinstance(expected, dict):
            expected = with_whole_keys(expected) or expected
        if isinstance(expected, list) and expected and isinstance(expected[0], dict):
            expected = with_whole_keys(expected[0]) or expected
        signal.alarm(self.seconds)
        try:
            output = function(*inputs)
            written = cut(json.dumps(output), 200) if self.stops else ""
            output = list(output) if isinstance(output, tuple) else output
            is_right = self.same(output, expected)
            if isinstance(expected, list) and expected:
                is_right = is_right or self.same(output, expected[0])
            try:
                if isinstance(output[0], tuple):
                    is_right = is_right or [list(item) for item in output] == expected[0]
            except Exception:
                pass
            signal.alarm(0)
        except Exception as error:
            return self.failed(error, shown)
        self.compared(is_right, written, shown)

    def run(self, cases):
        name = cases.get("fn_name")
        function = self.begin(name)
        for inputs, expected in zip(cases["inputs"], cases["outputs"]):
            (self.read_and_write if name is None else self.call)(function, inputs, expected)
            if time.monotonic() > self.end_time:
                raise TimeoutError("all inputs together take too long")


def judge(job, same):
    builtins.exit = builtins.quit = None
    signal.signal(signal.SIGALRM, late)
    contest = Contest(job, same)
    try:
        contest.run(json.loads(job["cases"]))
    except Ended:
        pass
    signal.alarm(0)
    if not all(result is True for result in contest.results):
        raise AssertionError(json.dumps([contest.results, json.dumps(contest.told)]))
