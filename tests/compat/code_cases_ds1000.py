"""Invented problems of data science, with the folders that they read, and answers to them."""

import json

CONTEXT = """import argparse, pickle
parser = argparse.ArgumentParser()
parser.add_argument("--test_case", type=int, default=1)
case = parser.parse_args().test_case
with open(f"input/input{case}.pkl", "rb") as file:
    numbers = pickle.load(file)
[insert]
with open(f"result/result_{case}.pkl", "wb") as file:
    pickle.dump(total, file)
"""
TEST = "def test(result, ans):\n    return 1 if result == ans else 0\n"
NO_LOOP = "import ast\n\n" + TEST + '\ndef stringTest(code):\n    assert not any(isinstance(node, ast.For) for node in ast.walk(ast.parse(code)))\n    return "sum" in code\n'
NUMPY = "import numpy as np\n\ndef test(result, ans):\n    try:\n        np.testing.assert_allclose(result, ans)\n        return 1\n    except AssertionError:\n        return 0\n"
FOLDER = "tests/fixtures/golden/ds1000"

# What each problem's test is, and the pairs of what goes in and what is to come out.
PROBLEMS = {"q0": (TEST, [([1, 2, 3], 6), ([4.5, 0.5], 5.0)]), "q1": (NO_LOOP, [([7, 8], 15)]), "q2": (NUMPY, [([1, 2], 1.5), ([0, 0, 1], 1 / 3)])}


def problem(name, kind, count, before=""):
    return {"gold": {"problem_path": f"{FOLDER}/{name}", "code_context": before + CONTEXT, "test_case_cnt": str(count), "test_type": str(kind)}}


SUM, LOOP, MEAN = problem("q0", 1, 2), problem("q1", 3, 0), problem("q2", 2, 2, "import numpy as np\n")
SUMS = ["total = sum(numbers)", "total = 6", "total = 5", "total = len(numbers)", "total = 1 / 0", "exit()", "import sys\nsys.exit(3)", "total = [", "",
        "total = sum(numbers)\nprint('é' * 70000)", "class Own(int):\n    pass\ntotal = Own(sum(numbers))", "total = lambda: 1", "raise SystemExit",
        "with open(f'result/result_{case}.pkl', 'wb') as file:\n    pickle.dump(sum(numbers), file)\nimport os\nfile.close()\nos.kill(os.getpid(), 9)",
        "import os\nos.kill(os.getpid(), 9)", "open('made.txt', 'w').write('x')\ntotal = sum(numbers) if open('test_code.py').read() else 0"]
LOOPS = ["total = sum(numbers)", "total = 0\nfor one in numbers:\n    total += one", "for one in numbers: print(one)\ntotal = sum(numbers)",
         "for one in numbers: print(one)\nfor one in numbers: print(one)\ntotal = sum(numbers)", "total = 15", "total = 0", "total = 15  # print",
         "total = (\n    print(1) or\n    15)", "print(1)\ntotal = 15\nprint('#')"]
MEANS = ["total = np.mean(numbers)", "total = sum(numbers) / len(numbers)", "total = np.array(numbers)", "total = np.float32(np.mean(numbers))", "total = None"]
SENT = ["<code>total = sum(numbers)</code>", "total = sum(numbers)</code> and so on", "```python\ntotal = sum(numbers)\n```", "Here:\n```\ntotal = sum(numbers)\n```\nDone.",
        "BEGIN SOLUTION\ntotal = sum(numbers)\nEND SOLUTION", "</code>\n<code>total = sum(numbers)</code>", "<code>```python\ntotal = sum(numbers)```</code>",
        "total = sum(numbers)\n" + "#" * 9979, "total = sum(numbers)\n" + "#" * 9980, "total = sum(numbers)\nsavefig", "total = sum(numbers)\nplt.show()\n"]


def cases(case):
    """The cases, as `case` writes one down."""
    own, service = {"type": "DS1000Evaluator"}, {"type": "DS1000ServiceEvaluator", "ip_address": "localhost", "port": 5000}
    of = lambda row, answers: [(row, answer) for answer in answers]
    # As many of each as make their share a short number: the service rounds it.
    made = [case(own, of(row, answers)) for row, answers in ((SUM, SUMS), (LOOP, LOOPS), (MEAN, MEANS))]
    made += [case(own, [pair]) for row, answers in ((SUM, SUMS[:14]), (LOOP, LOOPS)) for pair in of(row, answers)]
    made.append(case({**own, "num_workers": 2}, [(SUM, SUMS[0]), (LOOP, LOOPS[1])]))
    made += [case({**service, "lib": library}, of(SUM, [answer])) for library in ("Pandas", "Matplotlib") for answer in SENT]
    made.append(case({"type": "DS1000ServiceEvaluator", "lib": "Numpy"}, of(SUM, SENT[:8])))
    return json.loads(json.dumps(made))
