"""A GGUF file with its tensors in f32, and with tokens that end texts: two programs that read it compute the same numbers.

    gguf_in_f32.py FROM.gguf TO.gguf

Needs the package gguf.
"""

import sys

import gguf

#: `<|im_end|>` and `<|endoftext|>`, which llama.cpp takes for ends by their names, whatever the file says.
ENDS = 2, 0


def main():
    reader = gguf.GGUFReader(sys.argv[1])
    writer = gguf.GGUFWriter(sys.argv[2], reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kind = field.types[0]
        of = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), kind, sub_type=of)
    writer.add_eos_token_id(ENDS[0])
    writer.add_eot_token_id(ENDS[1])
    for tensor in reader.tensors:
        numbers = gguf.dequantize(tensor.data, tensor.tensor_type).astype("float32")
        writer.add_tensor(tensor.name, numbers.reshape([int(size) for size in reversed(tensor.shape)]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
