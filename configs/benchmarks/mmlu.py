"""MMLU: 57 subjects from elementary mathematics to law, the letter of the right option.

source: cais/mmlu, a table for each subject, split test, examples from dev; Hendrycks et al. 2021
licence: MIT
size: 14,042
asks: ppl, 5 shots
metric: accuracy by sum, over all questions and over subjects; chance 25 %
opencompass: mmlu_ppl words the question otherwise and compares whole texts (oc_ppl)
lm-eval: mmlu, acc; its line above the examples is worded otherwise
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

with read_base():
    from .parts.mmlu_subjects import mmlu_subjects
    from .parts.scoring import by_word, perplexity

_question = '{question}\nA. {choices[0]}\nB. {choices[1]}\nC. {choices[2]}\nD. {choices[3]}\nAnswer: '
# The gold is the place of the right option, and so are the labels.
_asked = {place: _question + letter for place, letter in enumerate('ABCD')}

datasets = []
for _subject in mmlu_subjects:
    _head = f"Questions about {_subject.replace('_', ' ')}, each with four options and its answer.\n\n"
    datasets.append(
        dict(
            abbr=f'mmlu_{_subject}',
            path='cais/mmlu',
            name=_subject,
            reader_cfg=dict(
                input_columns=['question', 'choices'], output_column='answer', train_split='dev'
            ),
            infer_cfg=dict(
                ice_template=dict(type=PromptTemplate, template=_asked),
                prompt_template=dict(
                    type=PromptTemplate,
                    template={place: f'{_head}</E>{text}' for place, text in _asked.items()},
                    ice_token='</E>',
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
    )
