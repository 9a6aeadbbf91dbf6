"""Asks OpenCompass's own classes of data sets what they make of invented files.

    loaders.py PACKAGE OUTPUT

PACKAGE is the folder that holds `opencompass/`. OUTPUT gets `{"cases": [...]}`, which the test `loader_fixtures` compares
with ours: a case has an entry, files, and what the class made of them, or the error it ended in. The cases stand in
`loader_cases_*.py`; all their texts are made up. What a class's module imports and does not need here is stubbed.
"""

import contextlib
import gzip
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import math
import os
import random
import sys
import tempfile
import types
import warnings
from pathlib import Path

import datasets
import huggingface_hub
import numpy
# These look for others when they are imported, and must not find stubs.
import regex  # noqa: F401
import scipy.special  # noqa: F401
import scipy.stats  # noqa: F401
import tiktoken  # noqa: F401

PACKAGE = Path(sys.argv[1]).absolute()

# Whose stubs stay.
KEPT = ("mmengine", "opencompass")


class Stub:
    """Stands for whatever is imported and not used; as a decorator it leaves what it decorates."""

    def __init__(self, *_args, **_kwargs):
        pass

    def __call__(self, *args, **_kwargs):
        if len(args) == 1 and isinstance(args[0], (type, types.FunctionType)):
            return args[0]
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()

    def __getitem__(self, _key):
        return Stub()

    def __iter__(self):
        return iter(())

    def __or__(self, _other):
        return Stub()

    __ror__ = __or__


class StubModule(types.ModuleType):
    """A module with every name."""

    __version__ = "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last, and finds what nobody else has found."""

    def find_spec(self, name, _path, _target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def package(name, folder=None, **names):
    """A package whose `__init__` is not run."""
    module = StubModule(name)
    module.__path__ = [] if folder is None else [str(PACKAGE / folder)]
    vars(module).update(names)
    sys.modules[name] = module
    return module


@contextlib.contextmanager
def stubs():
    """Stubs for what is not there, as long as a module of the package is imported."""
    finder = StubFinder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        # Libraries look whether others were imported.
        for name, module in list(sys.modules.items()):
            if isinstance(module, StubModule) and name.split(".")[0] not in KEPT:
                del sys.modules[name]


@stubs()
def prepare():
    """Puts stubs around the classes of data sets, and the original reader and finder of paths among them."""
    sys.path.insert(0, str(PACKAGE))
    package("opencompass", "opencompass")
    package("opencompass.registry")
    utils = package("opencompass.utils", "opencompass/utils")
    package("opencompass.utils.logging", get_logger=lambda *_: Stub())
    paths = importlib.import_module("opencompass.utils.datasets")
    paths.download_dataset = not_here
    utils.get_data_path = paths.get_data_path
    # Older releases have none.
    utils.JSONToolkit = getattr(importlib.import_module("opencompass.utils.fileio"), "JSONToolkit", None)
    # A file of a repository lies in a folder of its name.
    huggingface_hub.hf_hub_download = lambda repo_id, filename, **_: str(Path(repo_id, filename))
    package("mmengine", load=lambda path: json.loads(Path(path).read_text()))
    openicl = package("opencompass.openicl")
    package("opencompass.openicl.icl_prompt_template")
    openicl.__path__ = [str(PACKAGE / "opencompass/openicl")]
    for part in ("icl_evaluator", "icl_inferencer", "icl_retriever", "utils"):
        package(f"opencompass.openicl.{part}")
    openicl.DatasetReader = importlib.import_module("opencompass.openicl.icl_dataset_reader").DatasetReader
    package("opencompass.datasets", "opencompass/datasets")


def not_here(path, *_):
    raise FileNotFoundError(path)


def local_file(folder):
    """A client of the hub that has every file in a folder."""
    return lambda repo_id, filename, repo_type: str(Path(folder, filename).absolute())


def plain(value):
    """The value as JSON holds it."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def answer(case, name):
    """What the class makes of the case's entry."""
    module, _, class_name = case["class"].rpartition(".")
    with stubs():
        made = getattr(importlib.import_module(f"opencompass.datasets.{module}"), class_name)
    if hasattr(sys.modules[made.__module__], "hf_hub_download"):
        sys.modules[made.__module__].hf_hub_download = local_file(case["entry"]["path"])
    entry = {key: value for key, value in case["entry"].items() if key not in ("type", "infer_cfg")}
    # What a class draws without a seed is drawn by us with seed 1.
    random.seed(1)
    numpy.random.seed(1)
    dataset = made(**{**entry, "abbr": name})
    read, made = dataset.reader.dataset, dataset.dataset
    counts = {split: len(rows) for split, rows in read.items()}
    return {
        "splits": len(made) if isinstance(made, datasets.Dataset) else counts,
        "train": [plain(row) for row in dataset.train],
        "test": [plain(row) for row in dataset.test],
    }


def run(case):
    """A case with what is expected of it."""
    class_name = case["class"]
    written = case.get("type", class_name.rpartition(".")[2])
    entry = {"abbr": "made_up", "type": f"opencompass.datasets.{written}", **case["entry"]}
    case = {**case, "entry": entry, "loader": written.rpartition(".")[2]}
    if written.count("."):
        case["loader"] = written
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        # Folders of two cases may have the same name.
        datasets.config.HF_DATASETS_CACHE = Path(cache)
        for name, text in case["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, dict) and "hex" in text:
                path.write_bytes(bytes.fromhex(text["hex"]))
            elif isinstance(text, dict):
                path.write_bytes(gzip.compress(text["gzip"].encode()))
            else:
                path.write_bytes(text.encode())
        os.chdir(folder)
        os.environ["COMPASS_DATA_CACHE"] = ""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                expected = answer(case, entry["abbr"])
        # Classes fail in every way.
        except Exception as error:  # noqa: BLE001
            expected = {"error": {"type": type(error).__name__, "message": str(error)[:300]}}
        os.chdir("/")
    if ("error" in expected) != case.get("fails", False):
        print(f"{case['id']}: {expected.get('error', 'an error was expected')}", file=sys.stderr)
        return None
    return {**case, "expected": expected}


def main():
    warnings.filterwarnings("ignore")
    datasets.disable_progress_bars()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    here = Path(__file__).parent
    sys.path.insert(0, str(here))
    files = sorted(here.glob("loader_cases_*.py"))
    cases = [case for file in files for case in importlib.import_module(file.stem).CASES]
    only = os.environ.get("ONLY")
    prepare()
    asked = [case for case in cases if not only or only in case["id"]]
    made = [made for made in map(run, asked) if made]
    Path(sys.argv[2]).write_text(json.dumps({"about": __doc__, "cases": made}, ensure_ascii=False))
    if len(made) < len(asked):
        sys.exit(f"{len(asked) - len(made)} cases are not what they are said to be")
    print(f"{len(made)} cases of {len({case['loader'] for case in made})} classes")


if __name__ == "__main__":
    main()
