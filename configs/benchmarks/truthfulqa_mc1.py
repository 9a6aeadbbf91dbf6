"""TruthfulQA, one right answer: is what is true likelier than what people wrongly believe?

source: truthfulqa/truthful_qa, table generation, split validation; Lin et al. 2022
licence: Apache 2.0
size: 817
asks: ppl, 0 shots
metric: accuracy by sum; chance about 23 %
opencompass: has only the written form, judged by another model
lm-eval: truthfulqa_mc1, acc, after six example questions, and with the options of the table multiple_choice,
  which are worded a little otherwise in places
unchecked: the repository as it is today, so no revision is pinned; how many options of the two tables differ
"""
from mmengine.config import read_base

with read_base():
    from .parts.scoring import by_word, no_examples, perplexity

datasets = [
    dict(
        abbr='truthfulqa_mc1',
        path='truthfulqa/truthful_qa',
        name='generation',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='best_answer',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template='Q: {question}\nA:</S> {choice.text}',
                # A column with a list stands for its items. The gold is a text, and so are the labels.
                choices=['{best_answer}', '{incorrect_answers}'],
                labels='{choice.text}',
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
