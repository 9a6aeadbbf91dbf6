"""XCOPA: which of two sentences is the cause or the effect of a third? 11 languages, asked about in English.

source: cambridgeltl/xcopa, a table for each language, split test; Ponti et al. 2020
licence: CC BY 4.0
size: 5,500
asks: ppl, 0 shots
metric: accuracy by per_char, over all questions and over languages; chance 50 %
opencompass: XCOPA_ppl compares whole texts (oc_ppl), in other words
lm-eval: xcopa_LANGUAGE, acc: it joins the sentences with "because" or "therefore" of each language
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

_question = '{premise}\nQuestion: What was the {question}?\nAnswer:</S>'

datasets = [
    dict(
        abbr=f'xcopa_{language}',
        path='cambridgeltl/xcopa',
        name=language,
        reader_cfg=dict(
            input_columns=['premise', 'question', 'choice1', 'choice2'],
            output_column='label',
            train_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={0: _question + ' {choice1}', 1: _question + ' {choice2}'},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
    for language in 'et ht id it qu sw ta th tr vi zh'.split()
]
