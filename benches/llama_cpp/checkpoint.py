"""A GGUF file of weights that are drawn from integers: `checkpoint.py WORKLOADS NAME TYPE OUT.gguf`.

NAME is one of the models of gen.py in WORKLOADS, or `wide`: the matrices of Llama 3.2 1B in half as many layers, with the
workloads' tokenizer. TYPE is what its matrices are stored as. A file that is there is left alone.
"""

import shutil
import sys
from pathlib import Path

import gguf
import write as converter

WIDE = dict(
    hidden_size=2048, intermediate_size=8192, num_hidden_layers=8, num_attention_heads=32, num_key_value_heads=8
)


def main() -> None:
    workloads, name, kind, out = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
    if out.exists():
        return
    sys.path.insert(0, workloads)
    import gen

    gen.CFG["wide"] = {**gen.CFG["llama25m"], **WIDE}
    folder = out.parent / "drawn" / out.stem
    gen.model(name, str(folder))

    written = converter.write_tokenizer

    def write_tokenizer(writer, checkpoint):
        # Words are divided as Llama 3 divides them, and texts begin with the first token.
        writer.add_tokenizer_pre = lambda _: gguf.GGUFWriter.add_tokenizer_pre(writer, "llama-bpe")
        writer.add_add_bos_token = lambda _: gguf.GGUFWriter.add_add_bos_token(writer, True)
        written(writer, checkpoint)
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(1)

    converter.write_tokenizer = write_tokenizer
    converter.write(folder, out.parent / "drawn", gguf.GGMLQuantizationType[kind.upper()])
    (out.parent / "drawn" / f"{out.stem}.gguf").rename(out)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
