"""Counts what passed and what failed, and tells it in the end."""
import sys
import threading

# Letters of a failure that are told.
LONGEST = 600


class Tally:
    def __init__(self, name):
        self.name = name
        self.passed = self.failed = 0
        self.counts = {}
        self.lock = threading.Lock()

    def note(self, what):
        """Counts something that is no failure but worth a figure."""
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def record(self, what, failures):
        """One point: it fails with any failure, and the first is told."""
        with self.lock:
            if failures:
                self.failed += 1
                more = f' (and {len(failures) - 1} more)' if len(failures) > 1 else ''
                print(f'{what}: {str(failures[0])[:LONGEST]}{more}', file=sys.stderr, flush=True)
            else:
                self.passed += 1

    def end(self):
        for what, count in sorted(self.counts.items()):
            print(f'{what}: {count}')
        print(f'{self.name}: {self.passed} passed, {self.failed} failed')
        sys.exit(self.failed > 0)
