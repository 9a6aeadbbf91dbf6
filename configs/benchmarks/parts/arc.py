"""What ARC-Easy and ARC-Challenge share: columns, and the wording without options.

Most questions have four options labelled A to D, some three or five, some 1 to 4: `ChoicesTemplate` takes
them from the row.
"""
from mmengine.config import read_base

with read_base():
    from .scoring import by_text, no_examples, perplexity

arc_columns = dict(
    input_columns=['question', 'choices'],
    output_column='answerKey',
    train_split='test',
    test_split='test',
)
arc_infer = dict(
    prompt_template=dict(
        type='ChoicesTemplate',
        template='Question: {question}\nAnswer:</S> {choice.text}',
        choices='{choices.text}',
        labels='{choices.label}',
        sep_token='</S>',
    ),
    retriever=no_examples,
    inferencer=perplexity,
)
arc_eval = by_text
