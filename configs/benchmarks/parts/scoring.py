"""How candidates are scored: what every choice by perplexity in this folder shares.

A text that is an answer of several words is scored by its log-likelihood per character (`per_char`, lm-eval's
`acc_norm`), so that long answers are not worse for being long; a letter or a word by its log-likelihood alone
(`sum`, lm-eval's `acc`). `surprisal evaluate RUN --rule all` tells the others without asking the model again.
"""
from opencompass.openicl.icl_evaluator import AccwithDetailsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_retriever import ZeroRetriever

by_text = dict(evaluator=dict(type=AccwithDetailsEvaluator), rule='per_char')
by_word = dict(evaluator=dict(type=AccwithDetailsEvaluator), rule='sum')
no_examples = dict(type=ZeroRetriever)
perplexity = dict(type=PPLInferencer)
