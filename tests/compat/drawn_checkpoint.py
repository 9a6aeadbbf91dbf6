"""Checkpoints with drawn weights, as transformers saves and loads them, and what it computes with them in f32."""

import shutil

import torch


def numbers(tensor, ends):
    """A tensor as the fixtures have it: its shape, its ends and its sums."""
    flat = torch.as_tensor(tensor).float().flatten()
    sums = dict(sum=flat.double().sum().item(), abs_sum=flat.double().abs().sum().item())
    return dict(shape=list(tensor.shape), first=flat[:ends].tolist(), last=flat[-ends:].tolist(), **sums)


def with_drawn_weights(model, seed):
    """The same model with weights that let every part have a say; Gemma's norms are kept as what is added to 1."""
    generator = torch.Generator().manual_seed(seed)
    is_gemma = 'gemma' in model.config.model_type
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            drawn = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() <= 1:
                is_scale = 'norm' in name and name.endswith('weight') and not is_gemma
                parameter.copy_(float(is_scale) + 0.15 * drawn)
            else:
                is_embedding = 'embed' in name and parameter.dim() == 2
                parameter.copy_(drawn * (0.4 if is_embedding else 1.1 / parameter[0].numel() ** 0.5))
    model.tie_weights()
    return model


def saved_and_loaded(model, folder, beside):
    """A model whose weights were stored in bf16, and the files of `beside` that are not weights, in `folder`."""
    kind = type(model)
    model.bfloat16().save_pretrained(folder)
    for file in beside.iterdir():
        if file.name != 'config.json' and file.suffix != '.safetensors' and file.name != 'expected.json':
            shutil.copy(file, folder)
    return kind.from_pretrained(folder, dtype=torch.float32, attn_implementation='eager').eval()


def computed(model, inputs, placeholder):
    """Surprisals in nats (none where the target is a placeholder), and the rows that stand in the places of placeholders."""
    first = [
        module
        for name, module in model.named_modules()
        if name.endswith('layers.0') and not any(part in name for part in ('vision', 'visual', 'tower', 'encoder', 'audio'))
    ]
    [layer] = first
    seen = {}

    def keep(_, given, named):
        seen['rows'] = (given[0] if given else named['hidden_states']).detach()

    hook = layer.register_forward_pre_hook(keep, with_kwargs=True)
    with torch.no_grad():
        logits = model(**inputs).logits[0].float()
    hook.remove()
    ids = inputs['input_ids'][0].tolist()
    of_tokens = torch.log_softmax(logits, -1)
    nll = [None if target == placeholder else -of_tokens[at, target].item() for at, target in enumerate(ids[1:])]
    places = [at for at, id in enumerate(ids) if id == placeholder]
    embeds = dict(positions=[places[0], places[-1]], count=len(places), **numbers(seen['rows'][0][places], 16))
    return dict(ids=ids, nll=nll, image_embeds=embeds)


def continued(model, inputs):
    """The eight likeliest tokens one after the other, and by how much the likeliest leads at least."""
    with torch.no_grad():
        found = model.generate(
            **inputs, do_sample=False, max_new_tokens=8, min_new_tokens=8, eos_token_id=None, pad_token_id=0,
            return_dict_in_generate=True, output_logits=True,
        )
    leads = [torch.topk(logits[0].float(), 2).values for logits in found.logits]
    margin = min((first - second).item() for first, second in leads)
    return dict(greedy=found.sequences[0][inputs['input_ids'].shape[1] :].tolist(), greedy_margin=margin)
