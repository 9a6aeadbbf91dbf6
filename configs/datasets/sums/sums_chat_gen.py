"""The same sums as a dialogue: the model's meta_template writes the turns."""
from opencompass.openicl.icl_evaluator import AccEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

sums_chat_datasets = [
    dict(
        abbr='sums_chat',
        path='configs/datasets/sums',
        reader_cfg=dict(input_columns=['question'], output_column='answer'),
        infer_cfg=dict(
            ice_template=dict(
                type=PromptTemplate,
                template=dict(
                    begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Add the numbers.'), '</E>'],
                    round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')],
                ),
                ice_token='</E>',
            ),
            retriever=dict(type=FixKRetriever, fix_id_list=[0, 1]),
            inferencer=dict(type=GenInferencer, max_out_len=8),
        ),
        eval_cfg=dict(evaluator=dict(type=AccEvaluator)),
    )
]
