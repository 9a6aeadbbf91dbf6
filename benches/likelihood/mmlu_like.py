"""Multiple choice by letter after five examples: 200 questions of five subjects, told apart by their last token.

The rows are read from the folder that SURPRISAL_LIKELIHOOD names; compare.sh sets it.
"""
import os

from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

datasets = [
    dict(
        abbr='mmlu_like',
        path=os.path.join(os.environ.get('SURPRISAL_LIKELIHOOD', ''), 'mmlu_like.jsonl'),
        reader_cfg=dict(input_columns=['prefix', 'question'], output_column='gold'),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={gold: '{prefix}{question} ' + letter for gold, letter in enumerate('ABCD')},
            ),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=PPLInferencer),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
    )
]
