# Runs a program on the data of a problem of data science, and has the problem's own test look at what it wrote. `judge`
# ends in an error unless all is right.
import importlib.util, os, pickle, re, shutil, signal, subprocess, sys, tempfile

SECONDS = 60


def run(number):
    """The status in which the program ends on one set of data, and what it complains of."""
    command = [sys.executable, "program.py", "--test_case", str(number)]
    with subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        try:
            complaint = process.communicate(timeout=SECONDS)[1]
            status = process.returncode
            # The original's shell says so of a program that a signal has ended.
            return status if status >= 0 else 128 - status, complaint.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            # Here the shell itself was ended.
            return -signal.SIGTERM, "Timeout"


def missing(complaint, context):
    """Modules that the problem itself imports, and Python does not find."""
    names = re.findall(r"ModuleNotFoundError: No module named '(\w+)", complaint)
    return [name for name in names if re.search(rf"^\s*(import|from)\s+{name}\b", context, re.MULTILINE)
            and importlib.util.find_spec(name) is None]


def module(path):
    spec = importlib.util.spec_from_file_location("test_code", path)
    made = sys.modules["test_code"] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
    except ImportError as error:
        raise LookupError(f"it lacks: {error.name or error}") from None
    return made


def without_prints(code):
    lines = code.split("\n")
    # As in the original a line is passed over after each that goes.
    for line in lines:
        if "print" in line and "#" not in line.split("print"):
            lines.remove(line)
    return "\n".join(lines)


def unpickled(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def judge(job, _same):
    folder = job["folder"]
    os.chdir(tempfile.mkdtemp())
    try:
        shutil.copytree(folder, ".", dirs_exist_ok=True)
    except (OSError, shutil.Error):
        raise LookupError("it lacks: the files of " + folder) from None
    os.chmod(".", 0o700)
    os.mkdir("result")
    with open("program.py", "w", encoding="utf-8") as file:
        file.write(job["context"].replace("[insert]", job["code"]))
    numbers = range(1, max(1, job["cases"]) + 1)
    ended = [run(number) for number in numbers]
    lacking = [name for _, complaint in ended for name in missing(complaint, job["context"])]
    if lacking:
        raise LookupError("it lacks: " + ", ".join(dict.fromkeys(lacking)))
    # One whose time was over has a status below zero; what it wrote until then counts, as in the original.
    assert sum(status for status, _ in ended) <= 0, "\n".join(complaint[-1000:] for _, complaint in ended)
    # The program could write to its copy of what is right.
    shutil.rmtree("ans", ignore_errors=True)
    shutil.copytree(os.path.join(folder, "ans"), "ans")
    test = module(os.path.join(folder, "test_code.py"))
    if job["kind"] == 3:
        # It ends in an error where the code is not as wanted; what it returns is not looked at, as in the original.
        test.stringTest(without_prints(job["code"]))
    for number in numbers:
        right = unpickled(f"ans/ans{number}.pkl")
        is_right = test.test(unpickled(f"result/result_{number}.pkl"), right) == 1
    assert is_right, "Wrong result"
