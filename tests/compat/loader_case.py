"""How cases of data set classes are written down."""

import io
import json
import unicodedata
import zipfile

import pyarrow
import pyarrow.parquet


def lines(*rows):
    """Rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def listed(*rows):
    """Rows as one list."""
    return json.dumps(list(rows), ensure_ascii=False)


def parquet(*rows):
    """Rows as a Parquet file."""
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
    return {"hex": file.getvalue().hex()}


def archive(texts, apart=False, unmarked=False):
    """Texts as a zip file: accents in their names apart from the letters, or the names in UTF-8 without saying so."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for number, (name, text) in enumerate(texts.items()):
            name = unicodedata.normalize("NFD", name) if apart else name
            made.writestr(name, text, compress_type=None if number else zipfile.ZIP_STORED)
    bytes_ = file.getvalue()
    # The flag stands before each file and in the list at the end.
    if unmarked:
        bytes_ = bytes_.replace(b"PK\3\4\x14\0\0\x08", b"PK\3\4\x14\0\0\0").replace(b"PK\1\2\x14\3\x14\0\0\x08", b"PK\1\2\x14\3\x14\0\0\0")
    return {"hex": bytes_.hex()}


def repository(folder, **configs):
    """A folder that is laid out like a repository on the hub: configs, each with the rows of its splits."""
    card, files = ["---", "configs:"], {}
    for config, splits in configs.items():
        card += [f"- config_name: {config}", "  data_files:"]
        for split, rows in splits.items():
            name = f"{config}/{split}-rows.jsonl"
            card += [f"  - split: {split}", f"    path: {name}"]
            files[f"{folder}/{name}"] = lines(*rows)
    files[f"{folder}/README.md"] = "\n".join([*card, "---", ""])
    return files


class Cases(list):
    """The cases of a subject."""

    def add(self, class_name, entry, files, read=("input", "answer"), split=None, fails=False, type=None):
        """One case: `read` are the columns that the reader names, `split` is what it shows and asks."""
        *inputs, output = read
        reader = {"input_columns": inputs, "output_column": output}
        if split:
            reader |= {"train_split": split, "test_split": split}
        number = sum(case["class"] == class_name for case in self)
        case = {
            "id": f"{class_name}-{number}",
            "class": class_name,
            "entry": {**entry, "reader_cfg": reader},
            "files": files,
        }
        if fails:
            case["fails"] = True
        if type:
            case["type"] = type
        self.append(case)
