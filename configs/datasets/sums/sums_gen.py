"""Sums of two-digit numbers, a question and an answer per line, four examples before each."""
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

sums_datasets = [
    dict(
        abbr='sums',
        path='configs/datasets/sums',
        reader_cfg=dict(input_columns=['question'], output_column='answer'),
        infer_cfg=dict(
            # One template serves both: examples show their answer, the question's own is masked.
            ice_template=dict(type=PromptTemplate, template='</E>{question}\n{answer}', ice_token='</E>'),
            retriever=dict(type=FixKRetriever, fix_id_list=[0, 1, 2, 3]),
            inferencer=dict(type=GenInferencer, max_out_len=8, stopping_criteria=['\n']),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
    )
]
