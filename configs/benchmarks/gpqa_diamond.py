"""GPQA Diamond: questions that doctoral students of the field answer and others do not, even with a search
engine.

source: Idavidrein/gpqa, table gpqa_diamond, split train; gated: accept its terms, then give HF_TOKEN; Rein et
  al. 2023
licence: CC BY 4.0
size: 198
asks: ppl, 0 shots
metric: accuracy by per_char; chance 25 %
opencompass: gpqa_gen shows the options and has the letter written
lm-eval: gpqa_diamond_zeroshot, acc_norm, shows the options in a drawn order and scores the letter; here the
  answer itself is scored and no option is shown, so figures are not the same
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

datasets = [
    dict(
        abbr='gpqa_diamond',
        path='Idavidrein/gpqa',
        name='gpqa_diamond',
        reader_cfg=dict(
            input_columns=['Question'], output_column='Correct Answer', test_split='train'
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template='Question: {Question}\nAnswer:</S> {choice.text}',
                choices=[
                    '{Correct Answer}',
                    '{Incorrect Answer 1}',
                    '{Incorrect Answer 2}',
                    '{Incorrect Answer 3}',
                ],
                labels='{choice.text}',
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_text,
    )
]
