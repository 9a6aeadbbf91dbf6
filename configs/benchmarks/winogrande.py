"""WinoGrande: which of two nouns stands in the gap of a sentence?

source: allenai/winogrande, table winogrande_xl, split validation, examples from train; Sakaguchi et al. 2020
licence: CC BY (the authors' page; the card names none)
size: 1,267
asks: ppl, 5 shots
metric: accuracy by sum; chance 50 %
opencompass: winogrande_ppl fills the gap and compares whole sentences, without examples
lm-eval: winogrande fills the gap and scores what follows it; here the gap is asked about, so figures are not
  the same
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

with read_base():
    from .parts.scoring import by_word, perplexity

_question = 'Sentence: {sentence}\nQuestion: Who or what is meant by the gap _?\nAnswer:'

datasets = [
    dict(
        abbr='winogrande',
        path='allenai/winogrande',
        name='winogrande_xl',
        reader_cfg=dict(
            input_columns=['sentence', 'option1', 'option2'],
            output_column='answer',
            test_split='validation',
        ),
        infer_cfg=dict(
            ice_template=dict(
                type=PromptTemplate,
                template={number: f'{_question} {{option{number}}}' for number in '12'},
            ),
            prompt_template=dict(
                type=PromptTemplate,
                template={number: f'</E>{_question}</S> {{option{number}}}' for number in '12'},
                ice_token='</E>',
                sep_token='</S>',
            ),
            retriever=dict(
                type=FixKRetriever,
                fix_id_list=[0, 1, 2, 3, 4],
                ice_separator='\n\n',
                ice_eos_token='\n\n',
            ),
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
