"""Write GGUF files that hold a tokenizer and nothing else, and the ids that it gives for texts.

    pip install "gguf==0.19.0" "tokenizers==0.23.3" "sentencepiece==0.2.3" protobuf
    python make.py ../fixtures/gguf_tokenizers            # what the tests compare with
    python make.py FOLDER --texts 2000                    # every rule of splitting, many drawn texts

Byte-level vocabularies are learned here, by the crate `tokenizers` with the expressions of the models' own
`tokenizer.json`, which also gives the ids. Sentencepiece's are those of `../fixtures/sentencepiece`, stored
as llama.cpp's converter does it; sentencepiece gives the ids.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import NamedTuple

import gguf
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SEED = 7
SENTENCEPIECE = Path(__file__).parent / "../fixtures/sentencepiece"

LEARNED = [
    "The following are multiple choice questions. Question: What is the answer? Answer: A",
    "the answer is the answer, and the question is the question.\n\nQuestion: it's 12345 don't I'LL",
    "A. one thing\nB. two things\nC. three things\nD. 10 things\nAnswer: B\n\nAnswer: C\n",
    "下面是单项选择题，请选出正确答案。\n答案: A\n答案: B\n单项选择题 答案 カタカナ ひらがな",
    "    indented code()\n    return x == 1; // 1999\n\n\tcafé Été naïve ÉaB ΩΣ привет",
]

PIECES = [
    "the", "answer", "Question", "is", "A", "x", "it's", "I'LL", "don't", "O'Re", "'s", "1", "12345", "1999", "½", "Ⅳ", ".", ",",
    "?", ":", "(", ")", "==", "'", "/", "//", "$", "`", "~", " ", " ", " ", " ", "  ", "   ", "     ", "\n", "\n\n", " \n", "\r\n",
    "\t", "\u00a0", "\u3000", "\u200b", "\u0301", "e\u0301", "é", "É", "ÉaB", "ﬁ", "一", "答案", "カ", "。", "，", "한국", "😀", "👩‍💻",
    "▁", "ß", "Ω", "日本語", "عربي", "…", "हिन्दी", "ǅ", "ª", "٣", "<s>", "<|end|>", "  <|end|>", "<extra>", "\u0000",
]  # fmt: skip

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+TAIL"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*TAIL"
)
WORD = r"|[^\r\n\p{L}\p{N}]?\p{L}+|"
MARKS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|"
DEEPSEEK = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"""
)


class Rule(NamedTuple):
    """How words are divided: expressions, and whether GPT-2's own words come last."""

    patterns: list[str]
    gpt2: bool = False
    ignore_merges: bool = False


RULES = {
    "gpt-2": Rule([], gpt2=True),
    "llama-bpe": Rule([CONTRACTIONS + WORD + r"\p{N}{1,3}" + MARKS + SPACES], ignore_merges=True),
    "deepseek-v3": Rule([r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK + SPACES]),
}
WIDE_RULES = {
    "dbrx": Rule([CONTRACTIONS + WORD + r"\p{N}{1,3}" + MARKS + SPACES]),
    "qwen2": Rule([CONTRACTIONS + WORD + r"\p{N}" + MARKS + SPACES]),
    "starcoder": Rule([r"\p{N}"], gpt2=True),
    "falcon": Rule([r"[\p{P}\$\+<=>\^~\|`]+", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", "[0-9][0-9][0-9]"]),
    "tekken": Rule([CASED.replace("TAIL", "") + r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES], ignore_merges=True),
    "gpt-4o": Rule([CASED.replace("TAIL", CONTRACTIONS + "?") + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES]),
    "deepseek-coder": Rule(["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"]),
    "bloom": Rule([r" ?[^(\s|[.,!?…。，、।۔،])]+"]),
    "bailingmoe": Rule([r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"]),
}


def byte_level(name: str, rule: Rule, folder: Path, texts: list[str]) -> dict:
    stages = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in rule.patterns]
    tokenizer = Tokenizer(models.BPE(ignore_merges=rule.ignore_merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*stages, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=rule.gpt2)])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(LEARNED, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens(["<s>", "<|end|>"])
    tokenizer.add_tokens([AddedToken("<extra>", normalized=False), AddedToken("  ", normalized=False)])
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    tokens = [token for token, _ in vocabulary]
    added = tokenizer.get_added_tokens_decoder()
    kinds = [3 if id in added and added[id].special else 4 if id in added else 1 for _, id in vocabulary]
    merges = [" ".join(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    writer = gguf.GGUFWriter(folder / f"{name}.gguf", "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(name)
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<s>"))
    writer.add_eos_token_id(tokens.index("<|end|>"))
    writer.add_add_bos_token(True)
    writer.add_chat_template([{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}])
    write(writer)
    ids = [tokenizer.encode(text).ids for text in texts]
    decoded = [tokenizer.decode(own, skip_special_tokens=False) for own in ids]
    return {"texts": texts, "ids": ids, "decoded": decoded, "around": [[tokens.index("<s>")], []]}


def pieces(name: str, folder: Path, texts: list[str]) -> dict:
    file = SENTENCEPIECE / name / "tokenizer.model"
    model = sentencepiece.SentencePieceProcessor(model_file=str(file))
    # Special tokens are ordinary text to sentencepiece. A user-defined piece of `▁` is one of spaces in the file,
    # so it is not found where the text itself has that sign.
    own = ["<s>", "<|end|>", "<extra>", "▁"]
    texts = [text for text in texts if not any(token in text for token in own)]
    proto = sentencepiece_model_pb2.ModelProto.FromString(file.read_bytes())
    kinds = [piece.type for piece in proto.pieces]
    # User-defined pieces are looked for in the text as it was written, and their scores are no longer scores.
    is_own = [kind == gguf.TokenType.USER_DEFINED for kind in kinds]
    tokens = [piece.piece.replace("▁", " ") if own else piece.piece for piece, own in zip(proto.pieces, is_own)]
    scores = [-1000.0 if own else piece.score for piece, own in zip(proto.pieces, is_own)]
    writer = gguf.GGUFWriter(folder / f"{name}.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    writer.add_bos_token_id(model.bos_id())
    writer.add_eos_token_id(model.eos_id())
    writer.add_unk_token_id(model.unk_id())
    writer.add_add_eos_token(True)
    writer.add_add_space_prefix(name != "gemma")
    writer.add_chat_template("{{ messages }}")
    write(writer)
    ids = [model.encode(text) for text in texts]
    return {"texts": texts, "ids": ids, "decoded": [model.decode(own) for own in ids], "around": [[model.bos_id()], [model.eos_id()]]}


def write(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--texts", type=int, default=0, help="drawn texts, and more rules")
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(SEED)
    texts = ["", " ", *LEARNED] + ["".join(drawn.choices(PIECES, k=drawn.randrange(1, 30))) for _ in range(options.texts or 20)]
    expected = {}
    for name, rule in (RULES | (WIDE_RULES if options.texts else {})).items():
        expected[name] = byte_level(name, rule, options.folder, texts)
    for name in ["llama", "gemma"]:
        expected[name] = pieces(name, options.folder, texts)
    (options.folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
