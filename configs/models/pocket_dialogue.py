"""The model that ships to rewrite questions of dialogues, in English and Chinese."""
from opencompass.models import HuggingFaceCausalLM

models = [
    dict(
        type=HuggingFaceCausalLM,
        abbr='pocket_dialogue',
        path='models/pocket_dialogue',
        max_seq_len=1024,
    )
]
