"""SciQ: science questions, each with a passage that helps.

source: allenai/sciq, split test; Welbl et al. 2017
licence: CC BY-NC 3.0
size: 1,000
asks: ppl, 0 shots
metric: accuracy by sum; chance 25 %
opencompass: has none
lm-eval: sciq, acc; it does not write "Passage:"
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

datasets = [
    dict(
        abbr='sciq',
        path='allenai/sciq',
        reader_cfg=dict(
            input_columns=['support', 'question'],
            output_column='correct_answer',
            train_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template='Passage: {support}\nQuestion: {question}\nAnswer:</S> {choice.text}',
                # No column tells the place of the right answer: the gold is its text, and so are the labels.
                choices=['{correct_answer}', '{distractor1}', '{distractor2}', '{distractor3}'],
                labels='{choice.text}',
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
