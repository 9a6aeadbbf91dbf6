"""Asks OpenCompass's own evaluators with a judge what they show it and what they make of its replies.

    judges.py PACKAGE OUTPUT

PACKAGE is the folder that holds `opencompass/`. OUTPUT gets the cases of `judge_cases.py` and `judge_cases_own.py` with the prompts that the judge
read and the results; the test `golden_judges` compares them with ours. All texts are made up. Besides what `loaders.py`
needs it takes scikit-learn.
"""

import contextlib
import copy
import importlib
import io
import json
import math
import os
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
    "advancedIF atlas.evaluation chem_exam chinese_simpleqa generic inverse_ifeval matbench.post_process "
    "subjective.alignbench subjective.alpacaeval subjective.arena_hard subjective.commonbench subjective.compass_arena "
    "subjective.compass_arena_subjective_bench subjective.elbench subjective.fofo subjective.followbench "
    "subjective.hellobench subjective.mtbench subjective.mtbench101 subjective.wildbench subjective.writingbench"
).split()


# Where the evaluators are, and those that ask nobody.
WHERE = {
    "LMEvaluator": "openicl.icl_evaluator.lm_evaluator",
    "GenericLLMEvaluator": "evaluator.generic_llm_evaluator",
    "ATLASLLMEvaluator": "datasets.atlas.evaluation",
    "CharmMemoryEvaluator": "datasets.charm",
    "FakeAlignmentJudgeEvaluator": "datasets.fake_alignment.fake_alignment",
    "GaoKaoMATHEvaluator": "datasets.gaokao_math",
    "HealthBenchEvaluator": "datasets.healthbench.healthbench",
    "JudgeEvaluator": "openicl.icl_evaluator.icl_judge_evaluator",
    "PEER_Evaluator": "datasets.SciReasoner.PEER",
}
PLAIN = ("FakeAlignmentJudgeEvaluator", "GaoKaoMATHEvaluator", "HealthBenchEvaluator", "JudgeEvaluator", "PEER_Evaluator")

# The prompts of modules in whose place those of a case stand.
PROMPTS = {
    "FakeAlignmentJudgeEvaluator": {"prompt": "OFFICIAL_SAFETY_JUDGE_PROMPT"},
    "GaoKaoMATHEvaluator": {"prompt": "EVAL_PROMPT", "post_prompt": ("POST_PROMPT_EN", "POST_PROMPT_CN")},
    "HealthBenchEvaluator": {"prompt": "GRADER_TEMPLATE"},
}


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
        if config["type"] not in self.known:
            importlib.import_module("opencompass.datasets.inverse_ifeval")
        return self.known[config.pop("type")](**config)


class Served(Registry):
    """Stands for models that are served: their replies are those of the case."""

    def build(self, _config):
        return self

    def generate(self, inputs, **_kwargs):
        Judge.prompts += [shown(prompt) for prompt in inputs]
        given, Judge.replies = Judge.replies[: len(inputs)], Judge.replies[len(inputs) :]
        return given

    def create(self, messages, **_kwargs):
        """Stands for the client of a service."""
        message = types.SimpleNamespace(content=self.generate([messages])[0])
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)], usage=None)


def shown(prompt):
    """What the judge reads, whatever form it has."""
    return prompt if isinstance(prompt, str) else "".join(message["content"] for message in prompt)


class Judge:
    """Stands for the inferencer: its replies are those of the case."""

    replies, prompts = [], []

    def __init__(self, _model, output_json_filepath, output_json_filename, **_kwargs):
        self.path = Path(output_json_filepath, output_json_filename)
        self.output_json_filepath, self.output_json_filename = output_json_filepath, output_json_filename

    def inference(self, retriever, prompt_template):
        reader = retriever.dataset_reader
        golds = reader.dataset["test"][reader.output_column]
        entries = {}
        for index, _ in enumerate(retriever.retrieve()):
            prompt = retriever.generate_prompt_for_generate_task(index, "", prompt_template=prompt_template)
            self.prompts.append(shown(prompt))
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
        registry.TEXT_POSTPROCESSORS, registry.MODELS = Registry(), Served()
        utils = sys.modules["opencompass.utils"]
        utils.build_model_from_cfg = lambda model_cfg: None
        utils.build_dataset_from_cfg = lambda dataset_cfg: rows_of(dataset_cfg["rows"], dataset_cfg.get("inputs"))
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
        sys.modules["opencompass.openicl"].BaseEvaluator = base.BaseEvaluator
        sys.modules["opencompass.openicl.icl_inferencer"].GenInferencer = Judge
        marked = importlib.import_module("opencompass.openicl.icl_evaluator.lm_evaluator")
        sys.modules["opencompass.openicl.icl_evaluator"].LMEvaluator = marked.LMEvaluator
        datasets_package = sys.modules["opencompass.datasets"]
        datasets_package.BaseDataset = importlib.import_module("opencompass.datasets.base").BaseDataset


def rows_of(rows, inputs=None):
    """A data set of these rows."""

    class Made(sys.modules["opencompass.datasets"].BaseDataset):
        @staticmethod
        def load():
            return datasets.Dataset.from_list(rows)

    columns = list(rows[0])
    return Made(reader_cfg={"input_columns": inputs or columns, "output_column": columns[-1]}, abbr="unit")


def asked(case, folder):
    """The results of the case's evaluator."""
    config = copy.deepcopy(case["evaluator"])
    comparison = config.pop("comparison", {})
    kind = config.pop("type")
    if kind not in PLAIN:
        config.setdefault("judge_cfg", {})
    rows = case["test_set"]
    dataset = {"rows": rows, "inputs": case.get("inputs")}
    if comparison.get("base_models"):
        dataset["base_models"] = [{"abbr": abbr} for abbr in comparison["base_models"]]
    predictions, references = case["predictions"], copy.deepcopy(case["references"])
    module = importlib.import_module(f"opencompass.{WHERE[kind]}")
    made = getattr(module, kind)
    # What a case brings takes the place of what stands in the module.
    for field, names in PROMPTS.get(kind, {}).items():
        if field in config:
            prompt = config.pop(field)
            for name in [names] if isinstance(names, str) else names:
                setattr(module, name, prompt)
    if kind == "FakeAlignmentJudgeEvaluator":
        config["judge_model_cfg"] = {"path": "x"}
        module.build_model_from_cfg = lambda _config: Served()
    if kind == "HealthBenchEvaluator":
        sampler = sys.modules["opencompass.datasets.healthbench.sampler.chat_completion_sampler"]
        completions = types.SimpleNamespace(completions=Served())
        sampler.OpenAI = lambda **_kwargs: types.SimpleNamespace(chat=completions)
    if "weights" in config.get("dict_postprocessor", {}):
        weighing = importlib.import_module("opencompass.datasets.subjective.hellobench")
        weighing.REGRESSION_DICT = config["dict_postprocessor"].pop("weights")
    if kind in PLAIN:
        evaluator = made(**config)
    elif kind in ("GenericLLMEvaluator", "ATLASLLMEvaluator"):
        evaluator = made(**{"judge_cfg": {"path": "x"}, "dataset_cfg": {}, **{key: value for key, value in config.items() if value}})
    if "LMEvaluator" in (kind, made.__base__.__name__):
        pass
    else:
        evaluator._out_dir = str(Path(folder, "out"))
        table = datasets.Dataset.from_list(rows)
        more = {} if kind in PLAIN else {"test_set": table}
        if kind in PROMPTS:
            more = {"test_set": table}
        if "origin_prompts" in case:
            more["origin_prompt"] = case["origin_prompts"]
        return evaluator.evaluate(k=1, n=1, original_dataset=table, predictions=predictions, references=references, **more)
    evaluator = made(**config, output_path=str(Path(folder, "out.json")), dataset_cfg=dataset)
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
    value = value.item() if isinstance(value, numpy.generic) else value
    return None if isinstance(value, float) and math.isnan(value) else value


def run(case):
    """A case with what is expected of it."""
    Judge.replies, Judge.prompts = case["replies"], []
    # Libraries look what was imported, and must not find the stubs that a module brings.
    with loaders.stubs():
        importlib.import_module(f"opencompass.{WHERE[case['evaluator']['type']]}")
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
    for part in ("SciReasoner", "atlas", "fake_alignment", "healthbench", "subjective"):
        loaders.package(f"opencompass.datasets.{part}", f"opencompass/datasets/{part}")
    # The judge of a service is named there, and its criteria are asked one after another.
    os.environ |= {"OC_JUDGE_MODEL": "x", "debug": "1"}
    from judge_cases import CASES

    importlib.import_module("judge_cases_own")
    made = [run(case) for case in CASES]
    Path(sys.argv[2]).write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    print(f"{len(made)} cases")


if __name__ == "__main__":
    main()
