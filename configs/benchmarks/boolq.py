"""BoolQ: yes or no, from a passage of Wikipedia.

source: aps/super_glue, table boolq, split validation; Clark et al. 2019
licence: CC BY-SA 3.0
size: 3,270
asks: ppl, 0 shots
metric: accuracy by sum; chance 50 %
opencompass: BoolQ_ppl compares whole texts (oc_ppl), in other words
lm-eval: boolq, acc; the same wording
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = '{passage}\nQuestion: {question}?\nAnswer:</S>'
# The gold is a number.
_words = {0: 'no', 1: 'yes'}

datasets = [
    dict(
        abbr='boolq',
        path='aps/super_glue',
        name='boolq',
        reader_cfg=dict(
            input_columns=['passage', 'question'],
            output_column='label',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={gold: f'{_question} {word}' for gold, word in _words.items()},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
