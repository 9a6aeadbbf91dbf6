#!/usr/bin/env python3
"""Lets PyPI's torch be imported where there is no GPU, without the gigabytes of NVIDIA's wheels that it names.

    PYTHON stub_cuda.py

PYTHON is that of the environment where torch was installed with `--no-deps`. For each library that torch's own want and that is not
there, a small one is written beside them: every function gives 100, which is cudaErrorNoDevice, so that
`torch.cuda.is_available()` is False. For comparisons on a machine of one's own; never to be shipped.
"""

import collections
import importlib.util
import re
import subprocess
import tempfile
from pathlib import Path

#: What functions of CUDA's libraries begin with, where torch names no version of them.
OF_CUDA = re.compile(r"(cu|nccl|nvrtc|nvshmem|cudnn|nvml|_Z.*(cu|nv))")
#: Libraries whose functions begin with their own name; whatever is left belongs to the runtime.
NAMED_AS_FUNCTIONS = re.compile(r"lib(cudnn|nccl|nvshmem_host|cufile|cusparseLt)\.")
RUNTIME = "libcudart.so.13"


def said(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def symbols(libraries):
    """Functions that libraries want, those that they have, and which library a version belongs to."""
    wanted, defined, owners = set(), set(), {}
    for library in libraries:
        owner = None
        for line in said("readelf", "-W", "-V", library).splitlines():
            if found := re.search(r"File: (\S+)", line):
                owner = found[1]
            elif (found := re.search(r"Name: (\S+)\s+Flags", line)) and owner:
                owners[found[1]] = owner
        for line in said("readelf", "-W", "--dyn-syms", library).splitlines():
            columns = line.split()
            if len(columns) >= 8 and columns[4] in ("GLOBAL", "WEAK"):
                (wanted if columns[6] == "UND" else defined).add(columns[7])
    return wanted, defined, owners


def by_library(missing, wanted, defined, owners):
    """The functions of each missing library, by version."""
    functions = collections.defaultdict(lambda: collections.defaultdict(set))
    for symbol in wanted:
        name, _, version = symbol.partition("@")
        version = version.lstrip("@")
        if owners.get(version) in missing:
            functions[owners[version]][version].add(name)
        elif not version and OF_CUDA.match(name) and name not in defined:
            start = lambda library: library[3:].split(".")[0].split("_")[0].lower()  # noqa: E731
            own = [one for one in sorted(missing) if NAMED_AS_FUNCTIONS.match(one) and name.lower().startswith(start(one))]
            functions[own[0] if own else RUNTIME][""].add(name)
    return functions


def write(library, versions):
    names = sorted(set().union(*versions.values())) or ["nothing"]
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder, "stub.c"), Path(folder, "versions.map")
        is_text = lambda name: "String" in name or "Name" in name  # noqa: E731
        bodies = (
            f'const char* {name}(void){{return "stub";}}\n' if is_text(name) else f"int {name}(void){{return 100;}}\n"
            for name in names
        )
        source.write_text("".join(bodies))
        named = {version: own for version, own in versions.items() if version}
        script.write_text("".join(f"{version} {{ global: {'; '.join(sorted(own))}; }};\n" for version, own in named.items()))
        command = ["gcc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", library, source]
        subprocess.run(command + ([f"-Wl,--version-script={script}"] if named else []), check=True)
    print(f"{library.name}: {len(names)} functions that say there is no device")


def main():
    folder = Path(importlib.util.find_spec("torch").submodule_search_locations[0], "lib")
    libraries = sorted(path for path in folder.iterdir() if ".so" in path.name)
    missing = {name for library in libraries for name in re.findall(r"(\S+) => not found", said("ldd", library))}
    functions = by_library(missing, *symbols(libraries))
    for name in sorted(missing):
        write(folder / name, functions[name])


if __name__ == "__main__":
    main()
