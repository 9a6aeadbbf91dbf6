"""Belebele: questions about short passages, the same in many languages; ten of its 122 here.

source: facebook/belebele, a table for each language, split test; Bandarkar et al. 2023
licence: CC BY-SA 4.0
size: 9,000
asks: ppl, 0 shots
metric: accuracy by sum, over all questions and over languages; chance 25 %
opencompass: has none
lm-eval: belebele_LANGUAGE, acc, in other words
unchecked: the repository as it is today, so no revision is pinned, and whether
  correct_answer_num is a text in it, as it is taken to be
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

_question = (
    '{flores_passage}\n\nQuestion: {question}\n'
    'A. {mc_answer1}\nB. {mc_answer2}\nC. {mc_answer3}\nD. {mc_answer4}\nAnswer:</S> '
)
_languages = (
    'arb_Arab deu_Latn eng_Latn fra_Latn hin_Deva jpn_Jpan rus_Cyrl spa_Latn swh_Latn zho_Hans'
)

datasets = [
    dict(
        abbr=f'belebele_{language}',
        path='facebook/belebele',
        name=language,
        reader_cfg=dict(
            input_columns=['flores_passage', 'question'],
            output_column='correct_answer_num',
            train_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate,
                # The gold is a text: '1' to '4'.
                template={str(n): _question + letter for n, letter in enumerate('ABCD', 1)},
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
    for language in _languages.split()
]
