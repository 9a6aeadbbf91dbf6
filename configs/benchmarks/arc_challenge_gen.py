"""ARC-Challenge, written answers: the options are shown, and a chat model names the right one.

source: allenai/ai2_arc, table ARC-Challenge, split test; Clark et al. 2018
licence: CC BY-SA 4.0
size: 1,172
asks: gen, 0 shots
metric: accuracy; chance 25 %
opencompass: ARC_c_gen, in other words; it leaves out questions without four options
lm-eval: arc_challenge_chat, in other words
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer

with read_base():
    from .parts.arc import arc_columns
    from .parts.scoring import no_examples

_question = (
    'Which answer is right? Reply with its label alone.\n\n{question}\n{choice.list}\n\nAnswer:'
)

datasets = [
    dict(
        abbr='arc_challenge_gen',
        path='allenai/ai2_arc',
        name='ARC-Challenge',
        reader_cfg=arc_columns,
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template=dict(round=[dict(role='HUMAN', prompt=_question)]),
                choices='{choices.text}',
                labels='{choices.label}',
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=32),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator),
            pred_postprocessor=dict(type='first_option', options='ABCDE12345'),
        ),
    )
]
