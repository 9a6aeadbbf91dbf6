# Runs a function on the inputs of a task and on many more, and compares it with the task's own solution. `judge` ends in
# an AssertionError with how both went as JSON unless both passed.
import builtins, copy, json, math, signal, time

import numpy

SHORTEST_SECONDS = 0.2
FACTOR = 4.0
MOST_SECONDS = 60

# Tasks whose functions are right in more than one way.
ONLY_SOMETHING = ("check_str", "text_match_three", "text_starta_endb")
AS_SETS = ("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly", "larg_nnum",
           "intersection_array", "find_dissimilar", "Diff")

# Tasks whose inputs are no JSON: which lists stand for tuples.
LISTS = (2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809)
LISTS_IN_LISTS = (63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780)
BOTH = (259, 401, 445)
FIRST_OF_TWO = (250, 405, 446, 617, 720, 763, 808)
IN_FIRST_OF_TWO = (75, 413, 444, 753)
ALL_LISTS = (580, 615, 791)


class Late(BaseException):
    pass


class AllLate(BaseException):
    pass


def tuples(value):
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def each(values):
    return [tuple(value) for value in values]


def revived(number, given):
    """The arguments that a list in JSON stands for."""
    if number in LISTS:
        return each(given)
    if number in LISTS_IN_LISTS:
        return [each(values) for values in given]
    if number in BOTH:
        return [tuple(each(values)) for values in given]
    if number in IN_FIRST_OF_TWO:
        return [each(given[0]), given[1]]
    if number in (106, 750):
        return [given[0], tuple(given[1])]
    if number == 115:
        return [[set(item) if isinstance(item, list) and item else {} for item in given[0]]]
    if number == 124:
        return (float(given[0]), complex(given[1]))
    if number in FIRST_OF_TWO:
        return [tuple(given[0]), given[1]]
    if number == 278:
        return each([[tuple(item) if isinstance(item, list) else item for item in given[0]]])
    if number == 307:
        return [tuple(given[0]), given[1], given[2]]
    if number == 722:
        return [{key: tuple(value) for key, value in given[0].items()}] + given[1:]
    if number == 252:
        return [complex(given[0])]
    return tuples(given) if number in ALL_LISTS else given


def expected_of(code, entry, inputs):
    """What the task's own solution gives, and how long it takes."""
    names = {}
    exec(code, names)
    results, seconds = [], []
    for given in inputs:
        given, begun = copy.deepcopy(given), time.time()
        results.append(names[entry](*given))
        seconds.append(time.time() - begun)
    return results, seconds


def surface(edge, height):
    return round(edge**2 + 2 * edge * math.sqrt((edge / 2) ** 2 + height**2))


def distance(left, right):
    left, right = str(left), str(right)
    length = max(len(left), len(right))
    return sum(abs(int(a) - int(b)) for a, b in zip(left.zfill(length), right.zfill(length)))


def is_accepted(entry, given, output, expected, atol):
    """Whether an output of a task of MBPP is right, equal or in a way of the task's own."""
    is_equal = output == expected
    if entry == "are_equivalent":
        return True
    if entry == "sum_div":
        return is_equal or output == 0
    if entry == "surface_Area":
        return is_equal or abs(output - surface(*given)) <= atol
    if entry == "digit_distance_nums":
        return is_equal or output == distance(*given)
    if entry in AS_SETS:
        return set(output) == set(expected)
    if entry in ONLY_SOMETHING:
        return output == expected if isinstance(output, bool) else expected == (output is not None)
    return is_equal


def are_floats(value):
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(item, float) for item in value)
    if isinstance(value, numpy.ndarray):
        return value.dtype in (numpy.float64, numpy.float32)
    return isinstance(value, float)


class Judge:
    def __init__(self, job, problem):
        self.is_mbpp, self.entry = job["is_mbpp"], problem["entry_point"]
        self.code, self.atol, self.is_lenient = job["code"], problem["atol"], job["is_lenient"]

    def late(self, *_):
        raise AllLate if time.monotonic() >= self.end_time else Late

    def is_right(self, given, output, expected):
        # EvalPlus looks whether the output is a zero, and then does not note that it is: nothing passes.
        if not self.is_mbpp and self.entry == "find_zero":
            return False
        is_equal = output == expected
        if self.is_mbpp:
            is_equal = is_accepted(self.entry, given, output, expected, self.now_atol)
        # To releases before 0.3 an empty list is one of floats.
        is_empty = isinstance(expected, (list, tuple)) and not expected
        if self.now_atol == 0 and (are_floats(expected) or self.is_lenient and is_empty):
            self.now_atol = 1e-6
        if is_equal or self.now_atol == 0:
            return bool(is_equal)
        if self.is_lenient:
            numpy.testing.assert_allclose(output, expected, atol=self.now_atol)
            return True
        if type(output) is not type(expected):
            return False
        if isinstance(expected, (list, tuple)) and len(output) != len(expected):
            return False
        return bool(numpy.allclose(output, expected, rtol=1e-07, atol=self.now_atol))

    def outcome(self, inputs, expected, seconds):
        limits = [max(SHORTEST_SECONDS, FACTOR * own) for own in seconds]
        self.end_time = time.monotonic() + min(MOST_SECONDS, sum(limits)) + 3
        self.now_atol, names, is_right = self.atol, {}, True
        signal.signal(signal.SIGALRM, self.late)
        try:
            signal.setitimer(signal.ITIMER_REAL, self.end_time - time.monotonic())
            exec(self.code, names)
            function = names[self.entry]
            for given, wanted, limit in zip(inputs, expected, limits):
                try:
                    signal.setitimer(signal.ITIMER_REAL, min(limit, max(self.end_time - time.monotonic(), 1e-3)))
                    output = function(*given)
                    signal.setitimer(signal.ITIMER_REAL, max(self.end_time - time.monotonic(), 1e-3))
                    is_right = self.is_right(given, output, wanted) and is_right
                except AllLate:
                    raise
                except BaseException:
                    is_right = False
        except AllLate:
            return "timeout"
        except BaseException:
            return "fail"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return "pass" if is_right else "fail"


def judge(job, _same):
    problem = json.loads(job["problem"])
    own = problem["prompt"] + problem["canonical_solution"]
    tasks = []
    for name in ("base_input", "plus_input"):
        inputs = problem[name]
        if job["is_mbpp"]:
            number = int(problem["task_id"].split("/")[-1])
            inputs = [revived(number, given) for given in inputs]
        expected, seconds = expected_of(own, problem["entry_point"], inputs)
        if job["is_mbpp"] and problem["entry_point"] in ONLY_SOMETHING:
            expected = [result is not None for result in expected]
        tasks.append((inputs, expected, seconds))
    builtins.exit = builtins.quit = None
    how = [Judge(job, problem).outcome(*task) for task in tasks]
    if how != ["pass", "pass"]:
        raise AssertionError(json.dumps(how))
