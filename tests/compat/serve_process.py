"""`surprisal serve` as a process, for as long as a `with` lasts."""

import os
import re
import subprocess
import sys


class Server:
    """A model on a free port; its end is asked for with SIGTERM, and has to be 0."""

    def __init__(self, checkpoint, *arguments):
        self.checkpoint = checkpoint
        self.arguments = arguments

    def __enter__(self):
        command = [os.environ["SURPRISAL"], "serve", "--model", str(self.checkpoint), "--port", "0", "--device", "cpu", *self.arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"is served at (http://\S+)/v1;", line)
            if found:
                self.address = found.group(1)
                return self
            print(line, end="", file=sys.stderr)
        sys.exit(f"{' '.join(command)} ended with {self.process.wait()}")

    def cpu_seconds(self):
        """What the process has used so far, user and system."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __exit__(self, *_):
        self.process.terminate()
        said = self.process.stderr.read()
        code = self.process.wait()
        if code != 0:
            sys.exit(f"the server ended with {code}: {said}")
