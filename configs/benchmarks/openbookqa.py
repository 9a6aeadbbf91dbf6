"""OpenBookQA: elementary science facts, put to use; the book of facts stays closed.

source: allenai/openbookqa, table main, split test; Mihaylov et al. 2018
licence: Apache 2.0 (the authors' repository; the card names none)
size: 500
asks: ppl, 0 shots
metric: accuracy by per_char; chance 25 %
opencompass: obqa_ppl compares whole texts (oc_ppl), in other words
lm-eval: openbookqa, acc_norm; it gives the question alone, without "Answer:"
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

datasets = [
    dict(
        abbr='openbookqa',
        path='allenai/openbookqa',
        name='main',
        reader_cfg=dict(
            input_columns=['question_stem', 'choices'],
            output_column='answerKey',
            train_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template='Question: {question_stem}\nAnswer:</S> {choice.text}',
                choices='{choices.text}',
                labels='{choices.label}',
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
]
