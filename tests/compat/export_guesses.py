"""What readers are known to make of a table whose format names no types: JSON lines and CSV.

Parquet is not here, and must not be. A guess that is not listed fails, and so does one that is no longer made.
"""

# Runs, tables, libraries and format, columns, and what becomes of some of their values.
KNOWN = [
    # A name such as 20261122_143359 is a number to Python.
    ("*", "*", "pandas jsonl", "run", "a number"),
    # Numbers that are all whole, and truth values with gaps.
    ("generated normalized numbers odd unsaid", "samples", "pandas jsonl", "score_accuracy", "an integer"),
    ("plain late", "candidates", "pandas jsonl", "is_gold is_chosen", "a number"),
    ("plain late", "tokens", "pandas jsonl", "is_gold", "a number"),
    ("normalized numbers unsaid failed", "candidates tokens", "pandas jsonl", "is_gold", "a number"),
    ("plain normalized spoken numbers unsaid golds nulls failed late", "tokens", "pandas jsonl", "is_likeliest", "a number"),
    # Texts that are all numbers.
    ("numbers normalized", "samples", "pandas jsonl", "gold compared_gold", "a number"),
    ("numbers normalized", "samples", "* csv", "gold compared_gold", "a number"),
    ("normalized", "samples", "pandas jsonl", "prediction compared_prediction", "a number"),
    ("normalized", "samples", "* csv", "prediction compared_prediction", "a number"),
    ("numbers normalized", "candidates tokens", "pandas jsonl", "label", "a number"),
    ("numbers normalized", "candidates tokens", "* csv", "label", "a number"),
    # Yes and no are truth values to it.
    ("numbers unsaid", "candidates", "duckdb csv", "answer", "another"),
    # An empty text and a missing one are the same in CSV; to pandas NA, null, None and nan are missing, too.
    ("odd", "samples", "* csv", "gold compared_gold", "missing"),
    ("unsaid", "samples", "pandas csv", "gold compared_gold prediction compared_prediction", "missing"),
    ("unsaid", "candidates tokens", "pandas csv", "label", "missing"),
    # Polars takes a column for what its first hundred lines show.
    ("late", "samples", "polars csv", "score_accuracy", "a text"),
    ("late", "candidates", "polars csv", "is_gold is_chosen", "a text"),
    ("late", "tokens", "polars csv", "is_gold", "a text"),
    ("late", "*", "polars jsonl", "", "unreadable"),
    # No lines, no columns.
    ("generated odd", "candidates", "* jsonl", "", "unreadable"),
]


def known(run, table, library, kind):
    """Columns, and what becomes of their values; the column is "" where the file as a whole cannot be read."""
    library = library.split()[0]
    found = set()
    for runs, tables, reader, columns, what in KNOWN:
        is_here = run in runs.split() or runs == "*"
        is_here = is_here and (table in tables.split() or tables == "*")
        if is_here and reader in (f"{library} {kind}", f"* {kind}"):
            found |= {(column, what) for column in columns.split() or [""]}
    unreadable = {("", "unreadable")}
    return unreadable if unreadable <= found else found
