"""Multiple choice about sums and comparisons: the letter that makes the text least surprising.

Once with the question alone, once after two examples.
"""
from opencompass.openicl.icl_evaluator import AccwithDetailsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever, ZeroRetriever

_question = 'Question: {question}\nA. {A}\nB. {B}\nC. {C}\nD. {D}\nAnswer: '
_labels = ['A', 'B', 'C', 'D']

choices_datasets = []
for _abbr, _retriever in [
    ('choices_0shot', dict(type=ZeroRetriever)),
    ('choices_2shot', dict(type=FixKRetriever, fix_id_list=[0, 1])),
]:
    choices_datasets.append(
        dict(
            abbr=_abbr,
            path='configs/datasets/choices',
            reader_cfg=dict(input_columns=['question'] + _labels, output_column='answer'),
            infer_cfg=dict(
                ice_template=dict(type=PromptTemplate, template={label: f'{_question}{label}' for label in _labels}),
                prompt_template=dict(
                    type=PromptTemplate,
                    template={label: f'</E>{_question}{label}' for label in _labels},
                    ice_token='</E>',
                ),
                retriever=_retriever,
                inferencer=dict(type=PPLInferencer),
            ),
            eval_cfg=dict(evaluator=dict(type=AccwithDetailsEvaluator)),
        )
    )
