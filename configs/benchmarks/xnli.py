"""XNLI: does one sentence follow from another? The same pairs in 15 languages, asked about in English.

source: facebook/xnli, a table for each language, split test; Conneau et al. 2018
licence: CC BY-NC 4.0
size: 75,150
asks: ppl, 0 shots
metric: accuracy by sum, over all pairs and over languages; chance 33 %
opencompass: has none
lm-eval: xnli_LANGUAGE, acc, on the split validation and with words of each language
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = (
    'Premise: {premise}\nHypothesis: {hypothesis}\n'
    'Question: Does the hypothesis follow? Yes, no or maybe?\nAnswer:</S> '
)
# The gold is a number: entailment, neutral, contradiction.
_words = {0: 'yes', 1: 'maybe', 2: 'no'}

datasets = [
    dict(
        abbr=f'xnli_{language}',
        path='facebook/xnli',
        name=language,
        reader_cfg=dict(
            input_columns=['premise', 'hypothesis'], output_column='label', train_split='test'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={gold: _question + word for gold, word in _words.items()},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
    for language in 'ar bg de el en es fr hi ru sw th tr ur vi zh'.split()
]
