"""The same two hundred questions in six wordings: which of them does the pocket model answer best?

`surprisal compare configs/variants/choices.py` tells. Two wordings are bad on purpose: one lacks the blank behind
`Answer:`, as templates do that were stripped on their way, and one lacks the letters before the options.
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccwithDetailsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

with read_base():
    from ..models.pocket import models

_labels = ['A', 'B', 'C', 'D']
_base = 'Question: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer: '
_wordings = dict(
    told='Answer with one letter.\n\nQuestion: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer: ',
    spaced='Question: {question}\n\nA. {A}\nB. {B}\nC. {C}\nD. {D}\n\nAnswer: ',
    brief='Q: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer: ',
    stripped='Question: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer:',
    unlettered='Question: {question}\n{A}\n{B}\n{C}\n{D}\nAnswer: ',
)

_variants = {}
for _name, _text in _wordings.items():
    _variants[_name] = {'prompt_template.template': {label: _text + label for label in _labels}}

datasets = [
    dict(
        abbr='choices',
        path='configs/datasets/choices',
        reader_cfg=dict(input_columns=['question'] + _labels, output_column='answer'),
        infer_cfg=dict(
            prompt_template=dict(type=PromptTemplate, template={label: _base + label for label in _labels}),
            retriever=dict(type=ZeroRetriever),
            inferencer=dict(type=PPLInferencer),
        ),
        eval_cfg=dict(evaluator=dict(type=AccwithDetailsEvaluator)),
        variants=_variants,
    )
]
