"""POPE: whether an object is in a photograph; half of those that are asked for are not.

source: lmms-lab/POPE, split test; Li et al. 2023
licence: MIT, of the authors' repository
size: 9,000
asks: gen, 0 shots
metric: accuracy, precision, recall, F1 of yes and share of yes, also by how objects were chosen; chance 50 %
opencompass: has no config for it
lm-eval: has no task; lmms-eval has pope, in other words, and compares the whole answer
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned; its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_inferencer import GenInferencer

with read_base():
    from .parts.images import image_part
    from .parts.scoring import no_examples

datasets = [
    dict(
        abbr='pope',
        type='ImageQuestionDataset',
        path='lmms-lab/POPE',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='answer',
            train_split='test',
            test_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='MMPromptTemplate',
                template=dict(
                    round=[
                        dict(
                            role='HUMAN',
                            prompt_mm=dict(
                                text=dict(type='text', text='{question}\nReply with yes or no alone.'),
                                image=image_part,
                            ),
                        )
                    ]
                ),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=16),
        ),
        eval_cfg=dict(evaluator=dict(type='yes_or_no', by='category')),
    )
]
