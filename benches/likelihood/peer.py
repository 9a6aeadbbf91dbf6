"""Runs the workloads' `score.py` with the tokenizer that lies beside the weights: `peer.py SCORE.py ARGUMENT…`.

By itself transformers takes the tokenizer's class from the model type, and for Qwen2 splits text by that class's rule
whatever tokenizer.json says. The texts would then be other tokens than those that everybody else scores.
"""

import runpy
import sys

import transformers

transformers.AutoTokenizer = transformers.PreTrainedTokenizerFast
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
