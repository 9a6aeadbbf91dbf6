"""lm-evaluation-harness with a model named `surprisal`.

lm-eval finds models of its own only; there is nothing by which a package could announce one. So this module has to be imported:

    python -m surprisal.lm_eval --model surprisal --model_args pretrained=DIR --tasks …

is lm-eval's own command line after that import, with all its options; in a program, `import surprisal.lm_eval` comes before
`lm_eval.simple_evaluate(model="surprisal", …)`.
"""

# lm-eval fills its registry when that is empty, so its own models come first.
import lm_eval.models  # noqa: F401

from surprisal.lm_eval.model import SurprisalLM

__all__ = ["SurprisalLM"]
