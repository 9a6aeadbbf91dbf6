"""MMLU, written answers: a chat model is asked for the letter of the right option.

source: cais/mmlu, a table for each subject, split test; Hendrycks et al. 2021
licence: MIT
size: 14,042
asks: gen, 0 shots
metric: accuracy, over all questions and over subjects; chance 25 %
opencompass: mmlu_gen, in other words and with five examples
lm-eval: mmlu_generative, in other words; it takes the first line of the reply as it is
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.mmlu_subjects import mmlu_subjects
    from .parts.scoring import no_examples

_question = (
    'Which answer is right? Reply with its letter alone.\n\n'
    '{question}\nA. {choices[0]}\nB. {choices[1]}\nC. {choices[2]}\nD. {choices[3]}\n\nAnswer:'
)

datasets = [
    dict(
        abbr=f'mmlu_gen_{subject}',
        path='cais/mmlu',
        name=subject,
        reader_cfg=dict(
            input_columns=['question', 'choices'], output_column='answer', train_split='test'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template=dict(round=[dict(role='HUMAN', prompt=_question)]),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=32),
        ),
        eval_cfg=dict(
            # The gold is the place of the right option, so the letter becomes one.
            evaluator=dict(
                type=AccEvaluator, pred_postprocessor=dict(type='option_number', options='ABCD')
            ),
            pred_postprocessor=dict(type='first_option', options='ABCD'),
        ),
    )
    for subject in mmlu_subjects
]
