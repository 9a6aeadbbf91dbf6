"""Reads the tables of `surprisal export` with pandas, DuckDB and Polars, and compares them with what they promise.

    export.py SURPRISAL REPOSITORY FOLDER

FOLDER is empty and takes the runs. Exit code 1: something is not as promised.
"""

import json
import sys
from pathlib import Path

import pyarrow.parquet

import export_columns
import export_guesses
import export_laws
import export_readers
import export_runs

PARQUET = {"text": "string", "integer": "int64", "float": "double", "boolean": "bool"}
JSON = {"text": str, "integer": int, "float": float, "boolean": bool}


class Checks:
    """Counts what holds. What is said of many lines in one place is one check, told with its first exception."""

    def __init__(self):
        self.exceptions = {}

    def expect(self, place, law, holds, detail=""):
        """`law` holds at `place`; the detail is told where it does not."""
        exceptions = self.exceptions.setdefault((place, law), [])
        if not holds:
            exceptions.append(detail)

    def tell(self):
        """Prints the exceptions and the count; whether there are none."""
        failed = {check: exceptions for check, exceptions in self.exceptions.items() if exceptions}
        for (place, law), exceptions in failed.items():
            more = f" (and {len(exceptions) - 1} more)" if len(exceptions) > 1 else ""
            print(f"FAILED  {place}: {law}: {exceptions[0]}{more}")
        print(f"export: {len(self.exceptions) - len(failed)} passed, {len(failed)} failed")
        return not failed


def own_lines(checks, name, file, columns, nullable):
    """The lines of a table as its JSON says them, after every cell was compared with the column's type."""
    with open(file, encoding="utf-8", newline="") as text:
        lines = [json.loads(line) for line in text.read().split("\n") if line]
    for line in lines:
        checks.expect(name, "columns are those promised", list(line) == list(columns), f"{list(line)}")
    for column, kind in columns.items():
        is_nullable = column in nullable or column.startswith("score_")
        for line in lines:
            value = line.get(column)
            is_right = is_nullable if value is None else type(value) is JSON[kind]
            checks.expect(name, f"{column} is of type {kind}", is_right, f"{value!r}")
    return lines


def schema(checks, name, file, columns):
    """The Parquet file says the promised types itself, whatever the data."""
    found = {field.name: str(field.type) for field in pyarrow.parquet.read_schema(file)}
    promised = {column: PARQUET[kind] for column, kind in columns.items()}
    checks.expect(name, "the schema is as promised", list(found.items()) == list(promised.items()), f"{found}")


def readers(checks, folder, run, table, columns, lines):
    """Every library finds in every format what the lines say, but for the guesses that are known."""
    for library, kind in export_readers.CALLS:
        place = f"{run}/{table}.{kind}, {library}"
        known = export_guesses.known(run, table, library, kind)
        try:
            found = export_readers.read(library, kind, folder / run / f"{table}.{kind}")
            problem = None if list(found) == list(columns) else f"its columns are {list(found)}"
        except Exception as error:  # Whatever a reader says is a finding.
            problem = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
        is_unreadable = known == {("", "unreadable")}
        checks.expect(place, "read or known not to be", is_unreadable == bool(problem), problem or "it can be by now")
        if problem:
            continue
        rows = {len(values) for _, values in found.values()}
        checks.expect(place, "as many lines as were written", rows == {len(lines)}, f"{rows}, written {len(lines)}")
        if rows != {len(lines)}:
            continue
        # Its readers of text do not return the nearest number.
        is_rounded = library == "pandas" and kind != "parquet"
        for column, column_type in columns.items():
            written = [line[column] for line in lines]
            became = export_readers.differences(column_type, written, *found[column], is_rounded)
            expected = {what for name, what in known if name == column}
            detail = f"some of it became {sorted(became) or 'itself'}, known is {sorted(expected) or 'itself'}"
            checks.expect(place, f"{column} comes back", became == expected, detail)


def main():
    surprisal, repository, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    results = export_runs.make(surprisal, repository, folder)
    checks = Checks()
    for table, columns in export_columns.COLUMNS.items():
        named = export_columns.in_book(repository, table)
        missing = [column for column in columns if column not in named]
        checks.expect("the book", f"{table}: all columns in their order", named == list(columns), f"without {missing}")
    for run, told in results.items():
        lines = {}
        for table in export_runs.TABLES:
            columns = export_columns.promised(table, told["results"])
            name = f"{run}/{table}"
            file = folder / run / f"{table}.jsonl"
            lines[table] = own_lines(checks, name, file, columns, export_columns.NULLABLE[table])
            schema(checks, name, folder / run / f"{table}.parquet", columns)
            readers(checks, folder, run, table, columns, lines[table])
        export_laws.check(checks, run, lines, told)
    sys.exit(0 if checks.tell() else 1)


if __name__ == "__main__":
    main()
