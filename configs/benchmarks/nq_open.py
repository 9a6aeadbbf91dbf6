"""Natural Questions, open: what people asked a search engine, answered from memory.

source: google-research-datasets/nq_open, split validation, examples from train; Lee et al. 2019
licence: CC BY-SA 3.0
size: 3,610
asks: gen, 5 shots
metric: score (exact match with any of the answers, without case, articles and punctuation)
opencompass: nq_gen, in other words, without examples, and a reply that contains the answer counts
lm-eval: nq_open, exact_match; the same wording below a line that tells the task, by default without examples; a
  reply also ends at a full stop or a comma
unchecked: the repository as it is today, so no revision is pinned
"""
from opencompass.openicl.icl_evaluator import EMEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import FixKRetriever

datasets = [
    dict(
        abbr='nq_open',
        path='google-research-datasets/nq_open',
        reader_cfg=dict(
            input_columns=['question'], output_column='answer', test_split='validation'
        ),
        infer_cfg=dict(
            ice_template=dict(type=PromptTemplate, template='Q: {question}?\nA: {answer[0]}'),
            prompt_template=dict(
                type=PromptTemplate, template='</E>Q: {question}?\nA:', ice_token='</E>'
            ),
            retriever=dict(
                type=FixKRetriever,
                fix_id_list=[0, 1, 2, 3, 4],
                ice_separator='\n\n',
                ice_eos_token='\n\n',
            ),
            inferencer=dict(type=GenInferencer, max_out_len=32, stopping_criteria=['\n']),
        ),
        eval_cfg=dict(evaluator=dict(type=EMEvaluator)),
    )
]
