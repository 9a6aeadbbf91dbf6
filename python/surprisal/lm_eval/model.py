"""The model `surprisal` of lm-evaluation-harness."""

from __future__ import annotations

import atexit
import logging
import tempfile
from collections.abc import Callable
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

import surprisal
from surprisal.conversations import ChatTemplate
from surprisal.lm_eval.arguments import device_name, program_options, refuse_unknown
from surprisal.program import Program, SurprisalError, binary_path
from surprisal.requests import answered, log_likelihood, with_draws

logger = logging.getLogger(__name__)


@register_model("surprisal")
class SurprisalLM(LM):
    """Answers lm-eval's requests by the program `surprisal`, all requests of a call in one process."""

    def __init__(
        self,
        pretrained: str,
        revision: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        threads: int | None = None,
        batch_tokens: int | None = None,
        kv_bytes: int | str | None = None,
        work_dir: str | None = None,
        binary: str | None = None,
        enable_thinking: bool | None = None,
        chat_template_args: dict[str, Any] | None = None,
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        trust_remote_code: bool | None = None,
        **others: Any,
    ) -> None:
        """Finds the program; weights are read when something is asked.

        `pretrained` is a folder, a GGUF file or org/name on the hub, with a `revision` there. `work_dir` keeps answers for later
        runs; without it they are kept as long as the model. `batch_size` and `max_batch_size` are taken and mean nothing, because
        forward passes are made by tokens (`batch_tokens`). Raises ValueError for an argument that is not known or cannot be
        followed, FileNotFoundError where the program is missing.
        """
        super().__init__()
        refuse_unknown(others)
        if enable_thinking:
            raise ValueError("enable_thinking=True: what a model thinks is not parted from its answers here; leave it out")
        if batch_size not in (None, 1, "1") or max_batch_size is not None:
            logger.info("surprisal: batch sizes are not read; forward passes are made by tokens, see batch_tokens")
        if trust_remote_code:
            logger.warning("surprisal: trust_remote_code has no effect on the model; no code of a checkpoint is run")
        self.pretrained = f"{pretrained}@{revision}" if revision else str(pretrained)
        self._device = device_name(device)
        if work_dir is None:
            kept = tempfile.TemporaryDirectory(prefix="surprisal-")
            atexit.register(kept.cleanup)
            work_dir = kept.name
        options = program_options(
            device=self._device,
            dtype=dtype,
            threads=threads,
            batch_tokens=batch_tokens,
            kv_bytes=kv_bytes,
            work_dir=work_dir,
        )
        self._program = Program(binary_path(binary), self.pretrained, options)
        self._template_variables = dict(chat_template_args or {})
        if enable_thinking is not None:
            self._template_variables["enable_thinking"] = enable_thinking
        self._template: ChatTemplate | None = None
        self._use_template(None)

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """How likely continuations are after their contexts, in nats, and whether they are what the model would write."""
        pairs = [texts(request, 2) for request in requests]
        asked = [{"context": context, "continuation": continuation} for context, continuation in pairs]
        return self._answered("loglikelihood", pairs, asked, lambda answer: (log_likelihood(answer), bool(answer["is_greedy"])))

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        """How likely whole texts are, in nats, cut as lm-eval cuts them."""
        documents = [texts(request, 1) for request in requests]
        return self._answered("loglikelihood_rolling", documents, [{"text": text} for (text,) in documents], log_likelihood)

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """How texts go on. The same request drawn several times is told apart, so that each draw has a seed of its own."""
        prompts = [arguments(request, 2) for request in requests]
        asked = []
        for context, settings in prompts:
            wrong = {"id", "idx", "subdivision", "context", "continuation", "text", "draw"}.intersection(settings)
            if wrong:
                raise ValueError(f"generation_kwargs: {', '.join(sorted(wrong))} is not known")
            asked.append({**settings, "context": context})
        return self._answered("generate_until", prompts, with_draws(asked), lambda answer: answer["text"])

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """The text of a conversation. One that the template refuses is tried without what the system says, as lm-eval does."""
        try:
            return self._template.text(chat_history, add_generation_prompt)
        except SurprisalError as error:
            rest = [message for message in chat_history if message["role"] != "system"]
            if len(rest) == len(chat_history):
                raise
            logger.warning("surprisal: the chat template fails (%s); it is applied without the system's message", error)
            return self._template.text(rest, add_generation_prompt)

    def chat_template(self, chat_template: bool | str = False) -> str | None:
        """Chooses the template by its name, or the checkpoint's own, and gives its source."""
        if chat_template is False or chat_template is None:
            return None
        self._use_template(chat_template if isinstance(chat_template, str) else None)
        return self._template.source()

    @property
    def tokenizer_name(self) -> str:
        """What lm-eval knows requests with templates by."""
        return self.pretrained.replace("/", "__")

    def get_model_info(self) -> dict[str, str]:
        """What lm-eval keeps beside the figures."""
        return {"surprisal_binary": self._program.binary, "surprisal_package": surprisal.__version__}

    def _use_template(self, name: str | None) -> None:
        if self._template is not None:
            self._template.close()
        self._template = ChatTemplate(self._program.binary, self.pretrained, name, self._template_variables)
        atexit.register(self._template.close)

    def _answered(self, kind: str, given: list[tuple], asked: list[dict], value: Callable[[dict], Any]) -> list[Any]:
        values = [value(answer) for answer in answered(self._program, asked)]
        for own, found in zip(given, values, strict=True):
            self.cache_hook.add_partial(kind, own, found)
        return values


def arguments(request: Instance, count: int) -> tuple:
    """What a request is about; images and the like, which come as a further argument, are refused."""
    if len(request.args) != count:
        raise ValueError(f"a request of {request.task_name} has {len(request.args)} arguments, {count} of which are text's")
    return request.args


def texts(request: Instance, count: int) -> tuple[str, ...]:
    """The texts of a request."""
    given = arguments(request, count)
    if not all(isinstance(text, str) for text in given):
        raise ValueError(f"a request of {request.task_name} has arguments that are not text")
    return given
