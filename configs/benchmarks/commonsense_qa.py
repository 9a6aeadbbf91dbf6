"""CommonsenseQA: everyday knowledge, five options that lie close together.

source: tau/commonsense_qa, split validation, examples from train; Talmor et al. 2019
licence: MIT
size: 1,221
asks: ppl, 5 shots
metric: accuracy by sum; chance 20 %
opencompass: commonsenseqa_ppl shows eight examples that MDL picks, and compares whole texts (oc_ppl)
lm-eval: commonsense_qa, acc, the same wording without examples
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_retriever import FixKRetriever

with read_base():
    from .parts.scoring import by_word, perplexity

_question = 'Question: {question}\n{choice.list}\nAnswer:'
_options = dict(choices='{choices.text}', labels='{choices.label}')

datasets = [
    dict(
        abbr='commonsense_qa',
        path='tau/commonsense_qa',
        reader_cfg=dict(
            input_columns=['question', 'choices'],
            output_column='answerKey',
            test_split='validation',
        ),
        infer_cfg=dict(
            ice_template=dict(
                type='ChoicesTemplate', template=f'{_question} {{choice.label}}', **_options
            ),
            prompt_template=dict(
                type='ChoicesTemplate',
                template=f'</E>{_question}</S> {{choice.label}}',
                ice_token='</E>',
                sep_token='</S>',
                **_options,
            ),
            retriever=dict(
                type=FixKRetriever,
                fix_id_list=[0, 1, 2, 3, 4],
                ice_separator='\n\n',
                ice_eos_token='\n\n',
            ),
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
