"""ARC-Easy: science questions for grades 3 to 9, those that simple retrieval answers.

source: allenai/ai2_arc, table ARC-Easy, split test; Clark et al. 2018
licence: CC BY-SA 4.0
size: 2,376
asks: ppl, 0 shots
metric: accuracy by per_char; chance 25 %
opencompass: ARC_e_ppl leaves out questions without four options, asks the dev set, and compares whole texts
  (oc_ppl)
lm-eval: arc_easy, acc_norm; the same wording
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base

with read_base():
    from .parts.arc import arc_columns, arc_eval, arc_infer

datasets = [
    dict(
        abbr='arc_easy',
        path='allenai/ai2_arc',
        name='ARC-Easy',
        reader_cfg=arc_columns,
        infer_cfg=arc_infer,
        eval_cfg=arc_eval,
    )
]
