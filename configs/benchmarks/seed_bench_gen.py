"""SEED-Bench: twelve kinds of questions on an image or on frames of a film, the letter written.

source: lmms-lab/SEED-Bench, split test; Li et al. 2023
licence: CC BY-NC 4.0
size: 17,990
asks: gen, 0 shots
metric: accuracy; chance 25 %
opencompass: has no config for it
lm-eval: has no task; lmms-eval has seedbench, in other words, and reads the first character
unchecked: it has not been run on the repository's files, which were not at hand: columns are those that its card and lmms-eval's code name;
  the repository as it is today, so no revision is pinned;
  how many frames a film has
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer

with read_base():
    from .parts.images import image_part
    from .parts.scoring import no_examples

_asked = dict(
    role='HUMAN',
    prompt_mm=dict(
        text=dict(type='text', text='{question}\n{options}\nReply with the letter of the right option alone.'),
        image=image_part,
    ),
)

datasets = [
    dict(
        abbr='seed_bench_gen',
        type='SEEDBenchImageDataset',
        path='lmms-lab/SEED-Bench',
        reader_cfg=dict(
            input_columns=['question'],
            output_column='answer',
            train_split='test',
            test_split='test',
        ),
        infer_cfg=dict(
            prompt_template=dict(type='MMPromptTemplate', template=dict(round=[_asked])),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=16),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator),
            pred_postprocessor=dict(type='first_option', options='ABCD'),
        ),
    )
]
