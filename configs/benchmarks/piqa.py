"""PIQA: which of two ways to reach a goal works in the physical world?

source: baber/piqa, a copy of ybisk/piqa in files that need no script, split validation; Bisk et al. 2020
licence: AFL 3.0 (the authors' repository)
size: 1,838
asks: ppl, 0 shots
metric: accuracy by per_char; chance 50 %
opencompass: piqa_ppl compares whole texts (oc_ppl), in other words
lm-eval: piqa, acc_norm, in other words
unchecked: the repository as it is today, so no revision is pinned, and the licence of the copy
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

datasets = [
    dict(
        abbr='piqa',
        path='baber/piqa',
        reader_cfg=dict(
            input_columns=['goal', 'sol1', 'sol2'],
            output_column='label',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={
                    0: 'Goal: {goal}\nWay to reach it:</S> {sol1}',
                    1: 'Goal: {goal}\nWay to reach it:</S> {sol2}',
                },
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
]
