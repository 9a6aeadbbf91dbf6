"""The program under trial: how it is started, and what it says."""
import json
import os
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get('SURPRISAL', str(REPOSITORY / 'target/release/surprisal'))

# Exit codes that are no crash: everything went well, some samples have no answer, refused with a message.
DONE, SOME_FAILED, REFUSED = 0, 1, 2
LIMIT_SECONDS = 300


def environment():
    """What is not here must be missed, not looked for elsewhere."""
    return {**os.environ, 'HF_HUB_OFFLINE': '1'}


def start(arguments, folder, prefix=()):
    """Starts the program in a folder."""
    pipes = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return subprocess.Popen([*prefix, PROGRAM, *map(str, arguments)], cwd=folder, env=environment(), text=True, **pipes)


class Said:
    """What a process said, and how it ended."""

    def __init__(self, process):
        try:
            self.out, self.err = process.communicate(timeout=LIMIT_SECONDS)
            self.code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, self.err = process.communicate()
            self.code = 'hangs'

    @property
    def is_done(self):
        return self.code == DONE

    @property
    def is_refused(self):
        """Refused as it should be: exit code 2 and a message, no panic."""
        return self.code == REFUSED and self.err.strip() != '' and 'panicked' not in self.err

    @property
    def outcome(self):
        return json.loads(self.out)

    @property
    def results(self):
        return self.outcome['results']

    def lines(self):
        """Lines of a table, without the name of the run, which is its time."""
        rows = [json.loads(line) for line in self.out.splitlines()]
        return [{name: value for name, value in row.items() if name != 'run'} for row in rows]

    def __str__(self):
        return f'exit code {self.code}: {" / ".join(self.err.strip().splitlines()[-3:])[:600]}'


def run(arguments, folder):
    """Runs the program to its end."""
    return Said(start(arguments, folder))
