"""MMBench, English: twenty kinds of questions on an image, each asked with its options in every turn, the letter of the right option.

source: lmms-lab/MMBench, table en, split dev; Liu et al. 2023
licence: Apache 2.0, of the authors' repository
size: 4,329
asks: ppl, 0 shots
metric: share of questions that are right in every turn, by sum, also by kind; chance about 25 % for one turn
opencompass: has no config for it
lm-eval: has no task; lmms-eval has mmbench_en_dev, in other words, and a judge reads answers without a letter
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned; its licence
"""
from mmengine.config import read_base

with read_base():
    from .parts.images import image_part
    from .parts.scoring import no_examples, perplexity

_asked = dict(
    role='HUMAN',
    prompt_mm=dict(
        text=dict(type='text', text='{hint}{question}\n{choice.list}\nWhich option is right?'),
        image=image_part,
    ),
)

datasets = [
    dict(
        abbr='mm_bench',
        type='MMBenchDataset',
        path='lmms-lab/MMBench',
        name='en',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='answer',
            train_split='dev',
            test_split='dev',
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
        eval_cfg=dict(evaluator=dict(type='mmbench', by='category'), rule='sum'),
    )
]
