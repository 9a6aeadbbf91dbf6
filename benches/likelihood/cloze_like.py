"""Multiple choice by text: 200 questions whose answers are of one to eighteen tokens.

The rows are read from the file that SURPRISAL_CLOZE_LIKE names; compare.sh writes it, with a column for each choice,
because a template can name a column but not an item of a list.
"""
import os

from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

_columns = [f'choice_{gold}' for gold in range(4)]

datasets = [
    dict(
        abbr='cloze_like',
        path=os.environ.get('SURPRISAL_CLOZE_LIKE', 'cloze_like.jsonl'),
        reader_cfg=dict(input_columns=['prefix', 'question'] + _columns, output_column='gold'),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={gold: '{prefix}{question}{' + column + '}' for gold, column in enumerate(_columns)},
            ),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=PPLInferencer),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
    )
]
