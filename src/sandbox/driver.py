# Runs one program and says how it ended. What it is to run comes over stdin as JSON; how it ended goes to the
# stdout that it was started with, which the program does not have.
import ast, io, json, os, signal, sys

EQUAL = "__opencompass_type_aware_equal"


class OutOfTime(BaseException):
    pass


class NoInput(io.StringIO):
    def _refuse(self, *_):
        raise OSError

    read = readline = readlines = _refuse

    def readable(self):
        return False


def same(left, right):
    """Equal in value and in kind, inside of containers too."""
    kind = type(left)
    if kind is not type(right):
        return False
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (set, frozenset)):
        return pairs_up([(item,) for item in left], [(item,) for item in right])
    if isinstance(left, dict) or hasattr(left, "items") and hasattr(left, "keys"):
        return pairs_up(list(left.items()), list(right.items()))
    try:
        answer = left == right
    except Exception:
        return False
    return type(answer) is bool and answer


def pairs_up(left, right):
    if len(left) != len(right):
        return False
    right = list(right)
    for item in left:
        found = next((at for at, other in enumerate(right) if all(map(same, item, other))), None)
        if found is None:
            return False
        del right[found]
    return True


class Aware(ast.NodeTransformer):
    """`assert a == b` compares with `same`, so that no object can say itself that it is equal."""

    def visit_Assert(self, node):
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            name = ast.Name(id=EQUAL, ctx=ast.Load())
            node.test = ast.Call(func=name, args=[test.left, test.comparators[0]], keywords=[])
        return node


def aware(source):
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    return ast.unparse(ast.fix_missing_locations(Aware().visit(tree)))


def late(*_):
    raise OutOfTime()


def main():
    job, own = json.loads(sys.stdin.buffer.read()), os.getpid()
    os.chdir("/tmp")
    verdict = os.dup(1)
    os.write(verdict, ("\n" + job["nonce"] + json.dumps(["begun", ""]) + "\n").encode())
    nothing = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sources, tests = job["sources"], job["tests"]
    if job["is_type_aware"]:
        tests = [aware(test) for test in tests]
    ended = ["failed", ""]
    names = {}
    signal.signal(signal.SIGALRM, late)
    sys.stdout = sys.stderr = io.StringIO()
    sys.stdin = NoInput()
    sys.argv = ["program"]
    try:
        exec(job["imports"], names)
        signal.setitimer(signal.ITIMER_REAL, job["seconds"])
        for source in sources:
            exec(source, names)
        if job["is_type_aware"]:
            names[EQUAL] = same
        for test in tests:
            exec(test, names)
        signal.setitimer(signal.ITIMER_REAL, 0)
        ended = ["passed", ""]
    except OutOfTime:
        ended = ["timed_out", ""]
    except AssertionError as error:
        ended = ["wrong", str(error)]
    except BaseException as error:
        ended = ["failed", str(error)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    text = "\n" + job["nonce"] + json.dumps([ended[0], ended[1][:8000]]) + "\n"
    # What a program has forked comes here too.
    if os.getpid() == own:
        os.write(verdict, text.encode())
    os._exit(0)


main()
