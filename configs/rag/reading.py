"""How well short answers are read off the right passage: the 105 English and 105 Chinese questions that have one, as they
stand alone; exact match and words in common."""
from mmengine.config import read_base
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

with read_base():
    from ..models.pocket_dialogue import models
    from .prompts import answer_prompt

# The last 15 dialogues of each language have no answer.
datasets = [
    dict(
        abbr='reading_' + name,
        path='configs/datasets/dialogues/test.jsonl',
        reader_cfg=dict(input_columns=['evidence', 'gold_rewriting'], output_column='answer', test_range=rows),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template=answer_prompt.replace('{passages}', '{evidence}').replace('{question}', '{gold_rewriting}'),
            ),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=GenInferencer, max_out_len=40, stopping_criteria=['\n']),
        ),
        eval_cfg=dict(evaluator=dict(type='AnswerTextEvaluator')),
    )
    for name, rows in (('en', '[:105]'), ('zh', '[120:225]'))
]
