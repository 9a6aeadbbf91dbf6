"""Train small sentencepiece models and write the ids that the original tools give for texts.

    pip install "transformers==4.57.6" "sentencepiece==0.2.3" protobuf
    python make.py ../fixtures/sentencepiece                # what the tests compare with
    python make.py FOLDER --texts 3000                      # the same with many drawn texts, to look further

Each folder holds `tokenizer.model`, what else a checkpoint has beside it, and `expected.json`: texts
and ids, with the reference that gave them. `sentencepiece` is the library on its own, to which special
tokens are ordinary text; `transformers` is a fast tokenizer class, which converts the file. Version 4 of
transformers is the last that converts a `tokenizer.model` as its `LlamaConverter` does; version 5 builds
every Llama tokenizer anew, whatever its files say.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import unicodedata
from pathlib import Path
from typing import NamedTuple

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from transformers import GemmaTokenizerFast, LlamaTokenizerFast

SEED = 5

SENTENCES = [
    "The following are multiple choice questions with answers.",
    "Question: what is the capital of the country? Answer: the city by the river.",
    "the answer is the answer, and the question is the question",
    "It isn't hers; it's theirs, and they'll say so in 1995 or 12,345.67.",
    "A. one thing  B. two things  C. three things  D. ten things",
    "def add(left, right):\n    return left + right\n",
    "下面是单项选择题，请选出其中的正确答案。答案是一二三",
    "naïve café résumé Größe und Maß, señor",
    "привет мир, как дела",
    "x = [1, 22, 333]; y == {'a': \"b\"}",
]

PIECES = [
    "the", "answer", "Question", "is", "A", "x", "it's", "thing", "things", "1", "12345", ".", ",", "?",
    ":", "(", ")", "==", "'", " ", " ", " ", " ", "  ", "   ", "     ", "\n", "\n\n", " \n", "\r\n", "\t",
    "\u00a0", "\u3000", "\u200b", "\u0301", "e\u0301", "é", "ﬁ", "Ⅳ", "½", "一", "答案", "。", "，", "한국",
    "か\u3099", "😀", "👩‍💻", "▁", "▁▁", "▁the", "\u0000", "ß", "Ω", "\ufeff", "aaaaaaa", "日本語", "عربي", "…",
]

SPECIAL = ["<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<0x0A>", "<extra>", " <extra> ", "<start_of_turn>", "<table>", "[INST]"]

TEXTS = [
    "", " ", "  ", "\n", "\t", "a", " a", "a ", "  a  b  ", "The answer is the answer.", "Question: 12345?\nAnswer: A",
    "naïve café cafe\u0301", "ﬁne Ⅳ ½ ²", "下面是单项选择题", "答案 答案", "😀👩‍💻", "한국 한국", "x\u0000y", "\u3000全角\u00a0", "▁", "▁the▁",
    "the▁", "a\r\nb\n\n\nc", "    indented\n\treturn", "aaaaaaaaaaaa", "it's they'll", "<s>the</s>", "the<s>answer", "<s> the",
    " <unk> ", "<0x0A>", "x<extra>y", "x <extra> y", "<extra>", "the<extra><extra> answer", "<start_of_turn>user\nthe<end_of_turn>",
    "[INST] the [/INST]", "<table>the</table>", "привет, мир", "عربي", "…", "\u200b", "e\u0301\u0302", "か\u3099", "A. one  B. two",
]  # fmt: skip


class Case(NamedTuple):
    """A model to train and how a checkpoint would use it."""

    name: str
    trainer: dict
    config: dict = {}
    added_tokens: dict = {}
    reference: type | None = None


BYTES = {"byte_fallback": True, "split_digits": True, "character_coverage": 0.99}
LLAMA = {
    **BYTES,
    "model_type": "bpe",
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "vocab_size": 460,
}
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}

CASES = [
    Case("llama", LLAMA, {"tokenizer_class": "LlamaTokenizer", **TOKENS}, {}, LlamaTokenizerFast),
    Case(
        "llama_added",
        {**LLAMA, "user_defined_symbols": ["<extra>"]},
        {"tokenizer_class": "LlamaTokenizer", "legacy": True, "add_eos_token": True, **TOKENS, "pad_token": "<pad>"},
        {"<pad>": 460, "[INST]": 461},
        LlamaTokenizerFast,
    ),
    Case(
        "llama_no_prefix",
        LLAMA,
        {"tokenizer_class": "LlamaTokenizer", "add_prefix_space": False, "add_bos_token": False, **TOKENS},
        {},
        LlamaTokenizerFast,
    ),
    Case(
        "llama_not_legacy",
        {**LLAMA, "control_symbols": ["<extra>"]},
        {"tokenizer_class": "LlamaTokenizer", "legacy": False, **TOKENS},
        {},
        LlamaTokenizerFast,
    ),
    Case(
        "gemma",
        {
            **LLAMA,
            "add_dummy_prefix": False,
            "pad_id": 0,
            "eos_id": 1,
            "bos_id": 2,
            "unk_id": 3,
            "eos_piece": "<eos>",
            "bos_piece": "<bos>",
            "allow_whitespace_only_pieces": True,
            "user_defined_symbols": ["<mask>", "\n\n", "▁▁", "▁▁▁", "<table>", "<start_of_turn>", "<end_of_turn>"],
        },
        {"tokenizer_class": "GemmaTokenizer", "pad_token": "<pad>", "eos_token": "<eos>", "bos_token": "<bos>", "unk_token": "<unk>"},
        {},
        GemmaTokenizerFast,
    ),
    Case(
        "bpe_unknown",
        {"model_type": "bpe", "vocab_size": 200, "normalization_rule_name": "identity", "character_coverage": 0.98},
        {"tokenizer_class": "OurTokenizer", "add_bos_token": True},
    ),
    Case("unigram", {"model_type": "unigram", "vocab_size": 200, "normalization_rule_tsv": "RULES", "character_coverage": 0.98}),
    Case(
        "unigram_bytes",
        {
            **BYTES,
            "model_type": "unigram",
            "vocab_size": 420,
            "normalization_rule_name": "identity",
            "remove_extra_whitespaces": False,
            "add_dummy_prefix": False,
        },
    ),
]

# With the rules of Unicode, whose table is too large for a fixture.
WIDE_CASES = [
    Case(
        f"{model}_{rule}{'_prefix' * prefix}{'_extra' * (not extra)}",
        {**BYTES, "model_type": model, "vocab_size": 460, "normalization_rule_name": rule, "add_dummy_prefix": prefix, "remove_extra_whitespaces": extra},
    )
    for model in ["bpe", "unigram"]
    for rule in ["identity", "nfkc", "nmt_nfkc", "nmt_nfkc_cf"]
    for prefix in [True, False]
    for extra in [True, False]
]

# Upper case to lower case, a few compatibility characters, other spaces to spaces, a zero-width space to nothing.
RULES = [(chr(code), chr(code + 32)) for code in range(65, 91)] + [
    ("ﬁ", "fi"), ("½", "1⁄2"), ("\u3000", " "), ("\u00a0", " "), ("\n", " "), ("\t", " "), ("\u200b", ""), ("…", "..."), ("e\u0301", "é"),
]  # fmt: skip


def rules_file(folder: Path) -> str:
    path = folder / "rules.tsv"
    codes = lambda text: " ".join(f"{ord(letter):X}" for letter in text)
    path.write_text("".join(f"{codes(source)}\t{codes(target)}\n" for source, target in RULES))
    return str(path)


def train(case: Case, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.txt"
        drawn = random.Random(SEED)
        words = " ".join(SENTENCES).split(" ")
        lines = SENTENCES * 20 + [" ".join(drawn.choices(words, k=12)) for _ in range(300)]
        corpus.write_text("\n".join(line.replace("\n", " ") for line in lines))
        options = dict(case.trainer)
        if options.get("normalization_rule_tsv"):
            options["normalization_rule_tsv"] = rules_file(Path(scratch))
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus),
            model_prefix=str(folder / "tokenizer"),
            num_threads=1,
            minloglevel=2,
            hard_vocab_limit=False,
            **options,
        )
    (folder / "tokenizer.vocab").unlink()
    # Paths of the machine that trained it.
    file = folder / "tokenizer.model"
    model = sentencepiece_model_pb2.ModelProto.FromString(file.read_bytes())
    for spec, field in [(model.trainer_spec, "input"), (model.trainer_spec, "model_prefix"), (model.normalizer_spec, "normalization_rule_tsv")]:
        spec.ClearField(field)
    file.write_bytes(model.SerializeToString())


def drawn_texts(count: int) -> list[str]:
    drawn = random.Random(SEED)
    pieces = lambda: PIECES if drawn.random() < 0.7 else PIECES + SPECIAL * 2
    texts = ["".join(drawn.choices(pieces(), k=drawn.randrange(1, 40))) for _ in range(count)]
    letters = lambda: chr(drawn.choice([drawn.randrange(32, 127), drawn.randrange(0xA0, 0x2FFF), drawn.randrange(0x3000, 0xD7FF), drawn.randrange(0x1F300, 0x1FAFF)]))
    return texts + ["".join(letters() for _ in range(drawn.randrange(1, 20))) for _ in range(count // 10)]


def stands_alone(letter: str) -> bool:
    """Whether no letter becomes one grapheme with those before it: sentencepiece replaces the longest run of
    letters that it has a rule for, the crate `tokenizers` (and so transformers) whole graphemes or letters."""
    joining = letter in "\r\u200c\u200d" or 0x1100 <= ord(letter) <= 0x11FF or 0x1F3FB <= ord(letter) <= 0x1F3FF
    return not joining and unicodedata.category(letter)[0] != "M" and letter not in "\uff9e\uff9f\u0e33\u0eb3"


def expectations(case: Case, folder: Path, texts: list[str]) -> dict:
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    special = [model.id_to_piece(id) for id in range(len(model)) if model.is_control(id) or model.is_unknown(id)]
    plain = special + SPECIAL + ["<mask>", "<0x"] + list(case.trainer.get("user_defined_symbols", []))
    expected = {"texts": texts, "references": {}}
    if not case.config.get("legacy", True):
        # Text that begins with a space gets no further one there, unlike in sentencepiece.
        plain_texts = [text for text in texts if text[:1] not in (" ", "▁")]
    else:
        plain_texts = texts
    plain_texts = [text for text in plain_texts if not any(token in text for token in plain)]
    if not case.config.get("add_prefix_space", True):
        plain_texts = []
    if case.trainer.get("normalization_rule_name") != "identity":
        plain_texts = [text for text in plain_texts if all(map(stands_alone, text))]
    ids = [model.encode(text) for text in plain_texts]
    # For unknown text sentencepiece writes a sign of its own, and it drops a space of several in front.
    odd = lambda ids: model.unk_id() in ids or (ids and model.id_to_piece(ids[0]) == "▁")
    places = {text: place for place, text in enumerate(texts)}
    if plain_texts:
        expected["references"]["sentencepiece"] = {
            "texts": [places[text] for text in plain_texts],
            "ids": ids,
            "decoded": [None if odd(own) else model.decode(own) for own in ids],
        }
    if case.reference:
        converted = case.reference.from_pretrained(folder, from_slow=True)
        assert converted.is_fast
        ids = [converted.encode(text, add_special_tokens=False) for text in texts]
        # The crate `tokenizers` writes a normalised added token with its space since 0.23, which version 4 has not.
        odd = lambda ids: any(id in case.added_tokens.values() for id in ids)
        expected["references"]["transformers"] = {
            "texts": list(range(len(texts))),
            "ids": ids,
            "decoded": [None if odd(own) else converted.decode(own) for own in ids],
        }
        expected["with_special_tokens"] = {"text": "the", "ids": converted.encode("the")}
    return expected


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--texts", type=int, default=0, help="drawn texts, and more models")
    options = arguments.parse_args()
    texts = list(dict.fromkeys(TEXTS + drawn_texts(options.texts)))
    for case in CASES + WIDE_CASES * bool(options.texts):
        folder = options.folder / case.name
        folder.mkdir(parents=True, exist_ok=True)
        train(case, folder)
        files = {"tokenizer_config.json": case.config, "added_tokens.json": case.added_tokens}
        for name, content in files.items():
            if content:
                (folder / name).write_text(json.dumps(content, indent=1) + "\n")
        expected = expectations(case, folder, texts)
        (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n")
        print(folder.name, (folder / "tokenizer.model").stat().st_size, (folder / "expected.json").stat().st_size)


if __name__ == "__main__":
    main()
