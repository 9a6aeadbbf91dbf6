"""ScienceQA, questions with an image: school science, some with a hint, the letter of the right option.

source: derek-thomas/ScienceQA, split test, the rows with an image; Lu et al. 2022
licence: CC BY-SA 4.0
size: 2,017
asks: ppl, 0 shots
metric: accuracy by sum; chance about 40 %
opencompass: has no config for it
lm-eval: has no task; lmms-eval has scienceqa_img, in other words, which wants the letter alone or before a full stop
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base

with read_base():
    from .parts.images import image_part
    from .parts.scoring import by_word, no_examples, perplexity

_asked = dict(
    role='HUMAN',
    prompt_mm=dict(
        text=dict(type='text', text='{hint}{question}\n{choice.list}\nWhich option is right?'),
        image=image_part,
    ),
)

datasets = [
    dict(
        abbr='science_qa',
        type='ScienceQAImageDataset',
        path='derek-thomas/ScienceQA',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='answer',
            train_split='test',
            test_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='ChoicesTemplate',
                template=dict(round=[_asked, dict(role='BOT', prompt='</S>{choice.label}')]),
                choices='{choices}',
                labels=list('ABCDE'),
                sep_token='</S>',
            ),
            retriever=no_examples,
            inferencer=perplexity,
        ),
        eval_cfg=by_word,
    )
]
