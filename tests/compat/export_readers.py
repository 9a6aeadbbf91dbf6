"""Reads an exported table as its user would: the plain call of each library, no option named."""

import datetime
import math

import duckdb
import pandas
import polars

CALLS = {
    ("pandas", "jsonl"): lambda file: pandas.read_json(file, lines=True),
    ("pandas", "csv"): pandas.read_csv,
    ("pandas", "parquet"): pandas.read_parquet,
    ("duckdb", "jsonl"): lambda file: duckdb.sql(f"SELECT * FROM read_json('{file}')"),
    ("duckdb", "csv"): lambda file: duckdb.sql(f"SELECT * FROM read_csv('{file}')"),
    ("duckdb", "parquet"): lambda file: duckdb.sql(f"SELECT * FROM read_parquet('{file}')"),
    ("polars", "jsonl"): polars.read_ndjson,
    ("polars", "csv"): polars.read_csv,
    ("polars", "parquet"): polars.read_parquet,
    ("polars scan", "jsonl"): lambda file: polars.scan_ndjson(file).collect(),
    ("polars scan", "csv"): lambda file: polars.scan_csv(file).collect(),
    ("polars scan", "parquet"): lambda file: polars.scan_parquet(file).collect(),
}

TYPES = {
    "str": "text", "VARCHAR": "text", "String": "text",
    "int64": "integer", "BIGINT": "integer", "Int64": "integer",
    "float64": "float", "DOUBLE": "float", "Float64": "float",
    "bool": "boolean", "BOOLEAN": "boolean", "Boolean": "boolean",
}  # fmt: skip


def read(library, kind, file):
    """Columns by name: the type and the values, with None for what is missing."""
    table = CALLS[library, kind](str(file))
    if library == "duckdb":
        rows = table.fetchall()
        values = {name: [row[place] for row in rows] for place, name in enumerate(table.columns)}
        return {name: (str(type), values[name]) for name, type in zip(table.columns, table.types, strict=True)}
    if library == "pandas":
        return {name: (str(table[name].dtype), [plain(value) for value in table[name].tolist()]) for name in table}
    return {name: (str(table[name].dtype), table[name].to_list()) for name in table.columns}


def plain(value):
    """A value of pandas, whose missing ones have several names."""
    return None if value is None or value is pandas.NaT or (isinstance(value, float) and math.isnan(value)) else value


def difference(expected, value, is_rounded):
    """What became of a value; None where it is the same."""
    if type(expected) is type(value) and expected == value:
        return None
    if value is None:
        return "missing"
    if isinstance(expected, bool):
        return "a number" if value == float(expected) else "a text" if value == str(expected).lower() else "another"
    if isinstance(expected, float):
        if is_rounded and isinstance(value, float) and math.isclose(expected, value, rel_tol=1e-14, abs_tol=1e-14):
            return None
        if isinstance(value, int) and value == expected:
            return "an integer"
        return "a text" if value == repr(expected) else "another"
    if isinstance(expected, str) and isinstance(value, datetime.date):
        return "a date" if expected.startswith(str(value)[:10]) else "another"
    if isinstance(expected, str) and isinstance(value, bool):
        return "a boolean" if expected.lower() == str(value).lower() else "another"
    if isinstance(expected, str) and isinstance(value, (int, float)):
        return "a number" if float(expected) == value else "another"
    return "another"


def differences(column_type, expected, found_type, values, is_rounded):
    """All that became of a column; its type counts where there is a value to see it by."""
    found = {difference(*pair, is_rounded) for pair in zip(expected, values, strict=True)} - {None}
    present = [value for value in values if value is not None]
    known = TYPES.get(found_type)
    # A column of pandas that holds truth values and gaps has no type of its own.
    if found_type == "object" and column_type == "boolean" and all(isinstance(value, bool) for value in present):
        known = "boolean"
    if present and known != column_type and not found:
        found = {f"of type {found_type}"}
    return found
