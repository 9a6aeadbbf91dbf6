"""MMLU-Pro: harder questions with up to ten options, answered after thinking step by step.

source: TIGER-Lab/MMLU-Pro, split test; Wang et al. 2024
licence: MIT
size: 12,032
asks: gen, 0 shots
metric: accuracy; chance about 11 %
opencompass: mmlu_pro_0shot_cot_gen, in other words and by category
lm-eval: mmlu_pro, with five worked examples of the question's category
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer

with read_base():
    from .parts.scoring import no_examples

_question = (
    'Which answer is right? Think step by step, then end with "The answer is (X)", where X is its letter.\n\n'
    '{question}\n{choice.list}'
)

datasets = [
    dict(
        abbr='mmlu_pro',
        path='TIGER-Lab/MMLU-Pro',
        reader_cfg=dict(
            input_columns=['question', 'options'], output_column='answer', train_split='test'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template=dict(round=[dict(role='HUMAN', prompt=_question)]),
                choices='{options}',
                labels=list('ABCDEFGHIJ'),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=2048),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator),
            # The last mention counts: models weigh options before they settle.
            pred_postprocessor=dict(type='regex', pattern=r'(?is:.*)answer is:?\s*\(?([A-J])\b'),
        ),
    )
]
