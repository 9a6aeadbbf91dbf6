# Writes a program of any language into a file, and runs the commands that compile and run it one after the other.
# `judge` ends in an AssertionError unless each of them ends well in its time.
import os, shutil, subprocess, sys, tempfile


def judge(job, _same):
    commands = [[sys.executable if word == "python3" else word for word in command] for command in job["commands"]]
    lacking = [command[0] for command in commands if not command[0].startswith("./") and not shutil.which(command[0])]
    if lacking:
        raise LookupError("it lacks: " + ", ".join(dict.fromkeys(lacking)))
    folder = tempfile.mkdtemp()
    for name, text in job["files"].items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "LANG": "C.UTF-8",
                   "GOCACHE": folder + "/.go", "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
    for command in commands:
        # There is no /proc to tell the loader where a program lies, and its libraries beside it.
        beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which(command[0]) or folder)), "..", "lib")
        own = {**environment, "LD_LIBRARY_PATH": os.path.normpath(beside)}
        try:
            ended = subprocess.run(command, cwd=folder, env=own, stdin=subprocess.DEVNULL, timeout=job["seconds"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            raise AssertionError("Timeout") from None
        complaint = ended.stderr.decode(errors="replace")
        if ended.returncode != 0 or job["failure"] and job["failure"] in complaint:
            raise AssertionError("Exception: " + complaint[-1000:])
