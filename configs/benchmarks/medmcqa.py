"""MedMCQA: questions of the entrance examinations of Indian medical schools.

source: openlifescienceai/medmcqa, split validation (the golds of test are kept back); Pal et al. 2022
licence: Apache 2.0
size: 4,183
asks: ppl, 0 shots
metric: accuracy by sum; chance 25 %
opencompass: medmcqa_gen has the letter written
lm-eval: medmcqa, acc, in other words
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = 'Question: {question}\nA. {opa}\nB. {opb}\nC. {opc}\nD. {opd}\nAnswer:</S> '

datasets = [
    dict(
        abbr='medmcqa',
        path='openlifescienceai/medmcqa',
        reader_cfg=dict(
            input_columns=['question', 'opa', 'opb', 'opc', 'opd'],
            output_column='cop',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                # The gold is the place of the right option.
                template={place: _question + letter for place, letter in enumerate('ABCD')},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
