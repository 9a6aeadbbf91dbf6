"""COPA: which of two sentences is the cause or the effect of a third?

source: aps/super_glue, table copa, split validation; Roemmele et al. 2011
licence: BSD 2-clause (the authors' page)
size: 100
asks: ppl, 0 shots
metric: accuracy by per_char; chance 50 %
opencompass: SuperGLUE_COPA_ppl compares whole texts (oc_ppl), in other words
lm-eval: copa, acc: it joins the sentences with "because" or "therefore"
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_text, no_examples, perplexity

_question = '{premise}\nQuestion: What was the {question}?\nAnswer:</S>'

datasets = [
    dict(
        abbr='copa',
        path='aps/super_glue',
        name='copa',
        reader_cfg=dict(
            input_columns=['premise', 'question', 'choice1', 'choice2'],
            output_column='label',
            train_split='validation',
            test_split='validation',
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
]
