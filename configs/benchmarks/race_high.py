"""RACE, high school: questions about a passage from English examinations in China.

source: ehovy/race, table high, split test; Lai et al. 2017
licence: for research that is not commercial
size: 3,498
asks: ppl, 0 shots
metric: accuracy by sum; chance 25 %
opencompass: race_ppl compares whole texts (oc_ppl), in other words
lm-eval: race, acc: one question of each article, after the others with their answers, and the options as
  texts
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = (
    '{article}\n\nQuestion: {question}\n'
    'A. {options[0]}\nB. {options[1]}\nC. {options[2]}\nD. {options[3]}\nAnswer:</S> '
)

datasets = [
    dict(
        abbr='race_high',
        path='ehovy/race',
        name='high',
        reader_cfg=dict(
            input_columns=['article', 'question', 'options'],
            output_column='answer',
            train_split='test',
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
