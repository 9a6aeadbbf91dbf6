"""Invented problems of contests, and programs in C++ for them."""


def problem(inputs, outputs, **about):
    """A row; `about` is what its metadata say besides its number."""
    sample = {"inputs": inputs, "outputs": outputs, "fn_name": None, "num_cases": len(inputs)}
    return {"gold": {"question_id": "p", **about}, "evaluation_sample": sample}


def fence(code, language="cpp"):
    return f"So:\n```{language}\n{code}\n```\nThat is all."


def program(body):
    return "#include <cstdlib>\n#include <iostream>\n#include <string>\n#include <thread>\n#include <vector>\nusing namespace std;\nint main() {\n    " + body + "\n}"


LIMITS = {"time_limit_s": 1.0, "memory_limit_mb": 256}
SUM = problem(["1 2\n", "3 4", "-5 5\n"], ["3\n", "7", "0"], **LIMITS)
LINES = problem(["a b c\n"], ["a\nb\n\nc\n"], **LIMITS)
SPACED = problem([""], ["  x  \r\ny\r\n\r\n"], **LIMITS)
LETTERS = problem(["é\n"], ["é"], **LIMITS)
WIDE = problem(["40"], ["ok"], time_limit_s=2, memory_limit_mb=64)
PLAIN = problem(["1"], ["1"])

READ = "long a, b; cin >> a >> b;"
SUMS = [program(f"{READ} cout << a + b << endl;"), program(f"{READ} cout << a + b << \"  \\n\\n\";"), program(f"{READ} printf(\"\\n%ld\", a + b);"),
        program(f"{READ} cout << a - b;"), program("cout << 3;"), program(f"{READ} cout << a + b; return 1;"), program(f"{READ} cout << a + b << flush; abort();"),
        program(f"{READ} if (a > 2) while (true); cout << a + b;"), program(f"{READ} if (a > 2) this_thread::sleep_for(3s); cout << a + b;"), program("cout << a + b;"), "int main() { return 0 }", "int x;",
        program(f"{READ} cerr << \"noise\\n\"; cout << a + b;"), program(f"{READ} cerr << \"\\xff\"; cout << a + b;"), program(f"{READ} cout << a + b << \"\\xff\";"), program(f"{READ} if (a == 3) throw 1; cout << a + b;"),
        program(f"{READ} cout << '+' << a + b;"), program(f"{READ} cout << a + b << '\\r';"), program(f"{READ} while (true) puts(\"x\");"), program("fclose(stdin); cout << 3;"), program(f"{READ} int* none = nullptr; if (a == 3) *none = 1; cout << a + b;")]
ANSWERS = [(SUM, fence(code)) for code in SUMS]
ANSWERS += [(LINES, fence(program("string word; while (cin >> word) cout << word << (word == \"b\" ? \"\\n\\n\" : \"\\n\");"))), (LINES, fence(program("string word; while (cin >> word) cout << word << '\\n';"))),
            (LINES, fence(program("string word; while (cin >> word) cout << word << (word == \"b\" ? \" \\r\\n\\t\\r\\n\" : \" \\r\\n\");"))), (LINES, fence(program("cout << \"a\\rb\\r\\rc\";")))]
ANSWERS += [(SPACED, fence(program(f"cout << \"{text}\";"))) for text in ("x\\ny", "  x\\ny\\n", "x\\n y", "x \\ny")]
ANSWERS += [(LETTERS, fence(program("string word; cin >> word; cout << word;"))), (LETTERS, fence(program("cout << \"é\";"))), (LETTERS, fence(program("cout << \"e\";")))]
ANSWERS += [(WIDE, fence(program(f"int n; cin >> n; vector<char> all(size_t({size}) << 20, 1); cout << (all[n] ? \"ok\" : \"\");"))) for size in (8, 200)]
ANSWERS += [(PLAIN, fence(program("cout << 1;"))), (PLAIN, fence(program("cout << 2;")))]

ONE = program("cout << 1;")
FORMS = [fence(ONE, "CPP"), fence(ONE, "c++"), fence(ONE, ""), ONE, "Sure:\n" + ONE, fence("print(1)", "python") + fence(ONE), fence(ONE) + fence("oops"), fence(ONE, "") + fence("oops", ""), "```cpp\n" + ONE, fence("x") + "```cpp\n" + ONE,
         "Here is ```cpp\n" + ONE + "\n``` and that.", fence("", "cpp") + fence(ONE, "cpp"), "  \n" + ONE + "\n\n", "```\n" + ONE + "\n```"]
# One that has no code is left out, of all that there are too.
WITHOUT = ["I do not know.", "", "```cpp\n```", "one ```"]


def cases(case):
    """All cases, made by `case`."""
    kind = {"type": "CodeCompassEvaluator", "num_process_evaluate": 2, "timeout": 5, "dataset_path": "opencompass/CodeCompass"}
    named = lambda pairs: [({**row, "gold": {**row["gold"], "question_id": f"p{at}"}}, answer) for at, (row, answer) in enumerate(pairs)]
    alike = lambda answers: named([(PLAIN, answer) for answer in answers])
    nameless = [({**row, "gold": {**row["gold"], "question_id": ""}}, answer) for row, answer in alike(FORMS[:1])]
    return [case({**kind, "k_list": [1]}, named(ANSWERS)), case(kind, alike(FORMS)), case({**kind, "k_list": [1, 2]}, alike(WITHOUT + FORMS[:2] + [FORMS[10]])),
            case(kind, alike(WITHOUT)), case({**kind, "k_list": []}, alike([[FORMS[0], fence("oops")], [fence("oops"), FORMS[0], "no code"], ["no code", ""], [fence("oops")] * 2])), case(kind, nameless + alike(FORMS[:2])[1:])]
