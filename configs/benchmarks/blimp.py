"""BLiMP: is the grammatical sentence of a pair likelier than the other? 67 paradigms of English.

source: nyu-mll/blimp, a table for each paradigm, split train; Warstadt et al. 2020
licence: CC BY 4.0
size: 67,000
asks: ppl, 0 shots
metric: accuracy by text_sum, over all pairs and over paradigms; chance 50 %
opencompass: has none
lm-eval: blimp, acc; the same
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccwithDetailsEvaluator

with read_base():
    from .parts.blimp_paradigms import blimp_paradigms
    from .parts.scoring import no_examples, perplexity

datasets = [
    dict(
        abbr=f'blimp_{paradigm}',
        path='nyu-mll/blimp',
        name=paradigm,
        reader_cfg=dict(
            input_columns=['sentence_good', 'sentence_bad'],
            output_column='sentence_good',
            test_split='train',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template='{choice.text}',
                choices=['{sentence_good}', '{sentence_bad}'],
                labels='{choice.text}',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=dict(evaluator=dict(type=AccwithDetailsEvaluator), rule='text_sum'),
    )
    for paradigm in blimp_paradigms
]
