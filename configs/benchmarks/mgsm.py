"""MGSM: 250 problems of GSM8K in eleven languages, worked out after being asked for it in English.

source: jbross-ibm-research/mgsm, a copy of juletxara/mgsm in files that need no script, a table for each
  language, split test; Shi et al. 2022
licence: CC BY-SA 4.0
size: 2,750
asks: gen, 0 shots
metric: accuracy of the last number, over all problems and over languages
opencompass: mgsm_gen asks in each language
lm-eval: mgsm_direct_LANGUAGE asks in each language
unchecked: the repository as it is today, so no revision is pinned, and whether the copy is complete
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import no_examples

_question = '{question}\n\nThink step by step, then end with the answer as a number without commas.'

datasets = [
    dict(
        abbr=f'mgsm_{language}',
        path='jbross-ibm-research/mgsm',
        name=language,
        reader_cfg=dict(
            input_columns=['question'], output_column='answer_number', train_split='test'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate, template=dict(round=[dict(role='HUMAN', prompt=_question)])
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=512),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator), pred_postprocessor=dict(type='gsm8k')
        ),
    )
    for language in 'bn de en es fr ja ru sw te th zh'.split()
]
