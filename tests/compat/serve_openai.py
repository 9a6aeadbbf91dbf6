"""Asks `surprisal serve` with the package `openai`: completions, chats, streams, errors.

    serve_openai.py CHECKPOINT

SURPRISAL names the program.
"""

import asyncio
import os
import sys
import time

import openai

from serve_process import Server

passed = failed = 0


def check(what, holds, seen=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"{what}: {seen}", file=sys.stderr)


def refused(kind, ask):
    """The error of this kind that `ask` ends with."""
    try:
        ask()
    except kind as error:
        return error
    except openai.APIError as error:
        check(kind.__name__, False, error)
    else:
        check(kind.__name__, False, "was answered")
    return None


def completions(client, model):
    prompts = ["Who is she?", "你好"]
    echoed = client.completions.create(model=model, prompt=prompts, max_tokens=0, echo=True, logprobs=2)
    for prompt, choice in zip(prompts, echoed.choices):
        lists = choice.logprobs
        check("echo", choice.text == prompt and choice.finish_reason == "length", choice)
        lengths = {len(lists.tokens), len(lists.token_logprobs), len(lists.top_logprobs), len(lists.text_offset)}
        check("lengths of logprobs", len(lengths) == 1, lengths)
        check("the first has no score", lists.token_logprobs[0] is None)
        check("likeliest", all(max(top.values()) >= own for top, own in zip(lists.top_logprobs[1:], lists.token_logprobs[1:])))
    check("usage", echoed.usage.completion_tokens == 0 and echoed.usage.prompt_tokens == sum(len(c.logprobs.tokens) for c in echoed.choices))

    asked = dict(model=model, prompt=prompts, max_tokens=12, n=2, seed=5, temperature=0.9, top_p=0.95)
    whole = client.completions.create(**asked)
    texts = [""] * 4
    for chunk in client.completions.create(**asked, stream=True):
        texts[chunk.choices[0].index] += chunk.choices[0].text
    check("a stream says what the whole says", texts == [choice.text for choice in whole.choices], (texts, whole))


def chats(client, model):
    messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Who is she?"}]
    asked = dict(model=model, messages=messages, max_completion_tokens=16, temperature=0, stop=["\n"])
    whole = client.chat.completions.create(**asked, logprobs=True, top_logprobs=3)
    (choice,) = whole.choices
    check("a message", choice.message.role == "assistant" and isinstance(choice.message.content, str), choice)
    check("logprobs", len(choice.logprobs.content) == whole.usage.completion_tokens, choice)
    check("top_logprobs", all(len(token.top_logprobs) == 3 for token in choice.logprobs.content), choice)
    text, usage = "", None
    for chunk in client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}):
        text += "".join(part.delta.content or "" for part in chunk.choices)
        usage = chunk.usage or usage
    check("a streamed message", text == choice.message.content, text)
    check("usage of a stream", usage == whole.usage, usage)
    with client.chat.completions.stream(**asked) as stream:
        check("the helper for streams", stream.get_final_completion().choices[0].message.content == text)


def errors(client, model, address):
    error = refused(openai.NotFoundError, lambda: client.completions.create(model="other", prompt="a"))
    check("an unknown model", error and error.code == "model_not_found" and error.param == "model", error)
    error = refused(openai.BadRequestError, lambda: client.completions.create(model=model, prompt="a", presence_penalty=1))
    check("a field that is not done", error and error.param == "presence_penalty", error)
    error = refused(openai.BadRequestError, lambda: client.completions.create(model=model, prompt="a", extra_body={"guided": 1}))
    check("a field that is not known", error and error.param == "guided", error)
    error = refused(openai.BadRequestError, lambda: client.completions.create(model=model, prompt="a", max_tokens=10**6))
    check("too many tokens", error and error.code == "context_length_exceeded", error)
    stranger = openai.OpenAI(base_url=f"{address}/v1", api_key="wrong", max_retries=0)
    refused(openai.AuthenticationError, stranger.models.list)


async def many(address, model):
    """Answers to many at once are those to each alone."""
    client = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="secret")

    async def ask(number):
        chat = await client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": f"What is {number}?"}], max_tokens=10, seed=number
        )
        return chat.choices[0].message.content

    together = await asyncio.gather(*(ask(number) for number in range(40)))
    alone = [await ask(number) for number in range(40)]
    check("many at once", together == alone, [pair for pair in zip(together, alone) if pair[0] != pair[1]])


def main():
    began = time.monotonic()
    os.environ["SERVE_KEY"] = "secret"
    with Server(sys.argv[1], "--api-key-env", "SERVE_KEY") as server:
        client = openai.OpenAI(base_url=f"{server.address}/v1", api_key="secret", max_retries=0)
        (model,) = [model.id for model in client.models.list()]
        check("a model by name", client.models.retrieve(model).id == model)
        completions(client, model)
        chats(client, model)
        errors(client, model, server.address)
        asyncio.run(many(server.address, model))
    print(f"serve_openai: {passed} passed, {failed} failed")
    print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
    sys.exit(failed > 0)


main()
