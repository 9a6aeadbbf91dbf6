"""ChartQA: questions on charts, answered with a number or a few words.

source: lmms-lab/ChartQA, split test; Masry et al. 2022
licence: GPL 3.0
size: 2,500
asks: gen, 0 shots
metric: relaxed accuracy (numbers within 5 %), also of questions by people and by a program
opencompass: has no config for it
lm-eval: chartqa has other rules; lmms-eval has chartqa, in other words and by the same rule
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_inferencer import GenInferencer

with read_base():
    from .parts.images import image_part
    from .parts.scoring import no_examples

datasets = [
    dict(
        abbr='chart_qa',
        type='ImageQuestionDataset',
        path='lmms-lab/ChartQA',
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
                                text=dict(type='text', text='{question}\nReply with the answer alone: a number or a few words.'),
                                image=image_part,
                            ),
                        )
                    ]
                ),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=32),
        ),
        eval_cfg=dict(evaluator=dict(type='relaxed_accuracy', by='type')),
    )
]
