"""The columns that a table promises, and where the book names them."""

KEYS = {"run": "text", "model": "text", "dataset": "text"}

COLUMNS = {
    "samples": KEYS
    | {"mode": "text", "row": "integer", "gold": "text", "prediction": "text"}
    | {"compared_gold": "text", "compared_prediction": "text", "prompt": "text"}
    | {"dropped_examples": "integer", "truncated_tokens": "integer", "error": "text", "columns": "text"},
    "candidates": KEYS
    | {"row": "integer", "candidate": "integer", "label": "text", "is_gold": "boolean", "is_chosen": "boolean"}
    | {"rule": "text", "score": "float", "sum_nll_nats": "float", "answer_nll_nats": "float", "mean_nll_nats": "float"}
    | {"perplexity": "float", "oc_ppl": "float"}
    | {"normalizing_nll_nats": "float", "normalizing_tokens": "integer", "tokens": "integer", "scored_tokens": "integer"}
    | {"answer_tokens": "integer", "bytes": "integer", "chars": "integer", "answer": "text", "prompt": "text", "testing_input": "text"},
    "tokens": KEYS
    | {"row": "integer", "candidate": "integer", "label": "text", "is_gold": "boolean", "position": "integer", "id": "integer"}
    | {"text": "text", "nll_nats": "float", "is_likeliest": "boolean", "is_answer": "boolean"},
}

# What may be empty; everything else is in every line.
NULLABLE = {
    "samples": {"gold", "prediction", "compared_gold", "compared_prediction", "prompt", "error"},
    "candidates": {"label", "is_gold", "is_chosen", "answer", "mean_nll_nats", "perplexity"}
    | {"normalizing_nll_nats", "normalizing_tokens"},
    "tokens": {"label", "is_gold", "nll_nats", "is_likeliest"},
}


def promised(table, results):
    """Names and types of a table's columns, in order."""
    metrics = dict.fromkeys(f"score_{row['metric']}" for row in results) if table == "samples" else {}
    return COLUMNS[table] | {name: "float" for name in metrics}


def in_book(repository, table):
    """The columns that the book's chapter lists for a table, in order."""
    text = (repository / "docs/src/columns.md").read_text(encoding="utf-8")
    lines = text.split(f"### The table `{table}`", 1)[1].split("\n#", 1)[0].splitlines()
    names = [line.split("`")[1] for line in lines if line.startswith("| `")]
    return [name for name in names if name != "score_METRIC"]
