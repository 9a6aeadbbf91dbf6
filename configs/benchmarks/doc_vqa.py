"""DocVQA: questions on scanned pages, answered with words that stand there.

source: lmms-lab/DocVQA, table DocVQA, split validation; Mathew et al. 2021
licence: Apache 2.0, of the repository; the authors ask for a registration
size: 5,349
asks: gen, 0 shots
metric: ANLS, against the gold that fits best
opencompass: has no config for it
lm-eval: has no task; lmms-eval has docvqa_val, in other words and by the same formula
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
        abbr='doc_vqa',
        type='ImageQuestionDataset',
        path='lmms-lab/DocVQA',
        name='DocVQA',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='answers',
            train_split='validation',
            test_split='validation',
        ),
        infer_cfg=dict(
            prompt_template=dict(
                type='MMPromptTemplate',
                template=dict(
                    round=[
                        dict(
                            role='HUMAN',
                            prompt_mm=dict(
                                text=dict(type='text', text='{question}\nReply with the words of the page alone.'),
                                image=image_part,
                            ),
                        )
                    ]
                ),
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=32),
        ),
        eval_cfg=dict(evaluator=dict(type='anls')),
    )
]
