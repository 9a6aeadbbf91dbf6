"""A model of OpenCompass 0.5.4 that the program `surprisal` answers.

    from surprisal.opencompass import Surprisal
    models = [dict(type=Surprisal, abbr='name', path=DIR, max_out_len=100, batch_size=100000, run_cfg=dict(num_gpus=0))]

It stands where `HuggingFaceBaseModel` stands: prompts are texts, and perplexity, log-likelihood and truncation are OpenCompass's own.
What is asked together (`batch_size`) is answered in one process, so large batches are cheap and small ones are not. Prompts are
asked as a data set with a config of its own, which `surprisal run` reads: so the formulas are those of the program's inferencers.
"""

from __future__ import annotations

import atexit
import functools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from opencompass.models.base import BaseModel
from opencompass.utils.logging import get_logger

from surprisal.program import Program, SurprisalError, binary_path


class Surprisal(BaseModel):
    """Texts that are scored and continued by the program."""

    def __init__(
        self,
        path: str,
        max_seq_len: int | None = None,
        tokenizer_only: bool = False,
        meta_template: dict | None = None,
        generation_kwargs: dict | None = None,
        stop_words: Sequence[str] = (),
        device: str | None = None,
        threads: int | None = None,
        work_dir: str | None = None,
        binary: str | None = None,
    ):
        """`path` is a folder in Hugging Face layout, whose tokenizer tells lengths. `device`, `threads` and `work_dir` are the options
        of `surprisal run`; without `work_dir` answers are kept as long as the model. Raises TypeError for an argument that is not
        known, FileNotFoundError where the program is missing.
        """
        super().__init__(path, max_seq_len, tokenizer_only, meta_template, dict(generation_kwargs or {}))
        self.stop_words = list(stop_words)
        self.logger = get_logger()
        if work_dir is None:
            kept = tempfile.TemporaryDirectory(prefix="surprisal-")
            atexit.register(kept.cleanup)
            work_dir = kept.name
        self._work_dir = work_dir
        options = {"--device": device, "--threads": threads}
        told = [part for name, value in options.items() if value is not None for part in (name, str(value))]
        self._program = Program(binary_path(binary), str(path), told)

    def get_ppl(self, inputs: list[str], mask_length: list[int] | None = None) -> numpy.ndarray:
        """Perplexities as OpenCompass computes them: the sum of surprisals through the number of tokens, in nats.

        With `mask_length` only what stands behind so many tokens counts, through the number of tokens that are left.
        """
        scored = self._scored(inputs)
        masked = mask_length if mask_length is not None else [0] * len(scored)
        if len(masked) != len(scored):
            raise ValueError(f"{len(scored)} texts have {len(masked)} lengths to mask")
        return numpy.array([perplexity(nlls, length) for nlls, length in zip(scored, masked)])

    def get_loglikelihood(self, inputs: list[str], conts: list[str]) -> numpy.ndarray:
        """What HuggingFaceBaseModel takes for it: the negative perplexity behind as many tokens as the continuation has."""
        return -self.get_ppl(inputs, [self.get_token_len(cont, add_special_tokens=False) for cont in conts])

    def generate(
        self,
        inputs: list[str],
        max_out_len: int,
        min_out_len: int | None = None,
        stopping_criteria: Sequence[str] = (),
        **kwargs: Any,
    ) -> list[str]:
        """How texts go on, up to one that ends them."""
        inferencer = {"type": "GenInferencer", "max_out_len": max_out_len, "stopping_criteria": list(stopping_criteria)}
        if min_out_len is not None:
            inferencer["min_out_len"] = min_out_len
        rows = self._rows(inputs, inferencer, "samples", {**self.generation_kwargs, **kwargs})
        return [row["prediction"] for row in rows]

    def get_token_len(self, prompt: str, add_special_tokens: bool = True) -> int:
        """Tokens of a text, by the checkpoint's tokenizer in transformers, which OpenCompass needs anyhow."""
        return len(self.tokenizer(prompt, add_special_tokens=add_special_tokens)["input_ids"])

    @functools.cached_property
    def tokenizer(self) -> Any:
        """The checkpoint's tokenizer."""
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self.path)

    def _scored(self, inputs: Sequence[str]) -> list[list[float]]:
        """The surprisal of each token of each text in nats; 0 where nothing stands before a token."""
        scored: list[list[float]] = [[] for _ in inputs]
        for token in self._rows(inputs, {"type": "PPLOnlyInferencer"}, "tokens"):
            nats, own = token["nll_nats"], scored[token["row"]]
            if nats is None and own:
                raise SurprisalError(f"text {token['row'] + 1}: token {len(own) + 1} has no surprisal")
            own.append(0.0 if nats is None else nats)
        return scored

    def _rows(
        self, inputs: Sequence[str], inferencer: dict[str, Any], table: str, settings: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Asks all texts together, and the rows of that run's table."""
        if self.tokenizer_only:
            raise ValueError("the model is there for its tokenizer only (tokenizer_only=True)")
        if not inputs:
            return []
        if not all(isinstance(text, str) for text in inputs):
            raise TypeError("prompts are texts here; models of conversations are not for meta templates of an API")
        with tempfile.TemporaryDirectory(prefix="surprisal-") as folder:
            texts, config, told = (Path(folder, name) for name in ("texts.jsonl", "config.py", "table.jsonl"))
            texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in inputs), encoding="ascii")
            config.write_text(self._config(texts, inferencer, settings or {}), encoding="utf-8")
            run = json.loads(self._program.ask(["run", str(config), "--work-dir", self._work_dir, "--json"]))
            export = ["export", run["name"], "--work-dir", self._work_dir, "--table", table, "-o", str(told)]
            self._program.look([*export, "--format", "jsonl"])
            rows = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
        failed = run["failed_samples"]
        if failed or {row["row"] for row in rows} != set(range(len(inputs))):
            errors = [row["error"] for row in rows if row.get("error")]
            raise SurprisalError(f"texts have no answer: {'; '.join(errors[:1]) or 'they have no tokens'}; {failed} of {len(inputs)} failed")
        return rows

    def _config(self, texts: Path, inferencer: dict[str, Any], settings: dict[str, Any]) -> str:
        model = {"type": "HuggingFaceBaseModel", "abbr": "surprisal", "path": str(Path(self.path).absolute())}
        if self.max_seq_len is not None:
            model["max_seq_len"] = self.max_seq_len
        if self.stop_words:
            model["stop_words"] = self.stop_words
        if settings:
            model["generation_kwargs"] = settings
        scored = inferencer["type"] == "PPLOnlyInferencer"
        data = {
            "type": "CustomDataset",
            "abbr": "texts",
            "path": str(texts),
            "reader_cfg": {"input_columns": ["text"], "output_column": None},
            "infer_cfg": {
                "prompt_template": {"type": "PromptTemplate", "template": {"0": "{text}"} if scored else "{text}"},
                "retriever": {"type": "ZeroRetriever"},
                "inferencer": inferencer,
            },
        }
        # As JSON and back, what mmengine's configs hold is plain again.
        model, data = (json.loads(json.dumps(part)) for part in (model, data))
        return f"models = [{model!r}]\ndatasets = [{data!r}]\n"


def perplexity(nlls: Sequence[float], masked: int) -> float:
    """OpenCompass's perplexity of a text behind its first `masked` tokens: nats, through the number of tokens left."""
    left = len(nlls) - masked
    if left <= 0:
        raise ValueError(f"a text of {len(nlls)} tokens has none behind the {masked} that are masked")
    return sum(nlls[masked:]) / left
