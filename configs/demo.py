"""What `surprisal demo` runs: generation, perplexity, chain of thought and dialogue on the shipped model."""
from mmengine.config import read_base

with read_base():
    from .datasets.sums.sums_gen import sums_datasets
    from .datasets.choices.choices_ppl import choices_datasets
    from .datasets.rewriting.rewriting_gen import rewriting_datasets
    from .datasets.sums.sums_chat_gen import sums_chat_datasets
    from .models.pocket import models

datasets = sums_datasets + choices_datasets + rewriting_datasets + sums_chat_datasets
