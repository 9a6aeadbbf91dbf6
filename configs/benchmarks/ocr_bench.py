"""OCRBench: texts in images, from street signs to formulas by hand, that an answer has to contain.

source: echo840/OCRBench, split test; Liu et al. 2024
licence: not named by the repository
size: 1,000
asks: gen, 0 shots
metric: share of answers that contain a gold, and points by kind, 1000 in all
opencompass: has no config for it
lm-eval: has no task; lmms-eval has ocrbench, which compares formulas otherwise
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
        abbr='ocr_bench',
        type='ImageQuestionDataset',
        path='echo840/OCRBench',
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
                                text=dict(type='text', text='{question}'),
                                image=image_part,
                            ),
                        )
                    ]
                ),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=128),
        ),
        eval_cfg=dict(evaluator=dict(type='ocrbench')),
    )
]
