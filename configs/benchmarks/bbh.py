"""BIG-Bench Hard: 27 tasks on which early models were worse than people, answered after thinking step by step.

source: SaylorTwift/bbh, a table for each task, split test; Suzgun et al. 2022
licence: MIT (the authors' repository; the card names none)
size: 6,511
asks: gen, 0 shots
metric: accuracy, over all questions and over tasks
opencompass: bbh_gen shows three worked examples, and takes out options and words by rules of each task
lm-eval: bbh_zeroshot asks for the answer at once; bbh_cot_fewshot shows three worked examples
unchecked: the repository as it is today, so no revision is pinned, and its licence
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.bbh_tasks import bbh_tasks
    from .parts.scoring import no_examples

_question = '{input}\n\nThink step by step, then end with "So the answer is X.", where X is the answer alone.'

datasets = [
    dict(
        abbr=f'bbh_{task}',
        path='SaylorTwift/bbh',
        name=task,
        reader_cfg=dict(input_columns=['input'], output_column='target', train_split='test'),
        infer_cfg=dict(
            prompt_template=dict(
                type=PromptTemplate, template=dict(round=[dict(role='HUMAN', prompt=_question)])
            ),
            retriever=no_examples,
            inferencer=dict(type=GenInferencer, max_out_len=512),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator),
            # The rest of the line after the last "answer is", without its full stop.
            pred_postprocessor=dict(
                type='regex', pattern=r'(?is:.*)answer is:? *([^\n]*?)\.?[ \t]*(?:\n|$)'
            ),
        ),
    )
    for task in bbh_tasks
]
