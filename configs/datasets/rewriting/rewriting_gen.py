"""Question rewriting by a short chain of thought: does the question need its history, and if so, how
does it read without it?"""
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

rewriting_datasets = [
    dict(
        abbr='rewriting',
        path='configs/datasets/rewriting',
        reader_cfg=dict(input_columns=['history', 'question'], output_column='output'),
        infer_cfg=dict(
            ice_template=dict(
                type=PromptTemplate,
                template='HISTORY:\n[{history}]\nNOW QUESTION: {question}\nNEED COREFERENCE RESOLUTION: {need} '
                '=> THOUGHT: {thought} => OUTPUT QUESTION: {output}',
            ),
            prompt_template=dict(
                type=PromptTemplate,
                template='</E>HISTORY:\n[{history}]\nNOW QUESTION: {question}\nNEED COREFERENCE RESOLUTION: ',
                ice_token='</E>',
            ),
            retriever=dict(type=FixKRetriever, fix_id_list=[0, 1]),
            inferencer=dict(type=GenInferencer, max_out_len=120, stopping_criteria=['\n']),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator), pred_postprocessor=dict(type='cot_output')),
    )
]
