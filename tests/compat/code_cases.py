"""Invented tasks and answers for evaluators of code, and where the originals of these stand."""

import json

import code_cases_compass
import code_cases_ds1000

SUBJECTS = {}


def subject(name, original, *cases, release="0.5.4"):
    """`original` has each evaluator's path in that release, what it needs around it, and the fields of details that are not
    compared."""
    SUBJECTS[name] = {"original": original, "cases": list(cases), "release": release}


def case(evaluator, answers, **more):
    """`answers` are pairs of a row and a prediction; a row's reference is under `gold`."""
    rows = [row for row, _ in answers]
    return {
        "evaluator": evaluator,
        "predictions": [answer for _, answer in answers],
        "references": [row["gold"] for row in rows],
        "test_set": [{key: value for key, value in row.items() if key != "gold"} for row in rows],
        **more,
    }


def function(name, number, prompt, test, solution, **more):
    return {"task_id": f"{name}/{number}", "gold": f"{name}/{number}", "prompt": prompt, "test": test,
            "canonical_solution": solution, **more}


DOUBLE = function("HumanEval", 0, 'def double(x):\n    """Twice x."""\n', "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-1) == -2\n", "    return 2 * x\n", entry_point="double")
LAST = function("HumanEval", 1, 'def last(items):\n    """The last item."""\n', "def check(candidate):\n    assert candidate([1, 2]) == 2, 'two'\n    assert candidate('ab') == 'b'\n", "    return items[-1]\n", entry_point="last")
TASKS = [DOUBLE, LAST]
PLAIN = [{key: value for key, value in task.items() if key != "gold"} for task in TASKS]
BODIES = ["    return 2 * x\n", "    return items[-1]\n", "    return x + x", "    return items[1]", "    while True: pass", "    exit()", "    return input()", "return 2 *", "    raise ValueError('é')", "", "    return 4 if x == 2 else 1", "    print(x)\n    return x * 2"]
HUMAN_EVAL = {"HumanEvalEvaluator": ("datasets.humaneval.HumanEvalEvaluator", "human_eval", ())}
each = lambda rows, answers: [(rows[at % len(rows)], answer) for at, answer in enumerate(answers)]
subject("human_eval", HUMAN_EVAL,
        *(case({"type": "HumanEvalEvaluator"}, each(TASKS, BODIES[at : at + 2]), tasks=PLAIN) for at in range(0, len(BODIES), 2)),
        case({"type": "HumanEvalEvaluator", "k": [1, 2, 3]}, [(row, body) for row in TASKS for body in (BODIES[0], BODIES[1])], tasks=PLAIN),
        case({"type": "HumanEvalEvaluator", "k": [1, 2]}, [(DOUBLE, BODIES[0]), (LAST, BODIES[1]), (DOUBLE, BODIES[5]), (LAST, BODIES[3])], tasks=PLAIN))

PLUS = {"HumanEvalPlusEvaluator": ("datasets.humaneval.HumanEvalPlusEvaluator", "plus", ()),
        "MBPPEvaluator": ("datasets.mbpp.MBPPEvaluator", "plus", ())}


def wide(task, base, more, atol=0):
    return {**{key: value for key, value in task.items() if key != "gold"}, "base_input": base, "plus_input": more, "atol": atol, "contract": ""}


HALF = function("HumanEval", 2, "def half(x):\n", "", "    return x / 2\n", entry_point="half")
PAIR = function("HumanEval", 3, "def pair(xs):\n", "", "    return (min(xs), max(xs))\n", entry_point="pair")
ROOT = function("HumanEval", 4, "def find_zero(xs):\n", "", "    return -xs[0] / xs[1]\n", entry_point="find_zero")
WIDE = [wide(DOUBLE, [[1], [2]], [[0], [-3], [10 ** 30]]), wide(LAST, [[[1, 2]]], [["ab"], [[None]]]), wide(HALF, [[1]], [[0.1], [1e9]]),
        wide(PAIR, [[[2, 1]]], [[[0.5, 0.25]], [[3]]]), wide(ROOT, [[[1, 2]]], [[[3, 4]], [[-1, 7]]], 1e-4)]
ALL = [DOUBLE, LAST, HALF, PAIR, ROOT]
WIDE_BODIES = [["    return 2 * x", "    return items[-1]", "    return x / 2", "    return (min(xs), max(xs))", "    return -xs[0] / xs[1] + 1e-6"],
               ["    return int(x * 2.0)", "    return items[1]", "    return x * 0.5 + 1e-9", "    return [min(xs), max(xs)]", "    return 0"],
               ["    while x: pass\n    return 0", "    return items.pop()", "    return x // 2", "    return min(xs), max(xs), 0", "    return -xs[0] * (1 / xs[1])"],
               ["    exit()", "    return 1 +", "    return x / 2 + 0.001", "    raise BaseException", "    xs.clear()\n    return 1"]]
PLUS_FILE = "tests/fixtures/golden/plus_human_eval.jsonl"
MBPP_FILE = "tests/fixtures/golden/plus_mbpp.jsonl"
mbpp = lambda number, entry, code, base, more, atol=0: {"task_id": f"Mbpp/{number}", "gold": f"Mbpp/{number}", "prompt": f"def {entry} it", "entry_point": entry, "canonical_solution": code, "base_input": base, "plus_input": more, "atol": atol}
WIDE_MBPP = [dict(task, prompt='"""\nWrite it.\n"""\n') for task in (
    mbpp(2, "similar_elements", "def similar_elements(a, b):\n    return tuple(set(a) & set(b))\n", [[[1, 2], [2, 3]]], [[[1], [2]], [[5, 4, 3], [3, 4]]]),
    mbpp(164, "are_equivalent", "def are_equivalent(a, b):\n    return a == b\n", [[1, 2]], [[3, 3]]),
    mbpp(252, "convert", "import cmath\ndef convert(z):\n    return cmath.polar(z)\n", [["1"]], [["4"], ["1+2j"]]),
    mbpp(278, "count_first", "def count_first(t):\n    return next((n for n, x in enumerate(t) if isinstance(x, tuple)), len(t))\n", [[[1, [2, 3], 4]]], [[[5, 6]], [[[1]]]]),
    mbpp(434, "text_match_three", "import re\ndef text_match_three(t):\n    return re.search('a{3}', t)\n", [["aaa"]], [["b"]]),
    mbpp(558, "digit_distance_nums", "def digit_distance_nums(a, b):\n    return sum(map(int, str(abs(a - b))))\n", [[1, 2]], [[23, 56]]),
    mbpp(581, "surface_Area", "def surface_Area(b, h):\n    return 0\n", [[3, 4]], [[1, 2]]),
    mbpp(722, "tall", "def tall(d, n):\n    return {k: v for k, v in d.items() if v > (n,)}\n", [[{"a": [5]}, 3]], [[{"b": [1, 2]}, 3]]))]
MBPP_CODES = [[f"```python\n{task['canonical_solution']}```" for task in WIDE_MBPP],
              ["[BEGIN]\ndef similar_elements(a, b):\n    return [x for x in a if x in b]\n[DONE]", "def are_equivalent(a, b): return None", "def convert(z): return (abs(z), 0.0)", "def count_first(t): return 1",
               "def text_match_three(t): return True if 'aaa' in t else False", "def digit_distance_nums(a, b):\n    return sum(abs(int(x) - int(y)) for x, y in zip(str(a), str(b)))", "def surface_Area(b, h):\n    return round(b * b + 2 * b * ((b / 2) ** 2 + h * h) ** 0.5)", "def tall(d, n):\n    return {k: list(v) for k, v in d.items() if v > (n,)}"]]
subject("plus", PLUS,
        *(case({"type": "HumanEvalPlusEvaluator", "problems": PLUS_FILE}, list(zip(ALL, bodies)), tasks=WIDE) for bodies in WIDE_BODIES),
        *(case({"type": "MBPPEvaluator", "metric": "MBPPPlus", "problems": MBPP_FILE}, list(zip(WIDE_MBPP, codes)), tasks=[{key: value for key, value in task.items() if key != "gold"} for task in WIDE_MBPP]) for codes in MBPP_CODES))
# The class of a release that has this metric; what is said of floats differs in the EvalPlus of its time.
OF_ALL = {"HumanEvalEvaluator": ("datasets.humaneval.HumanEvaluator", "plus_of_all", ())}
of_all = {"type": "HumanEvalEvaluator", "metric": "EvalPlus", "problems": PLUS_FILE}
SPAN = function("HumanEval", 5, "def span(xs):\n", "", "    return (min(xs) / 2, max(xs) / 2)\n", entry_point="span")
LARGE = function("HumanEval", 6, "def large(xs):\n", "", "    return [x for x in xs if x > 9]\n", entry_point="large")
LENIENT = [wide(SPAN, [[[2, 1]]], [[[0.5, 0.25]], [[3]], [[1e308, 1]]]), wide(LARGE, [[[1, 2]]], [[[3]], [[10, 11]]])]
LENIENT_FILE = "tests/fixtures/golden/plus_of_all.jsonl"
LENIENT_BODIES = [["    return (min(xs) / 2, max(xs) / 2)", "    return [x for x in xs if x > 9]"], ["    return [min(xs) / 2, max(xs) / 2]", "    return tuple(x for x in xs if x > 9)"],
                  ["    import numpy\n    return numpy.array([min(xs), max(xs)]) / 2 + 1e-8", "    return [float(x) for x in xs if x > 9]"], ["    return (min(xs) / 2 + 1e-5, max(xs) / 2)", "    return [x + 1e-8 for x in xs if x > 9]"],
                  ["    return (min(xs) / 2, max(xs) / 2, 0)", "    return None"], ["    return {min(xs) / 2, max(xs) / 2}", "    return 0"], ["    return [str(min(xs) / 2), str(max(xs) / 2)]", "    return {}"], ["    return max(xs) / 2", "    return [[]]"]]
shared = [(row, bodies[at]) for bodies in (WIDE_BODIES[1], WIDE_BODIES[0], WIDE_BODIES[0]) for at, row in enumerate(ALL)]
subject("plus_of_all", OF_ALL,
        *(case(of_all, list(zip(ALL, bodies)), tasks=WIDE) for bodies in WIDE_BODIES),
        *(case({**of_all, "problems": LENIENT_FILE, "k": [1, 10]}, list(zip((SPAN, LARGE), bodies)), tasks=LENIENT) for bodies in LENIENT_BODIES),
        case({**of_all, "k": [1, 2, 3]}, shared, tasks=WIDE),
        case(of_all, [(row, WIDE_BODIES[0][at]) for at, row in enumerate(ALL) for _ in range(10 if row is not HALF else 9)], tasks=WIDE),
        case(of_all, [(row, [WIDE_BODIES[0][at]] * 3 + [WIDE_BODIES[1][at]] * 7) for at, row in enumerate(ALL)], tasks=WIDE), release="0.2.5")
FILES = {PLUS_FILE: WIDE, LENIENT_FILE: LENIENT, MBPP_FILE: [{key: value for key, value in task.items() if key != "gold"} for task in WIDE_MBPP]}


def contest(number, inputs, outputs, name=None, date="2024-05-01T00:00:00"):
    sample = json.dumps({"inputs": inputs, "outputs": outputs, "fn_name": name})
    return {"question_id": f"q{number}", "gold": f"q{number}", "contest_date": date, "evaluation_sample": sample}


SUM = contest(1, ["2\n1 2\n", "1\n5\n", "3\n1 1 1"], ["3\n", "5\n", "3"])
WORDS = contest(2, ["a b\n"], ["b\na\n"], date="2024-07-01T00:00:00")
REAL = contest(3, ["1\n", "2"], ["0.5 \n", "1.0"])
CALL = contest(4, ["[1, 2]\n3", "[]\n0"], ["[4, 5]", "[]"], "shift")
KEYS = contest(5, ['{"1": 2}'], ['{"2": 1}'], "swap")
fence = lambda code, language="python": f"Here:\n```{language}\n{code}\n```\nThat is it."
SUMS = ["n = int(input())\nprint(sum(map(int, input().split())))", "import sys\nlines = sys.stdin.read().split()\nprint(sum(map(int, lines[1:])))",
        "import sys\nn = sys.stdin.readline()\nfor line in sys.stdin.readlines()[1:2]:\n    print(sum(map(int, line.split())), end='')", "def main():\n    input()\n    print(sum(int(x) for x in input().split()))\n\nif __name__ == '__main__':\n    main()",
        "print(3)", "input()\nprint(eval(input()))", "while True: pass", "exit()", "import sys\ninput()\nprint(sum(map(int, input().split())))\nsys.exit(0)", "print(open(0).read())", "def f(:", "import os", "", "data = sys.stdin.buffer.read().split()\nprint(sum(map(int, data[1:])))", "input()\nprint(' ', sum(map(int, input().split())), ' ')", "raise SystemExit", "import sys\nsys.stdout.write(str(sum(map(int, sys.stdin.read().split()[1:]))))"]
LCB = {"LCBCodeGenerationEvaluator": ("datasets.livecodebench.evaluator.LCBCodeGenerationEvaluator", "live_code_bench", ())}
PARTLY = {"LCBCodeGenerationEvaluator": (*LCB["LCBCodeGenerationEvaluator"][:2], ("details",))}
SHIFTS = ["class Solution:\n    def shift(self, xs: List[int], k: int) -> List[int]:\n        return [x + k for x in xs]", "def shift(xs, k): return tuple(x + k for x in xs)", "class Solution:\n    def shift(self, xs, k): return [float(x + k) for x in xs]", "class Solution:\n    def other(self): pass", "class Solution:\n    def shift(self, xs, k): return {1, 2}", "class Solution:\n    def shift(self, xs, k): exit()", "class Solution:\n    def shift(self, xs, k): raise KeyError('k')", "import sys\nsys.exit(1)", "def shift(xs, k):\n    while True: pass"]
SWAPS = ["def swap(d): return {v: k for k, v in d.items()}", "def swap(d): return [{2: 1}]", "def swap(d): return {'2': '1'}"]
REALS = ["print(int(input()) / 2)", "print(int(input()) / 2 + 1e-9)", "print(int(input()) // 2)", "print('0.5\\n')", "print(float('nan'))"]
LISTS = ["a, b = input().split()\nprint(b)\nprint(a)", "a, b = input().split()\nprint(b + ' ')\nprint(' ' + a)", "a, b = input().split()\nprint(b)\nprint()\nprint(a)", "a, b = input().split()\nprint(b, a)", "a, b = input().split()\nprint(a)\nprint(b)"]
code_of = {"type": "LCBCodeGenerationEvaluator", "num_process_evaluate": 2, "timeout": 2}
whole = [(SUM, fence(code)) for code in SUMS] + [(CALL, fence(code)) for code in SHIFTS] + [(KEYS, fence(code)) for code in SWAPS] + [(REAL, fence(code)) for code in REALS] + [(WORDS, fence(code)) for code in LISTS]
named = lambda pairs: [({**row, "gold": f"{row['gold']}-{at}", "question_id": f"{row['gold']}-{at}"}, answer) for at, (row, answer) in enumerate(pairs)]
subject("live_code_bench", LCB,
        case({**code_of, "release_version": "release_v1"}, named(whole)),
        case({**code_of, "extractor_version": "v2"}, named([(SUM, fence("print(0)") + fence(SUMS[0])), (SUM, fence(SUMS[0]) + fence("print(0)")), (SUM, "no code"), (SUM, "```\nprint(3)")])),
        case(code_of, named([(SUM, fence("print(0)") + fence(SUMS[0])), (SUM, fence(SUMS[0]) + fence("print(0)")), (CALL, "")])))
subject("live_code_bench_dates", PARTLY,
        *(case({**code_of, **dates}, named([(SUM, fence(SUMS[0])), (SUM, fence("print(0)")), (WORDS, fence(LISTS[4]))])) for dates in ({"start_date": "2024-05-01"}, {"end_date": "2024-05-01"}, {"start_date": "2024-05-02", "end_date": "2024-08-01"})))


def problem(number, inputs, outputs, name=None):
    cases = {"inputs": inputs, "outputs": outputs} | ({"fn_name": name} if name else {})
    return {"problem_id": number, "gold": number, "input_output": json.dumps(cases)}


TACO = {name: (f"datasets.{module}.{name}", None, ()) for name, module in (("TACOEvaluator", "taco"), ("APPSEvaluator", "apps"))}
TOTAL = problem("t0", ["1 2\n", "3 4"], ["3\n", "7"])
LINED = problem("t1", [["1", "2"]], [["2", "1"]])
ROUND = problem("t2", ["1\n"], ["0.3333"])
CALLED = problem("t3", [[[1, 2]], [[3]]], [[[2, 1]], [[3]]], "turn")
BROKEN = {"problem_id": "t4", "gold": "t4", "input_output": "[broken"}
OURS = [(TOTAL, fence(code)) for code in ("print(sum(map(int, input().split())))", "a, b = map(int, input().split())\nprint(float(a + b))", "print(3)", "print(sum(map(int, input().split())), 'x')", "while True: pass")]
OURS += [(LINED, fence(code)) for code in ("a = input()\nb = input()\nprint(b)\nprint(a)", "a = input()\nb = input()\nprint(a)\nprint(b)", "print(2, 1)", "import sys\nprint('\\n'.join(sys.stdin.read().split()[::-1]))")]
OURS += [(ROUND, code) for code in ("print(1 / 3)", "print('0.33331')", "print(0.4)", fence("print(.3333)", ""))]
OURS += [(CALLED, fence(code)) for code in ("def turn(xs): return xs[::-1]", "class Solution:\n    def turn(self, xs): return tuple(xs[::-1])", "def turn(xs): return sorted(xs)", "def turn(xs): return xs[5]", "def other(): pass")]
OURS += [(BROKEN, fence("print(1)"))]
own = lambda pairs: [({**row, "gold": f"{row['gold']}-{at}", "problem_id": f"{row['gold']}-{at}"}, answer) for at, (row, answer) in enumerate(pairs)]
subject("taco", TACO, *(case({"type": name}, own(OURS)) for name in TACO),
        case({"type": "TACOEvaluator"}, [(row, answer) for row in (TOTAL, LINED) for answer in ([OURS[0][1], OURS[2][1]] * 5 if row is TOTAL else [OURS[5][1]] * 10)]))

ADD = {"task_id": "Big/0", "gold": "x", "entry_point": "task", "complete_prompt": "import random\ndef task(a):\n    '''Adds one.'''\n", "code_prompt": "import random\ndef task(a):", "libs": "['random']",
       "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(task(1), 2)\n    def test_two(self):\n        self.assertEqual(task(2), 3)"}
ANSWERS = ["```python\ndef task(a):\n    return a + 1\n```", "import math\n\nONE = 1\n\ndef helper(a):\n    return a + ONE\n\ndef unused():\n    return missing\n\ndef task(a):\n    return helper(a)\n\nprint(task(1))\ntask(2)",
           "Sure, here it is:\n\ndef task(a):\n    return a + 1\n\nI hope it helps.", "def task(a):\n    return a", "def task(a): return a + 1", "", "no code at all", "class Task:\n    def go(self, a):\n        return a + 1\n\ntask = Task().go",
           "@staticmethod\ndef task(a):\n    return a + 1\n\nx = 1", "def task(a):\n    exit()\n    return a + 1", "from math import floor\nimport os, sys\ndef task(a):\n    # one more\n    return floor(a + 1.5)\n\n\nif __name__ == '__main__':\n    print(task(1))",
           "```python\nimport random\ndef task(a):\n    b: int = a\n    return one(b)\n```\n```python\ndef one(b):\n    return b + 1\n\n\n```", "def task(a):\n    return a + 1\n\nassert task(1) == 2\n\n\nclass TestCases:\n    pass", "step = other = 1\ndef task(a):\n    return a + step", "step, other = 1, 2\ndef task(a):\n    return a + step\n", "def task(a):\n    return f'{one(a)}'.__len__()\n\ndef one(a):\n    return 'x' * (a + 1)\n"]
BODIES_OF_TASK = ["    return a + 1", "    return a", "\tx = 1\n\treturn a + x", "    return one(a)\n\ndef one(a):\n    return a + 1\n", "return a + 1"]
numbered = lambda answers: [({**ADD, "task_id": f"Big/{at}"}, answer) for at, answer in enumerate(answers)]
subject("big_code_bench", {"BigCodeBenchEvaluator": ("datasets.bigcodebench.bigcodebench.BigCodeBenchEvaluator", "big_code_bench", ())},
        case({"type": "BigCodeBenchEvaluator", "eval_type": "instruct", "release_version": "v0.1.2", "dataset_version": "full"}, numbered(ANSWERS)),
        case({"type": "BigCodeBenchEvaluator", "eval_type": "complete", "dataset_version": "hard"}, numbered(BODIES_OF_TASK)))

CRUX = {"code": "def f(x):\n    return x * 2", "input": "3", "output": "6", "gold": "6"}
subject("cruxeval", {"CRUXEvalOEvaluator": ("datasets.cruxeval.CRUXEvalOEvaluator", None, ())},
        case({"type": "CRUXEvalOEvaluator"}, [({**CRUX, "id": f"s{at}"}, answer) for at, answer in enumerate(["6", "7", "f(3)", "2 * 3", "6.0", "(", "f(2) + 2", ["7", "6"], ["f(3)"], "exit()"])]),
        case({"type": "CRUXEvalOEvaluator", "timeout": 1}, [(CRUX, "6"), (CRUX, "[1 for _ in iter(int, 1)]")]))

ASSERTS = {"gold": {"test_list_2": "assert twice(2) == 4\nassert twice( 0 ) == 0", "task_id": "c1"}}
OTHERS = {"gold": {"test_list_2": "assert twice(5) == 10", "task_id": "c2"}}
BLOCKS = ["```python\ndef twice(x):\n    return 2 * x\n```", "```python\nclass Solution:\n    def twice(self, x):\n        return 2 * x\n```", "```\ndef twice(x): return x\n```\nor\n```\ndef twice(x): return x + x\n```", "def twice(x): return 2.0 * x", "'def twice(x): return 2 * x'", "[BEGIN]'def twice(x): return 2 * x'[DONE]", "```python\nbroken(\n```", "```python\ndef twice(x): return 2 * x", "```py\ndef twice(x):\n    return \\\n2 * x\n```", "raise SystemExit", "```python\ndef twice(x): return 1\n```\n```python\ndef twice(x): return 2 * x\n```"]
subject("lc_bench", {"LCPassKEvaluator": ("datasets.LCBench.LCPassKEvaluator", None, ("details",))},
        *(case({"type": "LCPassKEvaluator"}, [(ASSERTS, answer)]) for answer in BLOCKS),
        case({"type": "LCPassKEvaluator", "k": [1, 2, 3]}, [(ASSERTS, BLOCKS[0]), (OTHERS, BLOCKS[3]), (ASSERTS, BLOCKS[3]), (OTHERS, BLOCKS[1]), (OTHERS, BLOCKS[6])]),
        case({"type": "LCPassKEvaluator", "k": 1}, [(ASSERTS, [BLOCKS[0], BLOCKS[6]]), (OTHERS, [BLOCKS[3], BLOCKS[10]])]))

PRO = {"id": 1, "raw_problem": "def one(x):", "new_problem": "def two(xs):", "test_code": "assert one(1) == 2\nassert two([1]) == [2]", "gold": "x"}
PROS = [fence("def one(x):\n    return x + 1\ndef two(xs):\n    return list(map(one, xs))"), fence("def one(x): return x"), "def one(x): return x + 1\ndef two(xs): return [one(x) for x in xs]", "", fence("import sys\nsys.exit(0)"), fence("if __name__ == '__main__':\n    one = lambda x: x + 1\n    two = lambda xs: [2]")]
named_rows = lambda row, answers, key="id": [({key: f"n{at}" if key == "name" else at, **{name: value for name, value in row.items() if name != key}}, answer) for at, answer in enumerate(answers)]
subject("human_eval_pro", {name: (f"datasets.{module}.{name}", "service", ("prompt",)) for name, module in (("HumanevalProEvaluator", "humaneval_pro"), ("MBPPProEvaluator", "mbpp_pro"))},
        case({"type": "HumanevalProEvaluator", "ip_address": "http://localhost"}, named_rows(PRO, PROS)),
        case({"type": "MBPPProEvaluator", "ip_address": "http://localhost"}, named_rows(PRO, PROS[:2])))

CPP = {"name": "", "language": "cpp", "prompt": "#include<cassert>\n// Adds one.\nlong add(long a) {\n", "tests": "}\nint main() {\n    auto candidate = add;\n    assert(candidate(1) == 2);\n}\n", "stop_tokens": ["\n}"], "gold": "t"}
JS = {"name": "", "language": "js", "prompt": "// Adds one.\nfunction add(a){\n", "tests": "const assert = require('node:assert');\nassert.deepEqual(add(1), 2);\n", "stop_tokens": ["\nfunction ", "\n//"], "gold": "t"}
JAVA = {"name": "", "language": "java", "prompt": "class Problem {\n    // Adds one.\n    public static long add(long a) {\n", "tests": "    }\n    public static void main(String[] args) {\n        assert(add(1L) == 2L);\n    }\n}\n", "stop_tokens": ["\n    }\n"], "gold": "t"}
PY = {"name": "", "language": "py", "prompt": "def add(a):\n    '''Adds one.'''\n", "tests": "assert add(1) == 2", "stop_tokens": ["\ndef", "\n#"], "gold": "t"}
MULTI = [(CPP, "    return a + 1;\n}\nint other;"), (CPP, "```cpp\n#include<cassert>\n// Adds one.\nlong add(long a) {\n    return a + 1;\n}\n```"), (CPP, "    return a;\n}"), (CPP, "oops"),
         (JS, "  return a + 1;\n}\n// more"), (JS, "```js\nfunction add(a){\n  return a + 1;\n}\n```"), (JS, "  return 'x';\n}"), (JAVA, "        return a + 1;\n    }\n}"), (JAVA, "        return a;\n    }\n"), (PY, "    return a + 1\n# done\nassert False"), (PY, "```python\ndef add(a):\n    '''Adds one.'''\n    return a + 1\n```"), (PY, "    return 1")]
several = lambda pairs: [({**row, "name": f"n{at}"}, answer) for at, (row, answer) in enumerate(pairs)]
subject("multipl_e", {"MultiplEEvaluator": ("datasets.multipl_e.MultiplEEvaluator", "service", ("prompt",)), "HumanevalMultiEvaluator": ("datasets.humaneval_multi.HumanevalMultiEvaluator", "archive", ())},
        case({"type": "MultiplEEvaluator", "language": "cpp", "ip_address": "http://localhost"}, several(MULTI)),
        *(case({"type": "HumanevalMultiEvaluator", "language": language, "ip_address": "localhost", "port": 5000}, several([pair for pair in MULTI if pair[0]["language"] == language])) for language in ("cpp", "js", "py")))

X = {"python": {"prompt": "from typing import List\n\ndef add(a: int) -> int:\n    '''Adds one.'''\n", "test": "def check(add):\n    assert add(1) == 2\n\ncheck(add)\n"},
     "java": {"prompt": "import java.util.*;\nclass Solution {\n    public int add(int a) {\n", "test": "public class Main {\n    public static void main(String[] args) {\n        if (new Solution().add(1) != 2) throw new AssertionError();\n    }\n}\n"},
     "js": {"prompt": "const add = (a) => {\n", "test": "const test = () => {\n  console.assert(add(1) === 2)\n  if (add(1) !== 2) throw new Error()\n}\ntest()\n"},
     "cpp": {"prompt": "#include<assert.h>\nint add(int a){\n", "test": "#undef NDEBUG\nint main(){\n    assert(add(1) == 2);\n}\n"}}
COMPLETIONS = {"python": ["    return a + 1\n", "```python\ndef add(a: int) -> int:\n    '''Adds one.'''\n    return a + 1\n```", "return a + 1\n\ndef other():\n    pass", "    return a\n", "'    return a + 1'", "    b = a\n    return b + 1\nprint(add(1))", "```\n    return a + 1"],
               "java": ["        return a + 1;\n    }\n}", "```java\nimport java.util.*;\nclass Solution {\n    public int add(int a) {\n        return a + 1;\n    }\n    public static void main(String[] args) {}\n}\n```", "        return a;\n    }\n}"],
               "js": ["  return a + 1;\n}\nadd(1)", "```js\nconst add = (a) => {\n  return a + 1;\n}\n```", "  return 1;\n}"],
               "cpp": ["    return a + 1;\n}\nint main() {\n    return 1;\n}", "```cpp\n#include<assert.h>\nint add(int a){\n    return a + 1;\n}\nint main(){}\n```", "    return a;\n}", "```cpp\nint add(int a){\n    return a + 1;\n}\nint main() { return 1; }\n```"]}
X_PATHS = {"HumanevalXEvaluator": ("datasets.humanevalx.HumanevalXEvaluator", "human_eval_x", ()), "PMMEvalHumanEvalXLEvaluator": ("datasets.PMMEval.humanevalxl.PMMEvalHumanEvalXLEvaluator", "human_eval_x", ())}
subject("human_eval_x", X_PATHS,
        *(case({"type": "HumanevalXEvaluator", "language": language, "ip_address": "localhost", "port": 5001}, [({**row, "gold": row["prompt"]}, answer) for answer in COMPLETIONS[language]]) for language, row in X.items()),
        case({"type": "PMMEvalHumanEvalXLEvaluator", "language": "java", "text_language": "English", "ip_address": "localhost"}, [({**X["java"], "gold": X["java"]["prompt"]}, answer) for answer in COMPLETIONS["java"]]),
        case({"type": "PMMEvalHumanEvalXLEvaluator", "language": "javascript"}, [({**X["js"], "gold": X["js"]["prompt"]}, answer) for answer in COMPLETIONS["js"]]))

SOLVE = {"id": "1", "gold": None, "import": "import numpy as np\n", "test": [
    ["assert np.allclose(double(np.array([1.0, 2.0])), target)", "assert double('a') == target"],
    ["from opencompass.datasets.scicode import cmp_tuple_or_list\nassert cmp_tuple_or_list(pair(2), target)"],
    ["from opencompass.datasets.scicode import are_dicts_close\nassert are_dicts_close(named(), target)"],
    ["from scipy.sparse import csr_matrix\nassert np.allclose(target.toarray(), eye().toarray())", "assert np.allclose(target, [1, 2])"]]}
SKIPPED = {"id": "76", "gold": None, "import": "import math\n", "test": [["assert one() == target"], ["assert two() == target"], ["assert False"], ["assert three() == target"]]}
STEPS = [fence("import numpy as np\ndef double(x):\n    return x + x"), fence("def pair(n):\n    return (n, [1.0, 2.0])"), fence("def named():\n    return {1.0: np.array([1, 2]), 'name': 'é', 2.0: 3.0}"), fence("from scipy.sparse import csr_matrix\ndef eye():\n    return csr_matrix(np.eye(2))")]
WRONG = [STEPS[0], fence("def pair(n):\n    return (n, [1.0, 2.5])"), "def named(): return {}", fence("def eye():\n    return 1 / 0")]
LATER = [fence("def one(): return 1"), fence("def two(): return math.sqrt(4)"), fence("def three(): return two() + 1")]
of_science = {"type": "SciCodeEvaluator", "dataset_path": "tests/fixtures/golden/scicode", "with_bg": False}
subject("sci_code", {"SciCodeEvaluator": ("datasets.scicode.SciCodeEvaluator", "science", ())},
        *(case(of_science, pairs) for pairs in ([(SOLVE, STEPS), (SKIPPED, LATER)], [(SOLVE, WRONG), (SKIPPED, LATER)], [(SOLVE, STEPS[:1]), (SKIPPED, [LATER[1], *LATER[1:]])])))

subject("ds1000", {name: (f"datasets.ds1000.{name}", "data_science", ()) for name in ("DS1000Evaluator", "DS1000ServiceEvaluator")}, *code_cases_ds1000.cases(case))
subject("code_compass", {"CodeCompassEvaluator": ("datasets.codecompass.evaluator.CodeCompassEvaluator", "code_compass", ())}, *code_cases_compass.cases(case))
