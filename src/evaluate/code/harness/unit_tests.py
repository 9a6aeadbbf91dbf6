# Takes the code that a task asks for out of an answer, and runs the task's unit tests with it. `judge` ends in an
# AssertionError where the code or a test fails.
import ast, builtins, importlib.util, os, signal, sys, types, unittest


class TimeoutException(Exception):
    pass


def late(*_):
    raise TimeoutException("Timed out!")


def is_python(code):
    try:
        ast.parse(code)
        return True
    except (SyntaxError, MemoryError):
        return False


def longest_code(text):
    """The lines that make the longest stretch of Python, blank lines not counted; at least two lines are tried."""
    lines = text.split("\n")
    filled = [0]
    for line in lines:
        filled.append(filled[-1] + bool(line.strip()))
    best, count = (0, 0), 0
    for first in range(len(lines)):
        for last in range(len(lines) - 1, first, -1):
            own = filled[last + 1] - filled[first]
            if own < count or own == count and best[0] != first:
                break
            # Of stretches with as many filled lines the shortest is meant.
            if own and own >= count and is_python("\n".join(lines[first : last + 1])):
                best, count = (first, last), own
    return "\n".join(lines[best[0] : best[1] + 1])


def names_in(node):
    """Every name in a piece of Python, whatever it names."""
    names = set()
    for part in ast.walk(node):
        for field in ("id", "attr", "arg", "name", "asname", "rest"):
            name = getattr(part, field, None)
            if isinstance(name, str):
                names.update(name.split("."))
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            names.update(part.names)
        if isinstance(part, ast.ImportFrom) and part.module:
            names.update(part.module.split("."))
    return names


def assigned(node):
    """The name that stands directly in an assignment: on the left, or else alone on the right."""
    if isinstance(node, ast.AnnAssign):
        sides = [node.target, node.value]
    else:
        sides = [node.targets[0]] + ([node.value] if len(node.targets) == 1 else [])
    return next((side.id for side in sides if isinstance(side, ast.Name)), None)


def needed_code(text, entry):
    """The imports, and the definitions that the entry needs."""
    code = longest_code(text.strip())
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return ""
    imports, found = [], {}
    for node in body:
        if isinstance(node, ast.Import) or isinstance(node, ast.ImportFrom) and node.module != "__future__":
            imports.append(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not node.decorator_list:
                found.setdefault(node.name, node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            found.setdefault(assigned(node), node)
    reached, queue = {entry}, [entry]
    while queue:
        node = found.get(queue.pop(0))
        new = names_in(node) - reached if node is not None else set()
        reached |= new
        queue += sorted(new)
    kept = imports + [node for name, node in found.items() if name in reached]
    lines = "\n".join(ast.get_source_segment(code, node) for node in kept).splitlines()
    cut = None
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].startswith(" "):
            break
        if entry in lines[at]:
            cut = at
    return "\n".join(lines if cut is None else lines[:cut])


def extracted(text, entry):
    signal.alarm(10)
    try:
        return needed_code(text, entry).strip() or longest_code(text)
    except Exception:
        return ""
    finally:
        signal.alarm(0)


def missing(libraries):
    """The libraries of a task that are not here."""
    return [name for name in libraries if importlib.util.find_spec(name.split(".")[0]) is None]


def judge(job, _same):
    lacking = missing(job["libraries"])
    if lacking:
        raise LookupError("it lacks: " + ", ".join(lacking))
    signal.signal(signal.SIGALRM, late)
    code = job["before"] + extracted(job["text"], job["entry"]) + "\n" + job["tests"]
    os.environ.update(TZ="UTC", MPLBACKEND="Agg")
    builtins.exit = builtins.quit = None
    module = types.ModuleType("__test__")
    vars(module).update(__builtins__=builtins, __file__="__test__.py", __package__=None, sys=sys, os=os,
                        environ=os.environ)
    try:
        exec(compile(code, "__test__.py", "exec"), vars(module))
        sys.modules["__test__"] = module
        suite = unittest.TestLoader().loadTestsFromTestCase(module.TestCases)
        outcome = unittest.TestResult()
        signal.alarm(job["seconds"])
        suite.run(outcome)
        signal.alarm(0)
    except BaseException as error:
        raise AssertionError(f"ALL: {error}") from None
    issues = outcome.failures + outcome.errors
    if issues:
        raise AssertionError("\n".join(test.id().split(".")[-1] for test, _ in issues))
