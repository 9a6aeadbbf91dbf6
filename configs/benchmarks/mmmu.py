"""MMMU: college exams of thirty subjects on charts, maps, scores and other images, the letter of the right option.

source: MMMU/MMMU, a table for each subject, split validation, the rows with options; Yue et al. 2024
licence: Apache 2.0
size: 847
asks: ppl, 0 shots
metric: accuracy by sum; chance about 25 %
opencompass: has no config for it
lm-eval: mmmu_val asks the open questions too and puts images where they are named
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned;
  how many of the 900 questions have options
"""
from mmengine.config import read_base

with read_base():
    from .parts.images import image_part
    from .parts.mmmu_subjects import mmmu_subjects
    from .parts.scoring import by_word, no_examples, perplexity

_asked = dict(
    role='HUMAN',
    prompt_mm=dict(
        text=dict(type='text', text='{question}\n{choice.list}\nWhich option is right?'),
        image=image_part,
    ),
)

datasets = []
for _subject in mmmu_subjects:
    datasets.append(
        dict(
            abbr=f'mmmu_{_subject}',
            type='MMMUDataset',
            path='MMMU/MMMU',
            name=_subject,
            reader_cfg=dict(
                input_columns=['question'],
                output_column='answer',
                train_split='validation',
                test_split='validation',
            ),
            infer_cfg=dict(
                prompt_template=dict(
                    type='ChoicesTemplate',
                    template=dict(round=[_asked, dict(role='BOT', prompt='</S>{choice.label}')]),
                    choices='{choices}',
                    labels=list('ABCDEFGHI'),
                    sep_token='</S>',
                ),
                retriever=no_examples,
                inferencer=perplexity,
            ),
            eval_cfg=by_word,
        )
    )
