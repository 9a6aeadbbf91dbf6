"""The page that the program writes of a real run."""

import pathlib
import subprocess


def written_pages(program, folder):
    """The page that `run` has written into its folder, and those that `report` writes of the same run."""
    work = pathlib.Path(folder) / 'outputs'
    [first] = work.glob('*/report.html')
    pages = [first]
    for place in range(2):
        path = pathlib.Path(folder) / f'again-{place}.html'
        subprocess.run([program, 'report', 'latest', '-w', work, '-o', path], check=True, capture_output=True)
        pages.append(path)
    return pages


def same_bytes(tally, pages):
    first, *others = [path.read_bytes() for path in pages]
    failures = [f'{path}: other bytes' for path, own in zip(pages[1:], others) if own != first]
    tally.record('the page of a run written three times has the same bytes', failures)
