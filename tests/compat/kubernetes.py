"""The manifest of `surprisal submit kubernetes` against the schemas that Kubernetes publishes.

    kubernetes.py SURPRISAL

To be started by kubernetes.sh. Strict: a field that is not in a schema is an error. Beside the schema, what an indexed job has to
say is read out of the manifest, and the commands word by word.
"""

import pathlib
import subprocess
import sys

import kubernetes_validate
import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ["1.29", "1.31", "1.33", "1.35"]
RUN = ["configs/demo.py", "--dataset", "sums*", "--limit", "5"]
CHOICES = {
    "bare": ([], RUN),
    "all": (["--gpus", "2", "--cpus", "8", "--memory", "64G", "--parallel", "4", "--name", "mmlu"], RUN),
    "odd words": ([], ["configs/demo.py", "-w", "a b: #c $(HOME) $$x$$ 'é\"", "--dataset", "*"]),
}


def manifest(surprisal, more):
    """What is printed: the two jobs."""
    command = [surprisal, "submit", "kubernetes", "--shards", "16", "--image", "registry.example/it:1", "--claim", "shared"]
    printed = subprocess.run([*command, *more, "--print"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    return list(yaml.safe_load_all(printed.stdout))


def problems(jobs, run):
    """What is wrong with two jobs."""
    for job in jobs:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(job, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{version}: {error.message}"
    shards, merge = (job["spec"]["template"]["spec"]["containers"][0] for job in jobs)
    # As Kubernetes reads them: a pair is one, and one alone begins a variable.
    command = [word.replace("$$", "$") if "$" not in word.replace("$$", "") else None for word in shards["command"]]
    if command != ["surprisal", "run", *run, "--shard", "auto/16"]:
        yield f"the shards' command is {shards['command']}"
    if merge["command"][:2] != ["surprisal", "merge"]:
        yield f"the merge's command is {merge['command']}"
    if (jobs[0]["spec"]["completionMode"], jobs[0]["spec"]["completions"]) != ("Indexed", 16):
        yield "it is no indexed job of 16"


def main():
    surprisal = sys.argv[1]
    passed, failed = 0, 0
    for name, (options, run) in CHOICES.items():
        jobs = manifest(surprisal, [*options, *run])
        found = list(problems(jobs, run))
        # What is not in a schema shows, or nothing of this is a check.
        jobs[0]["spec"]["backoffLimitPerIndices"] = 6
        if not list(problems(jobs, run)):
            found.append("a field that is in no schema is not found")
        print(*(f"{name}: {problem}" for problem in found), sep="\n", end="\n" if found else "")
        passed, failed = passed + (not found), failed + bool(found)
    print(f"kubernetes: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
