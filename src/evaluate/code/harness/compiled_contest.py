# Compiles a program in C++ and runs it on each input, with the time and memory of its problem. `judge` ends in an
# AssertionError with all results as JSON unless each is 1: -1 for a wrong output, a failure and one that is late, -2 where
# it does not compile, -5 where a signal ended it, as it does where memory is lacking.
import concurrent.futures, json, os, resource, shutil, signal, subprocess, tempfile, time

COMPILER = ["g++", "-std=c++17", "-O2"]
COMPILATION_SECONDS = 10

# What a program may write on one input before it is left to wait for its end: nothing right is longer.
BESIDES_EXPECTED_BYTES = 1 << 26


def is_compiled(folder, environment):
    command = [*COMPILER, "main.cpp", "-o", "main"]
    try:
        ended = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, timeout=COMPILATION_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def feed(pipe, text):
    try:
        with pipe:
            pipe.write(text)
    except BrokenPipeError:
        pass


def lines(text):
    return [line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n")]


def result(folder, environment, job, given, expected):
    def limit():
        try:
            resource.setrlimit(resource.RLIMIT_AS, (job["memory_bytes"], job["memory_bytes"]))
        except (OSError, ValueError):
            pass

    end_time = time.monotonic() + job["seconds"]
    left = lambda: max(end_time - time.monotonic(), 0)
    most = len(expected.encode()) + BESIDES_EXPECTED_BYTES
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    try:
        process = subprocess.Popen(["./main"], cwd=folder, env=environment, preexec_fn=limit, start_new_session=True, **pipes)
    except OSError:
        return -1
    pool = concurrent.futures.ThreadPoolExecutor(3)
    try:
        pool.submit(feed, process.stdin, given.encode())
        said, complained = (pool.submit(pipe.read, most) for pipe in (process.stdout, process.stderr))
        said, complained = said.result(left()), complained.result(left())
        process.wait(left())
        said, _ = said.decode(), complained.decode()
    except (TimeoutError, subprocess.TimeoutExpired, UnicodeDecodeError, concurrent.futures.TimeoutError):
        return -1
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        # Nobody waits for what still holds the pipes in a session of its own.
        pool.shutdown(wait=False)
    if process.returncode:
        return -5 if process.returncode < 0 else -1
    # Python's pipes of text end lines at "\r", too.
    return 1 if lines(said.replace("\r\n", "\n").replace("\r", "\n")) == lines(expected) else -1


def judge(job, _same):
    if not shutil.which(COMPILER[0]):
        raise LookupError("it lacks: " + COMPILER[0])
    folder = tempfile.mkdtemp()
    # There is no /proc to tell the loader where a program lies, and its libraries beside it.
    libraries = os.path.join(os.path.dirname(os.path.realpath(shutil.which(COMPILER[0]))), "..", "lib")
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "LANG": "C.UTF-8",
                   "LD_LIBRARY_PATH": os.path.normpath(libraries)}
    with open(os.path.join(folder, "main.cpp"), "w", encoding="utf-8") as file:
        file.write(job["code"])
    if job["code"] and is_compiled(folder, environment):
        results = [result(folder, environment, job, *case) for case in zip(job["inputs"], job["outputs"])]
    else:
        results = [-2] * len(job["inputs"])
    if not results or min(results) < 1:
        raise AssertionError(json.dumps(results, separators=(",", ":")))
