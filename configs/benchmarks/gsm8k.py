"""GSM8K: word problems of primary school, worked out in a few steps.

source: openai/gsm8k, table main, split test, examples from train; Cobbe et al. 2021
licence: MIT
size: 1,319
asks: gen, 5 shots
metric: accuracy of the last number
opencompass: gsm8k_gen, with four other examples and a dialogue; it compares numbers, not their digits
lm-eval: gsm8k, exact_match; the same wording, examples drawn, and commas taken out of the reply, too
unchecked: the repository as it is today, so no revision is pinned
"""
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

datasets = [
    dict(
        abbr='gsm8k',
        path='openai/gsm8k',
        name='main',
        reader_cfg=dict(input_columns=['question'], output_column='answer'),
        infer_cfg=dict(
            ice_template=dict(
                type=PromptTemplate, template='Question: {question}\nAnswer: {answer}'
            ),
            prompt_template=dict(
                type=PromptTemplate, template='</E>Question: {question}\nAnswer:', ice_token='</E>'
            ),
            retriever=dict(
                type=FixKRetriever,
                fix_id_list=[0, 1, 2, 3, 4],
                ice_separator='\n\n',
                ice_eos_token='\n\n',
            ),
            inferencer=dict(type=GenInferencer, max_out_len=400, stopping_criteria=['Question:']),
        ),
        eval_cfg=dict(
            evaluator=dict(type=AccEvaluator),
            # A comma cuts a number: 1,204 in a reply is read as 204, while the gold loses its commas.
            pred_postprocessor=dict(type='gsm8k'),
            dataset_postprocessor=dict(type='gsm8k_dataset'),
        ),
    )
]
