"""Programs of contests, in releases and out of a hub."""

import base64
import io
import json
import pickle
import zlib

import pyarrow
from loader_case import Cases, lines, repository

CASES = Cases()
add = CASES.add

SCRIPT = '''"""Reads the files of a release, as the script beside the real ones does."""
import json

import datasets

ALLOWED_FILES = {"release_v1": ["test.jsonl"], "release_v2": ["test.jsonl", "test2.jsonl"], "v2": ["test2.jsonl"], "release_split": ["test2.jsonl"]}
COLUMNS = ["question_content", "question_id", "contest_date", "starter_code", "public_test_cases", "private_test_cases", "metadata"]


class Config(datasets.BuilderConfig):
    def __init__(self, version_tag="release_v1", **more):
        super().__init__(name=version_tag, **more)
        self.version_tag = version_tag


class Problems(datasets.GeneratorBasedBuilder):
    BUILDER_CONFIG_CLASS = Config

    def _info(self):
        return datasets.DatasetInfo(features=datasets.Features({name: datasets.Value("string") for name in COLUMNS}))

    def _split_generators(self, manager):
        files = manager.download(ALLOWED_FILES[self.config.version_tag])
        return [datasets.SplitGenerator(name="test", gen_kwargs={"files": files})]

    def _generate_examples(self, files):
        rows = [json.loads(line) for file in files for line in open(file, encoding="utf-8")]
        yield from enumerate(rows)
'''


def packed(tests, protocol):
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests), protocol))).decode()


def problem(number, private, starter="", date="2024-05-01T00:00:00", **about):
    tests = [{"input": f"{number}\n", "output": "é", "testtype": "stdin"}]
    return {"question_content": f"Write {number}.", "question_id": f"q{number}", "contest_date": date, "starter_code": starter,
            "public_test_cases": json.dumps(tests), "private_test_cases": private, "metadata": json.dumps(about)}


HIDDEN = [{"input": "[1]\n2", "output": "3", "testtype": "functional"}]
FIRST = [problem(1, json.dumps(HIDDEN)), problem(2, packed(HIDDEN, 2), "class Solution:\n    def f(self): pass", func_name="f"), problem(3, packed(HIDDEN * 40, 4), date="2024-06-01T10:00:00"), problem(4, packed([], 3), date="2024-07-01T00:00:00")]
SECOND = [problem(5, packed(HIDDEN, 5), date="2024-08-01T00:00:00")]
FOLDER = "data/code_generation_lite"
FILES = {f"{FOLDER}/code_generation_lite.py": SCRIPT, f"{FOLDER}/test.jsonl": lines(*FIRST), f"{FOLDER}/test2.jsonl": lines(*SECOND)}
LITE = "livecodebench.livecodebench.LCBCodeGenerationDataset"
READ = ["question_content", "format_prompt", "question_id"]
for more in ({}, {"release_version": "release_v2"}, {"release_version": "release_split"}, {"release_version": "v2"}, {"start_date": "2024-06-01"}, {"end_date": "2024-07-01"}, {"start_date": "2024-05-02", "end_date": "2024-06-02", "release_version": "release_v2"}):
    add(LITE, {"path": "opencompass/code_generation_lite", **more}, FILES, READ, "test")
add(LITE, {"path": "opencompass/code_generation_lite", "release_version": "odd"}, FILES, READ, "test", fails=True)
for broken in (problem(1, "not packed"), problem(1, packed(HIDDEN, 2)) | {"metadata": "["}, {"question_content": "x"}):
    add(LITE, {"path": "opencompass/code_generation_lite"}, {**FILES, f"{FOLDER}/test.jsonl": lines(broken)}, READ, "test", fails=True)

RUN = [{"question_id": "a", "code": "def f(x):\n    return x", "input": "f(x = 1)", "output": "1", "difficulty": "easy"}, {"question_id": "b", "code": "def g():\n    return {'a': 'é'}", "input": "g()", "output": "{'a': 'é'}", "difficulty": "hard"}]
EXECUTION = "livecodebench.livecodebench.LCBCodeExecutionDataset"
for more in ({}, {"cot": True}):
    add(EXECUTION, {"path": "opencompass/execution-v2", **more}, repository("data/execution-v2", default={"test": RUN}), ["prompt", "evaluation_sample"], "test")
add(EXECUTION, {"path": "opencompass/execution-v2"}, repository("data/execution-v2", default={"test": [{"code": "x"}]}), ["prompt", "evaluation_sample"], "test", fails=True)

START = "class Solution:\n    def total(self, xs: List[int], k: int) -> int:\n        pass\n"
TESTS = [{"input": "[1, 2]\n3", "output": "6", "testtype": "functional"}, {"input": "[]", "output": "0", "testtype": "functional"}]
OUTPUT = [{"question_content": "Add {all} é.\n", "starter_code": START, "test": json.dumps(TESTS), "n": 1}, {"question_content": "x", "starter_code": "y = 1", "test": json.dumps(TESTS[1:]), "n": 2}]
TEST_OUTPUT = "livecodebench.livecodebench.LCBTestOutputPredictionDataset"
add(TEST_OUTPUT, {"path": "opencompass/test_generation"}, repository("data/test_generation", default={"test": OUTPUT}), ["prompt", "evaluation_sample"], "test")
for broken in ({"starter_code": "def f(:"}, {"starter_code": "def f():\n    pass\ndef g():\n    pass"}, {"test": "[]"}, {"test": "["}):
    add(TEST_OUTPUT, {"path": "opencompass/test_generation"}, repository("data/test_generation", default={"test": [{**OUTPUT[0], **broken}]}), ["prompt", "evaluation_sample"], "test", fails=True)


def arrow(rows, schema=None):
    """Rows as a stream of Arrow's, in batches of two."""
    file, table = io.BytesIO(), pyarrow.Table.from_pylist(rows, schema)
    with pyarrow.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    return {"hex": file.getvalue().hex()}


TACO = "taco.TACODataset"
PROBLEMS = [{"question": f"Write {number}.", "difficulty": ["EASY", "HARD"][number % 2], "starter_code": ["", "def f(é):"][number == 3], "input_output": ["{}", '{"fn_name": "f", "inputs": []}', "[broken", '{"inputs": ["1"], "outputs": ["2"]}', '{"fn_name": ""}'][number], "date": None if number else "x", "n": number - 2, "share": number / 3, "is_new": number > 2} for number in range(5)]
LARGE = pyarrow.schema([("question", pyarrow.large_string()), ("difficulty", pyarrow.string()), ("starter_code", pyarrow.string()), ("input_output", pyarrow.string()), ("date", pyarrow.null()), ("n", pyarrow.int16()), ("share", pyarrow.float32()), ("is_new", pyarrow.bool_())])
WHERE = "BAAI/TACO/test/data-00000-of-00001.arrow"
for more in ({}, {"difficulty": "EASY"}, {"num_repeats": 2, "difficulty": "HARD"}):
    add(TACO, {"path": "BAAI/TACO", **more}, {WHERE: arrow(PROBLEMS)}, ["question", "starter", "problem_id"], "test")
add(TACO, {"path": "BAAI/TACO"}, {WHERE: arrow([{**row, "date": None, "share": 0.5} for row in PROBLEMS], LARGE)}, ["question", "starter", "problem_id"], "test")
add(TACO, {"path": "BAAI/OTHER"}, {WHERE: arrow(PROBLEMS)}, ["question", "starter", "problem_id"], "test", fails=True)
add(TACO, {"path": "BAAI/TACO"}, {WHERE: {"hex": "41"}}, ["question", "starter", "problem_id"], "test", fails=True)

MINI = [{"problem_id": number, "question": f"q{number}", "starter_code": row["starter_code"], "input_output": row["input_output"]} for number, row in enumerate(PROBLEMS)]
SAVED = {"data/apps_mini/dataset_dict.json": json.dumps({"splits": ["test"]}), "data/apps_mini/test/state.json": json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_fingerprint": "x", "_format_columns": None, "_format_kwargs": {}, "_format_type": None, "_output_all_columns": False, "_split": "test"}), "data/apps_mini/test/dataset_info.json": "{}"}
for more in ({}, {"num_repeats": 2}):
    add("apps.APPS_miniDataset", {"path": "data/apps_mini", **more}, {**SAVED, "data/apps_mini/test/data-00000-of-00001.arrow": arrow(MINI)}, ["question", "starter", "problem_id"], "test")
add("apps.APPS_miniDataset", {"path": "data/apps_mini"}, {}, ["question", "starter", "problem_id"], "test", fails=True)

SETTINGS = "# made up\n[library]\nlib = {0}\n\n[test]\nTest_Type: 1\ntest_case_cnt =2\n; more\nx=1 = 2\n\n[perturbation]\nperturbation_type = Origin\nperturbation_origin_id = {1}\nother =\n"


def data_science(library, number, mode="Insertion", left_out=None, settings=SETTINGS):
    """A problem's folder; lines end as on other systems in one file."""
    texts = {".cfg": settings.format(library, number), "reference_code.txt": f"x = {number}\n", "test_code.py": "def test(result, ans):\r\n    return 1\r\n",
             "code_context.txt": "[insert]\nprint(x)\n", "test_generate_pickle.py": "pass", "prompt.txt": f"Problem é {number}\nA:\n<code>\n"}
    return {f"data/ds1000_data/{library}/{mode}/q{number}/{name}": text for name, text in texts.items() if name != left_out}


DS1000 = "ds1000.DS1000Dataset"
LIBRARIES = ["Pandas", "Numpy", "Matplotlib", "Tensorflow", "Scipy", "Sklearn", "Pytorch"]
PANDAS = {**data_science("Pandas", 10), **data_science("Pandas", 2), **data_science("Pandas", 0)}
EVERY = {**PANDAS, **{name: text for at, library in enumerate(LIBRARIES[1:]) for name, text in data_science(library, at).items()}}
ABOUT = ["prompt", "lib", "perturbation_type", "perturbation_origin_id", "test_column"]
for more in ({"libs": "Pandas"}, {"libs": "Pandas", "mode": "Insertion"}, {"libs": ["Scipy", "Pandas"]}, {}, {"libs": None}, {"libs": []}):
    add(DS1000, {"path": "./data/ds1000_data/", **more}, EVERY, ABOUT, "test")
add(DS1000, {"path": "data/ds1000_data", "libs": "Numpy", "mode": "Completion"}, data_science("Numpy", 7, "Completion"), ABOUT, "test")
for more, files in (({"libs": "pandas"}, EVERY), ({"libs": ""}, EVERY), ({"libs": "Pandas", "mode": "Odd"}, EVERY), ({}, PANDAS), ({"libs": "Pandas"}, {**PANDAS, "data/ds1000_data/Pandas/Insertion/notes.txt": "x"}),
                    ({"libs": "Pandas"}, data_science("Pandas", 1, left_out="prompt.txt")), ({"libs": "Pandas"}, data_science("Pandas", 1, left_out=".cfg")),
                    ({"libs": "Pandas"}, data_science("Pandas", 1, settings="[library]\nlib = {0}\n"))):
    add(DS1000, {"path": "./data/ds1000_data/", **more}, files, ABOUT, "test", fails=True)
