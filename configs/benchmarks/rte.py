"""RTE: does one text follow from another?

source: aps/super_glue, table rte, split validation; Dagan et al. 2006 to Bentivogli et al. 2009
licence: not told; the parts come from research competitions
size: 277
asks: ppl, 0 shots
metric: accuracy by sum; chance 50 %
opencompass: SuperGLUE_RTE_ppl compares whole texts (oc_ppl), in other words
lm-eval: sglue_rte, acc, in other words
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = '{premise}\nQuestion: Does it follow that {hypothesis} Yes or no?\nAnswer:</S>'
# The gold is a number.
_words = {0: 'yes', 1: 'no'}

datasets = [
    dict(
        abbr='rte',
        path='aps/super_glue',
        name='rte',
        reader_cfg=dict(
            input_columns=['premise', 'hypothesis'],
            output_column='label',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                template={gold: f'{_question} {word}' for gold, word in _words.items()},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
