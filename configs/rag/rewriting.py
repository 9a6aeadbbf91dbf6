"""How well questions of dialogues are rewritten so that they stand alone: 120 English and 120 Chinese ones, with few-shot
reasoning, with the reasoning format alone, and with a plain instruction; and whether the need for it is seen."""
from mmengine.config import read_base
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

with read_base():
    from ..models.pocket_dialogue import models
    from .prompts import plain_prompt_en, plain_prompt_zh, rewriting_direct, rewriting_prompt_en, rewriting_prompt_zh

reasoned = dict(
    evaluator=dict(type='RewritingEvaluator', need_column='needs_rewriting'), pred_postprocessor=dict(type='cot_output')
)
plain = dict(evaluator=dict(type='RewritingEvaluator', form='plain', need_column='needs_rewriting'))
# English dialogues are the first half of the file.
forms = [
    ('few_shot_en', rewriting_prompt_en, '[:120]', reasoned),
    ('few_shot_zh', rewriting_prompt_zh, '[120:]', reasoned),
    ('direct_en', rewriting_direct, '[:120]', reasoned),
    ('direct_zh', rewriting_direct, '[120:]', reasoned),
    ('plain_en', plain_prompt_en, '[:120]', plain),
    ('plain_zh', plain_prompt_zh, '[120:]', plain),
]
datasets = [
    dict(
        abbr='rewriting_' + name,
        path='configs/datasets/dialogues/test.jsonl',
        reader_cfg=dict(input_columns=['dialogue', 'question'], output_column='gold_rewriting', test_range=rows),
        infer_cfg=dict(
            prompt_template=dict(type=PromptTemplate, template=template),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=GenInferencer, max_out_len=160, stopping_criteria=['\n']),
        ),
        eval_cfg=evaluation,
    )
    for name, template, rows, evaluation in forms
]
