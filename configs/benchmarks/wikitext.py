"""WikiText-2: how much articles of Wikipedia surprise the model.

source: EleutherAI/wikitext_document_level, table wikitext-2-raw-v1, split test; Merity et al. 2016
licence: CC BY-SA 3.0
size: 62
asks: ppl_only, 0 shots
metric: average_ppl, in nats a token, each article with the same weight; lower is better
opencompass: has none
lm-eval: wikitext tells perplexities of words and bytes over articles in full, detokenised; here an article is
  cut at max_seq_len, which is warned of, and tokens are counted, so figures of models with different
  tokenizers cannot be compared
unchecked: the repository as it is today, so no revision is pinned
"""
from mmengine.config import read_base
from opencompass.openicl.icl_evaluator import AveragePPLEvaluator
from opencompass.openicl.icl_inferencer import PPLOnlyInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate

with read_base():
    from .parts.scoring import no_examples

datasets = [
    dict(
        abbr='wikitext',
        path='EleutherAI/wikitext_document_level',
        name='wikitext-2-raw-v1',
        reader_cfg=dict(input_columns=['page'], output_column=None, train_split='test'),
        infer_cfg=dict(
            prompt_template=dict(type=PromptTemplate, template='{page}'),
            retriever=no_examples,
            inferencer=dict(type=PPLOnlyInferencer),
        ),
        eval_cfg=dict(evaluator=dict(type=AveragePPLEvaluator)),
    )
]
