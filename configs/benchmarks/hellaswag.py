"""HellaSwag: how does a description of everyday events go on?

source: Rowan/hellaswag, split validation; Zellers et al. 2019
licence: MIT
size: 10,042
asks: ppl, 0 shots
metric: accuracy by per_char; chance 25 %
opencompass: hellaswag_ppl compares whole texts (oc_ppl) without the activity
lm-eval: hellaswag, acc_norm; it also takes out WikiHow's marks such as [title] and [header], which stay here,
  and begins the last, unfinished sentence with a capital
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

datasets = [
    dict(
        abbr='hellaswag',
        path='Rowan/hellaswag',
        reader_cfg=dict(
            input_columns=['activity_label', 'ctx', 'endings'],
            output_column='label',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                # The gold is a text: '0' to '3'.
                template={
                    str(place): f'{{activity_label}}: {{ctx}}</S> {{endings[{place}]}}'
                    for place in range(4)
                },
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
]
