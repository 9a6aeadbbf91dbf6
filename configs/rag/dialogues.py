"""Retrieval-augmented dialogue, stage by stage: 120 English and 120 Chinese questions that lean on their dialogue are rewritten,
searched among 400 passages and answered. Variants leave out the rewriting, ask for it in a sentence, or show three passages for one."""
from mmengine.config import read_base
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

with read_base():
    from ..models.pocket_dialogue import models
    from .prompts import (
        answer_prompt, plain_prompt_en, plain_prompt_zh, rewriting_prompt_en, rewriting_prompt_zh,
    )

zero = dict(type=ZeroRetriever)
a_line = dict(type=GenInferencer, max_out_len=160, stopping_criteria=['\n'])
a_few_words = dict(type=GenInferencer, max_out_len=40, stopping_criteria=['\n'])
rewritten = dict(type='RewritingEvaluator', need_column='needs_rewriting')

# English dialogues are the first half of the file.
languages = [
    ('en', '[:120]', rewriting_prompt_en, plain_prompt_en),
    ('zh', '[120:]', rewriting_prompt_zh, plain_prompt_zh),
]
datasets = [
    dict(
        abbr='dialogues_' + name,
        path='configs/datasets/dialogues/test.jsonl',
        reader_cfg=dict(input_columns=['dialogue', 'question'], output_column='answer', test_range=rows),
        stages=[
            dict(
                name='rewriting',
                reader_cfg=dict(output_column='gold_rewriting'),
                infer_cfg=dict(
                    prompt_template=dict(type=PromptTemplate, template=few_shot), retriever=zero, inferencer=a_line
                ),
                eval_cfg=dict(evaluator=rewritten, pred_postprocessor=dict(type='cot_output')),
            ),
            dict(
                name='passages',
                reader_cfg=dict(output_column='relevant'),
                corpus='configs/datasets/dialogues/passages.jsonl',
                query='{rewriting}',
                top_k=3,
                # The checkpoint has learnt to read a passage or two.
                shown=1,
            ),
            dict(
                name='reading',
                infer_cfg=dict(
                    prompt_template=dict(
                        type=PromptTemplate, template=answer_prompt.replace('{question}', '{rewriting}')
                    ),
                    retriever=zero,
                    inferencer=a_few_words,
                ),
                eval_cfg=dict(evaluator=dict(type='AnswerTextEvaluator')),
            ),
        ],
        variants=dict(
            none=dict(rewriting=dict(column='question')),
            plain=dict(
                rewriting={
                    'infer_cfg.prompt_template.template': plain,
                    'eval_cfg': dict(_delete_=True, evaluator=dict(form='plain', **rewritten)),
                }
            ),
            three=dict(passages=dict(shown=3)),
        ),
        attribution=True,
    )
    for name, rows, few_shot, plain in languages
]
