"""Problems of contests in two tables, which a script beside them puts together."""

import json

from loader_case import Cases, parquet

CASES = Cases()
add = CASES.add

SCRIPT = '''"""Puts problems and cases together, as the script beside the real ones does."""
import json

import datasets
import pandas

COLUMNS = ["question_id", "title", "problem", "difficulty", "source", "link", "cases"]


class Config(datasets.BuilderConfig):
    def __init__(self, version="latest", difficulty=None, source=None, **more):
        super().__init__(name=version, **more)
        self.difficulty, self.source = difficulty, source


class Problems(datasets.GeneratorBasedBuilder):
    BUILDER_CONFIG_CLASS = Config

    def _info(self):
        return datasets.DatasetInfo(features=datasets.Features({name: datasets.Value("string") for name in COLUMNS}))

    def _split_generators(self, manager):
        files = manager.download({part: f"CodeCompass_v0/{part}/{part}.parquet" for part in ("problems", "cases")})
        return [datasets.SplitGenerator(name="test", gen_kwargs=files)]

    def _generate_examples(self, problems, cases):
        cases = pandas.read_parquet(cases).to_dict("records")
        for at, row in enumerate(pandas.read_parquet(problems).to_dict("records")):
            if self.config.difficulty in (None, row["difficulty"]) and self.config.source in (None, row["source"]):
                own = [case for case in cases if case["question_id"] == row["question_id"]]
                if "input" in (cases or [{}])[0]:
                    own = [{"input": case["input"], "output": case["output"]} for case in own]
                else:
                    own = [each for case in own for each in json.loads(case["cases"])]
                yield at, {**row, "cases": json.dumps(own)}
'''


def problem(number, text, difficulty="Easy", source="atcoder"):
    return {"question_id": f"q{number}", "title": f"Title {number}", "problem": text, "difficulty": difficulty, "source": source, "link": f"https://example.com/{number}"}


PROBLEMS = [
    problem(1, "Add é.\nTime Limit: 1.5 sec / Memory Limit: 1024 MB"), problem(2, "time limit:\n3s. memory limit:  64mb", "Hard"), problem(3, "", "Hard"), problem(4, "Has {braces} and Time Limit: 2000 ms, Memory Limit: 1 GB", "Medium", "codeforces"),
    problem(5, "No cases."), problem(6, "Time Limit: 1.2.3 s Time Limit: 5 s", "Hard", "codeforces"), problem(7, "Time Limit: .5 s\nMemory Limit: ٣٢ MB"), problem(8, "TIME LIMIT: 4\x1csec", None)]
SINGLE = [{"question_id": f"q{number}", "input": f"{number} {at}\n", "output": "é" * at} for at in range(3) for number in (1, 4, 3, 2, 6)] + [{"question_id": "q7", "input": "", "output": "x"}, {"question_id": "q8", "input": "\r\n", "output": "{}"}]
ODD = [{"input": 1, "output": None}, "text", {"output": [1.0, True]}, {"input": {"a": "é"}}]
LISTED = [{"question_id": "q1", "cases": json.dumps(ODD)}, {"question_id": "q2", "cases": json.dumps([{"input": "a", "output": "b", "type": "x"}])}, {"question_id": "q4", "cases": "[]"}, {"question_id": "q6", "cases": '["a"]'}]


def folder(problems, cases):
    return {f"opencompass/CodeCompass/{name}": content for name, content in (("CodeCompass.py", SCRIPT), ("CodeCompass_v0/problems/problems.parquet", parquet(*problems)), ("CodeCompass_v0/cases/cases.parquet", parquet(*cases)))}


COMPASS = "codecompass.CodeCompass.CodeCompassCodeGenerationDataset"
READ = ["prompt", "metadata"]
for more in ({}, {"difficulty": "Hard"}, {"source": "codeforces"}, {"difficulty": "Easy", "source": "atcoder"}, {"system_prompt": ""}, {"system_prompt": "Write {C++}: ", "problem_template": "<{problem}> {{}} {problem}"}):
    add(COMPASS, {"path": "opencompass/CodeCompass", **more}, folder(PROBLEMS, SINGLE), READ, "test")
add(COMPASS, {"path": "opencompass/CodeCompass"}, folder(PROBLEMS, LISTED), READ, "test")
for more in ({"difficulty": "hard"}, {"path": "opencompass/Other"}):
    add(COMPASS, {"path": "opencompass/CodeCompass", **more}, folder(PROBLEMS, SINGLE), READ, "test", fails=True)
