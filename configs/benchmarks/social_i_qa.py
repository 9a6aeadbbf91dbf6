"""SocialIQA: what people feel, want or do next in a social situation.

source: lighteval/siqa, a copy of allenai/social_i_qa in files that need no script, split validation; Sap et
  al. 2019
licence: CC BY 4.0 (the authors' repository; the card names none)
size: 1,954
asks: ppl, 0 shots
metric: accuracy by per_char; chance 33 %
opencompass: siqa_ppl compares whole texts (oc_ppl), in other words
lm-eval: social_iqa, acc, in other words
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

datasets = [
    dict(
        abbr='social_i_qa',
        path='lighteval/siqa',
        reader_cfg=dict(
            input_columns=['context', 'question', 'answerA', 'answerB', 'answerC'],
            output_column='label',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                # The gold is a text: '1' to '3'.
                template={
                    str(number): f'{{context}}\nQuestion: {{question}}\nAnswer:</S> {{answer{letter}}}'
                    for number, letter in enumerate('ABC', 1)
                },
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
]
