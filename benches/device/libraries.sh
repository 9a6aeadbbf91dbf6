# shellcheck shell=bash
# Lets the program find NVIDIA's libraries that Python's packages brought (pip install nvidia-cublas nvidia-curand), or that lie
# anywhere else. To be sourced; `$PYTHON` names the Python that is asked. Where the system finds them nothing is changed.

# cublas_folder: where libcublas.so.13 lies; nothing if it is nowhere, or already found.
cublas_folder() {
    if ldconfig -p 2> /dev/null | grep -q 'libcublas\.so\.13'; then return; fi
    local folder
    IFS=: read -r -a folders <<< "${LD_LIBRARY_PATH:-}"
    for folder in "${folders[@]}"; do
        if [ -n "$folder" ] && [ -e "$folder/libcublas.so.13" ]; then return; fi
    done
    folder=$("${PYTHON:-python3}" - << 'EOF' 2> /dev/null
import pathlib, sys
for root in sys.path:
    for library in sorted(pathlib.Path(root or ".").glob("nvidia/*/lib/libcublas.so.13")):
        print(library.parent)
        sys.exit()
EOF
    )
    [ -n "$folder" ] || folder=$(find /usr /opt /home /root -name libcublas.so.13 -printf '%h\n' -quit 2> /dev/null)
    printf '%s' "$folder"
}

found=$(cublas_folder)
if [ -n "$found" ]; then
    export LD_LIBRARY_PATH=$found${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
# Wheels of other parts lie beside: curand is a folder of its own in some versions.
curand=$(find "${found:-/nowhere}/../.." -maxdepth 3 -name libcurand.so.10 -printf '%h\n' -quit 2> /dev/null)
if [ -n "$curand" ] && [ "$curand" != "$found" ]; then
    export LD_LIBRARY_PATH=$curand:$LD_LIBRARY_PATH
fi
unset found curand
