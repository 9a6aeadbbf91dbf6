"""MedQA: questions of the United States medical licensing examination.

source: GBaker/MedQA-USMLE-4-options, split test; Jin et al. 2020
licence: CC BY 4.0 (the card; the authors' repository says MIT)
size: 1,273
asks: ppl, 0 shots
metric: accuracy by sum; chance 25 %
opencompass: MedQA_gen has the letter written
lm-eval: medqa_4options, acc_norm of the letter; the same wording
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = (
    'Question: {question}\n'
    'A. {options.A}\nB. {options.B}\nC. {options.C}\nD. {options.D}\nAnswer:</S> '
)

datasets = [
    dict(
        abbr='medqa',
        path='GBaker/MedQA-USMLE-4-options',
        reader_cfg=dict(
            input_columns=['question', 'options'], output_column='answer_idx', train_split='test'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={letter: _question + letter for letter in 'ABCD'},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
