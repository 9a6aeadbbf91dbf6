"""Asks OpenCompass's own evaluators with a judge what they show it and what they make of its replies.

    judges.py PACKAGE OUTPUT

PACKAGE is the folder that holds `opencompass/`. OUTPUT gets the cases of `judge_cases.py` with the prompts that the judge
read and the results; the test `golden_judges` compares them with ours. All texts are made up. Besides what `loaders.py`
needs it takes scikit-learn.
"""

import contextlib
import copy
import importlib
import io
import json
import sys
import tempfile
import types
import warnings
from pathlib import Path

import datasets
import numpy
import pandas  # noqa: F401
import sklearn.linear_model  # noqa: F401

sys.path.insert(0, str(Path(__file__).parent))

import loaders  # noqa: E402

# Where the rules for replies are.
MODULES = (
    "advancedIF chem_exam chinese_simpleqa generic inverse_ifeval matbench.post_process "
    "subjective.alignbench subjective.alpacaeval subjective.arena_hard subjective.commonbench subjective.compass_arena "
    "subjective.compass_arena_subjective_bench subjective.elbench subjective.fofo subjective.followbench "
    "subjective.hellobench subjective.mtbench subjective.mtbench101 subjective.wildbench subjective.writingbench"
).split()


class Registry:
    """Keeps classes and functions by their names."""

    def __init__(self):
        self.known = {}

    def register_module(self, *_args, **_kwargs):
        def register(value):
            self.known[value.__name__] = value
            return value

        return register

    def get(self, name):
        return self.known.get(name) or self.rule(name)

    @staticmethod
    def rule(name):
        for module in MODULES:
            found = vars(importlib.import_module(f"opencompass.datasets.{module}")).get(name)
            if isinstance(found, types.FunctionType):
                return found
        raise KeyError(name)

    def build(self, config):
        config = dict(config)
        return self.known[config.pop("type")](**config)


class Judge:
    """Stands for the inferencer: its replies are those of the case."""

    replies, prompts = [], []

    def __init__(self, _model, output_json_filepath, output_json_filename, **_kwargs):
        self.path = Path(output_json_filepath, output_json_filename)

    def inference(self, retriever, prompt_template):
        reader = retriever.dataset_reader
        golds = reader.dataset["test"][reader.output_column]
        entries = {}
        for index, _ in enumerate(retriever.retrieve()):
            prompt = retriever.generate_prompt_for_generate_task(index, "", prompt_template=prompt_template)
            self.prompts.append(prompt)
            entry = {"origin_prompt": prompt, "prediction": self.replies[index]}
            if golds[index]:
                entry["gold"] = golds[index]
            entries[str(index)] = entry
        self.path.write_text(json.dumps(entries))


def prepare():
    """Puts the original evaluators, retriever and templates among the stubs."""
    loaders.prepare()
    templates, rules = Registry(), Registry()
    with loaders.stubs():
        registry = sys.modules["opencompass.registry"]
        registry.ICL_PROMPT_TEMPLATES, registry.DICT_POSTPROCESSORS = templates, rules
        registry.TEXT_POSTPROCESSORS = Registry()
        utils = sys.modules["opencompass.utils"]
        utils.build_model_from_cfg = lambda model_cfg: None
        utils.build_dataset_from_cfg = lambda dataset_cfg: rows_of(dataset_cfg["rows"])
        importlib.import_module("opencompass.utils.prompt")
        loaders.package("opencompass.utils.types", _check_type_list=lambda value, _: value, _check_dict=lambda value: value)
        del sys.modules["opencompass.openicl.icl_prompt_template"]
        importlib.import_module("opencompass.openicl.icl_prompt_template")
        for part in ("icl_evaluator", "icl_retriever"):
            loaders.package(f"opencompass.openicl.{part}", f"opencompass/openicl/{part}")
        base = importlib.import_module("opencompass.openicl.icl_retriever.icl_base_retriever")
        sys.modules["opencompass.openicl.icl_retriever"].BaseRetriever = base.BaseRetriever
        zero = importlib.import_module("opencompass.openicl.icl_retriever.icl_zero_retriever")
        sys.modules["opencompass.openicl.icl_retriever"].ZeroRetriever = zero.ZeroRetriever
        base = importlib.import_module("opencompass.openicl.icl_evaluator.icl_base_evaluator")
        sys.modules["opencompass.openicl.icl_evaluator"].BaseEvaluator = base.BaseEvaluator
        sys.modules["opencompass.openicl.icl_inferencer"].GenInferencer = Judge
        datasets_package = sys.modules["opencompass.datasets"]
        datasets_package.BaseDataset = importlib.import_module("opencompass.datasets.base").BaseDataset


def rows_of(rows):
    """A data set of these rows."""

    class Made(sys.modules["opencompass.datasets"].BaseDataset):
        @staticmethod
        def load():
            return datasets.Dataset.from_list(rows)

    columns = list(rows[0])
    return Made(reader_cfg={"input_columns": columns, "output_column": columns[-1]}, abbr="unit")


def asked(case, folder):
    """The results of the case's evaluator."""
    config = copy.deepcopy(case["evaluator"])
    comparison = config.pop("comparison", {})
    kind = config.pop("type")
    rows = case["test_set"]
    dataset = {"rows": rows}
    if comparison.get("base_models"):
        dataset["base_models"] = [{"abbr": abbr} for abbr in comparison["base_models"]]
    predictions, references = case["predictions"], copy.deepcopy(case["references"])
    if kind == "GenericLLMEvaluator":
        module = importlib.import_module("opencompass.evaluator.generic_llm_evaluator")
        evaluator = module.GenericLLMEvaluator(**{**config, "judge_cfg": {"path": "x"}, "dataset_cfg": {}})
        evaluator._out_dir = str(Path(folder, "out"))
        table = datasets.Dataset.from_list(rows)
        return evaluator.evaluate(k=1, n=1, original_dataset=table, predictions=predictions, references=references, test_set=table)
    module = importlib.import_module("opencompass.openicl.icl_evaluator.lm_evaluator")
    evaluator = module.LMEvaluator(**config, output_path=str(Path(folder, "out.json")), dataset_cfg=dataset)
    if not comparison:
        return evaluator.score({"model_name": "tiny", "model_preds": predictions}, references=references)
    base = comparison["base_models"][0]
    given = [row["base_predictions"][0]["prediction"] for row in rows]
    pair = [{"model_name": base, "model_preds": given}, {"model_name": case["model"], "model_preds": predictions}]
    return evaluator.score(pair, references=references, infer_order=comparison.get("infer_order"))


def plain(value):
    """The value as JSON holds it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, numpy.generic) else value


def run(case):
    """A case with what is expected of it."""
    case["evaluator"].setdefault("judge_cfg", {})
    Judge.replies, Judge.prompts = case["replies"], []
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), loaders.stubs():
        try:
            expected = plain(asked(case, folder))
        # Rules fail in every way.
        except Exception as error:  # noqa: BLE001
            expected = {"error": f"{type(error).__name__}: {error}"}
    if ("error" in expected) != case.pop("fails", False):
        print(f"{case['id']}: {expected.get('error', 'an error was expected')}", file=sys.stderr)
    return {**case, "prompts": Judge.prompts, "expected": expected}


def main():
    warnings.filterwarnings("ignore")
    datasets.disable_progress_bars()
    prepare()
    loaders.package("opencompass.evaluator", "opencompass/evaluator")
    loaders.package("opencompass.datasets.subjective", "opencompass/datasets/subjective")
    from judge_cases import CASES

    made = [run(case) for case in CASES]
    Path(sys.argv[2]).write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    print(f"{len(made)} cases")


if __name__ == "__main__":
    main()
