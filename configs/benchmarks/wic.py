"""WiC: does a word mean the same in two sentences?

source: aps/super_glue, table wic, split validation; Pilehvar and Camacho-Collados 2019
licence: CC BY-NC 4.0
size: 638
asks: ppl, 0 shots
metric: accuracy by sum; chance 50 %
opencompass: SuperGLUE_WiC_ppl compares whole texts (oc_ppl), in other words
lm-eval: wic, acc, in other words
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = (
    'Sentence 1: {sentence1}\nSentence 2: {sentence2}\n'
    'Question: Does the word "{word}" mean the same in both? Yes or no?\nAnswer:</S>'
)
# The gold is a number.
_words = {0: 'no', 1: 'yes'}

datasets = [
    dict(
        abbr='wic',
        path='aps/super_glue',
        name='wic',
        reader_cfg=dict(
            input_columns=['word', 'sentence1', 'sentence2'],
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
