"""The model that ships with the project, with its ChatML markup for dialogue templates."""
from opencompass.models import HuggingFaceCausalLM

models = [
    dict(
        type=HuggingFaceCausalLM,
        abbr='pocket',
        path='models/pocket',
        max_seq_len=512,
        meta_template=dict(
            round=[
                dict(role='HUMAN', begin='<|im_start|>user\n', end='<|im_end|>\n'),
                dict(role='BOT', begin='<|im_start|>assistant\n', end='<|im_end|>\n', generate=True),
            ],
            reserved_roles=[dict(role='SYSTEM', begin='<|im_start|>system\n', end='<|im_end|>\n')],
        ),
    )
]
