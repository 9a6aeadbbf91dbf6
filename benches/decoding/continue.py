"""Greedy continuation of a fixed length: SURPRISAL_NEW_TOKENS tokens after each prompt of the file SURPRISAL_PROMPTS.

An end-of-sequence token cannot be chosen before the minimum is reached, so every text gets the same length.
"""
import os

from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

_new_tokens = int(os.environ.get('SURPRISAL_NEW_TOKENS', '128'))

datasets = [
    dict(
        abbr='continue',
        path=os.environ.get('SURPRISAL_PROMPTS', 'prompts.jsonl'),
        reader_cfg=dict(input_columns=['prompt'], output_column=None),
        infer_cfg=dict(
            prompt_template=dict(type=PromptTemplate, template='{prompt}'),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=GenInferencer, max_out_len=_new_tokens, min_out_len=_new_tokens),
        ),
    )
]
