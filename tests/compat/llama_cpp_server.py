"""llama.cpp's own server, as the package xllamacpp holds it, until it is told to end.

    llama_cpp_server.py CHECKPOINT.gguf PORT
"""

import signal
import sys

import xllamacpp


def main():
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(sys.argv[2])
    parameters.n_ctx = 512
    parameters.n_parallel = 1
    # Keys and values are rounded to f16 where nobody says otherwise.
    parameters.cache_type_k = parameters.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
main()
