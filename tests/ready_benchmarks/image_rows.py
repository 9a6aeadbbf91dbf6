"""Writes invented rows of benchmarks with images, in the files and columns that their repositories publish.

    python tests/ready_benchmarks/image_rows.py tests/fixtures/image_benchmarks    # with pyarrow and Pillow

The pictures are stripes; all texts are made up. Cards say which file belongs to which table and split, as the published ones do.
"""

import io
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

ROOT = Path(sys.argv[1])
TEXT = pa.string()
TEXTS = pa.list_(TEXT)
IMAGE = pa.struct([("bytes", pa.binary()), ("path", TEXT)])


def image(number, mode="RGB", form="PNG"):
    """A picture of stripes, no two alike, as the `Image` of `datasets` keeps it."""
    picture = Image.new("RGB", (30 + number, 28))
    picture.putdata(
        [
            (x * 7 % 256, (y * 11 + number * 31) % 256, number * 29 % 256)
            for y in range(picture.height)
            for x in range(picture.width)
        ]
    )
    file = io.BytesIO()
    picture.convert(mode).save(file, form)
    return {"bytes": file.getvalue(), "path": f"{number}.{form.lower()}"}


def write(path, columns, rows):
    """A table of rows, each a list in the order of the columns."""
    path = ROOT / path
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = pa.schema(list(columns.items()))
    table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], schema=schema)
    pq.write_table(table, path)


def card(repository, tables):
    """A card with the files of each split of each table."""
    lines = ["---", "configs:"]
    for table, splits in tables.items():
        lines += [f"- config_name: {table}", "  data_files:"]
        for split, path in splits.items():
            lines += [f"  - split: {split}", f"    path: {path}"]
    (ROOT / repository / "README.md").write_text("\n".join([*lines, "---", ""]))


def mm_bench():
    columns = dict.fromkeys(
        ["index", "question", "hint", "answer", "A", "B", "C", "D", "category", "image", "source", "L2-category", "comment", "split"],
        TEXT,
    ) | {"index": pa.int64(), "image": IMAGE}

    def row(index, question, hint, answer, options, category, number):
        options = options + ["nan"] * (4 - len(options))
        return [index, question, hint, answer, *options, category, image(number), "own", "l2", "nan", "dev"]

    rows = [
        row(241, "Which is größer?", "nan", "A", ["left", "right"], "relation", 1),
        row(252, "What colour?", "Look well.", "C", ["red", "green", "blue", "pink"], "colour", 2),
        row(253, "How many?", "nan", "B", ["one", "two", "three"], "colour", 3),
        row(1000241, "Which is größer?", "nan", "B", ["right", "left"], "relation", 1),
        row(1000252, "What colour?", "Look well.", "D", ["pink", "red", "green", "blue"], "colour", 2),
    ]
    write("lmms-lab/MMBench/en/dev-00000-of-00001.parquet", columns, rows)
    write("lmms-lab/MMBench/cn/dev-00000-of-00001.parquet", columns, rows[:1])
    card("lmms-lab/MMBench", {"cn": {"dev": "cn/dev-*"}, "en": {"dev": "en/dev-*"}})


def mmmu():
    images = [f"image_{number}" for number in range(1, 8)]
    columns = (
        dict.fromkeys(["id", "question", "options", "explanation"], TEXT)
        | dict.fromkeys(images, IMAGE)
        | dict.fromkeys(["img_type", "answer", "topic_difficulty", "question_type", "subfield"], TEXT)
    )

    def row(number, question, options, shown, answer, kind="multiple-choice"):
        pictures = [image(place) if place in shown else None for place in range(1, 8)]
        head = [f"validation_Art_{number}", question, str(options), ""]
        return [*head, *pictures, "['Paintings']", answer, "Easy", kind, "own"]

    rows = [
        row(1, "Who painted <image 1>?", ["Ada", "Bo's", "Cy", "Di"], [1], "B"),
        row(2, "What is <image 1>?", [], [1], "42", "open"),
        row(3, "Which is like <image 1> and <image 2>?", [f"<image {n}>" for n in range(3, 8)], range(1, 8), "E"),
        row(4, "Wie groß ist <image 2>?", ["東京", r"$\frac{1}{2}$"], [1, 2], "A"),
    ]
    write("MMMU/MMMU/Art/validation-00000-of-00001.parquet", columns, rows)
    write("MMMU/MMMU/Design/validation-00000-of-00001.parquet", columns, rows[:1])
    card("MMMU/MMMU", {name: {"validation": f"{name}/validation-*"} for name in ["Art", "Design"]})


def science_qa():
    columns = {"image": IMAGE, "question": TEXT, "choices": TEXTS, "answer": pa.int8()} | dict.fromkeys(
        ["hint", "task", "grade", "subject", "topic", "category", "skill", "lecture", "solution"], TEXT
    )
    more = ["closed choice", "grade2", "natural science", "own", "own", "own", "", ""]
    rows = [
        [None, "Without an image?", ["yes", "no"], 0, "", *more],
        [image(1), "Which is hot?", ["ice", "fire"], 1, " Look. ", *more],
        [image(2, "L"), "Which of five?", list("pqrst"), 4, "", *more],
        [None, "Without one, too?", ["yes", "no"], 1, "", *more],
        [image(3, "P"), "Which is grey?", ["ash", "sea", "sun"], 0, "", *more],
    ]
    write("derek-thomas/ScienceQA/data/test-00000-of-00001-f0e719df791966ff.parquet", columns, rows)


def seed_bench():
    columns = dict.fromkeys(
        ["answer", "choice_a", "choice_b", "choice_c", "choice_d", "data_id", "data_type", "question", "question_id"], TEXT
    ) | {"question_type_id": pa.int16(), "image": pa.list_(IMAGE), "segment": pa.list_(pa.int64())}

    def row(answer, question, pictures, kind):
        return [answer, "one", "two", "thrée", "four", "own", kind, question, "7", 2, pictures, [1, 2]]

    rows = [
        row("A", "How many towels?", [image(1, form="JPEG")], "image"),
        row("D", "What happens?", [image(number, form="JPEG") for number in range(3)], "video"),
        row("C", "Where?", [image(4, "RGBA")], "image"),
    ]
    write("lmms-lab/SEED-Bench/data/test-00000-of-00001.parquet", columns, rows)


def pope():
    columns = dict.fromkeys(["id", "question_id", "question", "answer", "image_source", "image", "category"], TEXT) | {"image": IMAGE}

    def row(number, thing, answer, category):
        question = f"Is there a {thing} in the image?"
        return [str(number), str(number), question, answer, "own", image(number // 2, form="JPEG"), category]

    things = [("dog", "yes", "adversarial"), ("cat", "no", "adversarial"), ("car", "yes", "popular")]
    things += [("cup", "no", "popular"), ("hat", "yes", "random"), ("pen", "no", "random")]
    rows = [row(number, *thing) for number, thing in enumerate(things)]
    write("lmms-lab/POPE/data/test-00000-of-00002.parquet", columns, rows[:2])
    write("lmms-lab/POPE/data/test-00001-of-00002.parquet", columns, rows[2:])
    write("lmms-lab/POPE/Full/popular-00000-of-00001.parquet", columns, rows[2:4])
    card("lmms-lab/POPE", {"Full": {"popular": "Full/popular-*"}, "default": {"test": "data/test-*"}})


def chart_qa():
    columns = {"type": TEXT, "question": TEXT, "answer": TEXT, "image": IMAGE}
    rows = [
        ["human_test", "How many food items?", "14", image(1)],
        ["human_test", "What colour is the peak?", "Gray", image(2)],
        ["augmented_test", "What was the share in 2019?", "57.5%", image(3)],
        ["augmented_test", "Which land had 1,200?", "Côte d'Ivoire", image(4)],
        ["human_test", "What is the difference?", "0", image(5)],
    ]
    write("lmms-lab/ChartQA/data/test-00000-of-00001.parquet", columns, rows)


def doc_vqa():
    columns = {"questionId": TEXT, "question": TEXT, "question_types": TEXTS, "image": IMAGE, "docId": pa.int64()} | {
        "ucsf_document_id": TEXT,
        "ucsf_document_page_no": TEXT,
        "answers": TEXTS,
        "data_split": TEXT,
    }

    def row(number, question, answers):
        return [str(number), question, ["form"], image(number), 2, "own", "1", answers, "val"]

    rows = [
        row(1, "What is the ‘actual’ value?", ["0.28"]),
        row(2, "Which university?", ["university of california", "UC"]),
        row(3, "Which date?", ["12 mai"]),
    ]
    write("lmms-lab/DocVQA/DocVQA/validation-00000-of-00001.parquet", columns, rows)
    write("lmms-lab/DocVQA/InfographicVQA/validation-00000-of-00001.parquet", columns, rows[:1])
    tables = ["DocVQA", "InfographicVQA"]
    card("lmms-lab/DocVQA", {name: {"validation": f"{name}/validation-*"} for name in tables})


def ocr_bench():
    columns = {"dataset": TEXT, "question": TEXT, "question_type": TEXT, "answer": TEXTS, "image": IMAGE}
    rows = [
        ["own", "What is written here?", "Regular Text Recognition", ["CENTRE"], image(1)],
        ["own", "Which number is here?", "Digit String Recognition", ["042"], image(2)],
        ["own", "What does the sign say?", "Scene Text-centric VQA", ["stop", "halt"], image(3)],
        ["own", "What is bought?", "Doc-oriented VQA", ["ÄPFEL"], image(4)],
        ["own", "What is the total?", "Key Information Extraction", ["$12.50"], image(5)],
        ["HME100k", "Write the formula.", "Handwritten Mathematical Expression Recognition", [r"\frac { 1 } { 2 }"], image(6)],
    ]
    write("echo840/OCRBench/data/test-00000-of-00001.parquet", columns, rows)


for benchmark in [mm_bench, mmmu, science_qa, seed_bench, pope, chart_qa, doc_vqa, ocr_bench]:
    benchmark()
