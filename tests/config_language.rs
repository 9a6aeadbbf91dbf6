//! The config language: what a source evaluates to, and what a mistake says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

use std::{fs, path::Path};

use serde_json::{Map, Value as Json, json};
use surprisal::config::{self, Config, ConfigError};

/// Evaluates `main.py` among these files.
fn load(files: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, source).unwrap();
    }
    config::load(&folder.path().join("main.py"))
}

fn json_of(config: &Config) -> Json {
    let members = config.variables.iter().map(|(name, node)| (name.clone(), node.to_json()));
    Json::Object(members.collect::<Map<_, _>>())
}

/// What the expression or the variable `x` of a source evaluates to.
fn x_of(source: &str) -> Json {
    let is_expression = !source.contains("x = ") && !source.contains("x[");
    let source = if is_expression { format!("x = {source}") } else { source.to_owned() };
    let config = load(&[("main.py", &source)]).unwrap_or_else(|error| panic!("{source}\n{error}"));
    config.get("x").unwrap_or_else(|| panic!("{source} has no x")).to_json()
}

#[test]
fn sources_evaluate_as_in_python() {
    let cases = [
        // Literals and displays.
        (
            "[None, True, 1, -2, 0x10, 1_000, 1.5, 1e3]",
            json!([null, true, 1, -2, 16, 1000, 1.5, 1000.0]),
        ),
        ("'a' \"b\" r'\\n' '\\n'", json!("ab\\n\n")),
        ("dict(a=1, **{'b': 2}, c=(3,))", json!({"a": 1, "b": 2, "c": [3]})),
        ("{**dict(a=1), 'a': 2, 0: 'z'}", json!({"$items": [["a", 2], [0, "z"]]})),
        ("[*range(3), *'ab', *(x for x in [9])]", json!([0, 1, 2, "a", "b", 9])),
        ("{1: 'a', True: 'b', 1.0: 'c'}", json!({"$items": [[1, "c"]]})),
        // Operators.
        (
            "[7 // 2, -7 // 2, -7 % 3, 7 / 2, 2 ** 10, 2 ** -1, 10 % 4.0]",
            json!([3, -4, 2, 3.5, 1024, 0.5, 2.0]),
        ),
        (
            "['a' + 'b', 'ab' * 2, [1] + [2], [0] * 3, (1,) + (2,)]",
            json!(["ab", "abab", [1, 2], [0, 0, 0], [1, 2]]),
        ),
        (
            "[1 < 2 < 3, 1 < 3 < 2, 'b' in 'abc', 3 not in [1], None is None]",
            json!([true, false, true, true, true]),
        ),
        ("[0 or 'x', 1 and [], not '', 5 if [] else 6]", json!(["x", [], true, 6])),
        (
            "[[1, 2] == [1, 2.0], (1, 2) < (1, 3), {'a': [1]} == {'a': [1]}]",
            json!([true, true, true]),
        ),
        ("{'a': 1} | {'b': 2}", json!({"a": 1, "b": 2})),
        ("sorted({1, 2} & {2, 3} | {5})", json!([2, 5])),
        // Texts.
        ("f'{1 + 1}-{\"a\"!r}-{3.14159:.2f}-{7:>{3}}-{{}}'", json!("2-'a'-3.14-  7-{}")),
        ("n = 3\nx = f'{n=}'", json!("n=3")),
        ("'{} {a[k]} {b:>4}|{{}}|{}'.format(*'pq', a={'k': 1}, b=2)", json!("p 1    2|{}|q")),
        ("'{0}{1:{w}}{0!r}'.format('a', 5, w='03d')", json!("a005'a'")),
        ("'%s|%5.1f|%-4d|%%' % ('a', 2.25, 7) + '%(k)s' % {'k': 1}", json!("a|  2.2|7   |%1")),
        ("' A b '.strip().lower().replace('b', 'c').split(' ')", json!(["a", "c"])),
        (
            "['a-b-c'.rsplit('-', 1), 'abc'.partition('b'), 'aXb'.title(), '5'.zfill(3)]",
            json!([["a-b", "c"], ["a", "b", "c"], "Axb", "005"]),
        ),
        ("'-'.join(str(i) for i in range(3))", json!("0-1-2")),
        ("'äöü'[1:] + 'abc'[::-1] + 'abc'[-1]", json!("öücbac")),
        // Containers and aliasing.
        ("a = [1]\nb = a\nb.append(2)\na += [3]\nx = b", json!([1, 2, 3])),
        (
            "d = dict(a=1)\nx = []\nfor k in ['p', 'q']:\n    d['k'] = k\n    x.append(d.copy())",
            json!([{"a": 1, "k": "p"}, {"a": 1, "k": "q"}]),
        ),
        ("import copy\na = [[1]]\nx = copy.deepcopy(a)\na[0].append(2)", json!([[1]])),
        (
            "d = {'b': 1, 'a': 2}\ndel d['b']\nd['b'] = 3\nx = list(d.items())",
            json!([["a", 2], ["b", 3]]),
        ),
        ("x = [1, 2, 3, 4]\nx[1:3] = [9]\ndel x[-1]\nx.insert(0, 8)", json!([8, 1, 9])),
        ("a, (b, *c), d = 1, [2, 3, 4], 5\nx = [a, b, c, d]", json!([1, 2, [3, 4], 5])),
        (
            "x = {}\nx.setdefault('a', []).append(1)\nx.update(b=2, **{'c': 3})\nx.pop('b')",
            json!({"a": [1], "c": 3}),
        ),
        // Control flow, scopes, functions.
        (
            "x = []\nfor i in range(9):\n    if i == 1: continue\n    if i == 4: break\n    x.append(i)\nelse:\n    x.append('no')",
            json!([0, 2, 3]),
        ),
        ("x = 0\nwhile True:\n    x += 1\n    if x > 4:\n        break", json!(5)),
        (
            "i = 'kept'\nj = [i for i in range(3) for k in 'ab' if i]\nx = [i, j]",
            json!(["kept", [1, 1, 2, 2]]),
        ),
        (
            "def f(a, b=2, *c, d, **e):\n    return [a, b, list(c), d, e]\nx = f(1, d=4, z=5) + f(1, 2, 3, d=0)",
            json!([1, 2, [], 4, {"z": 5}, 1, 2, [3], 0, {}]),
        ),
        ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nx = f(10)", json!(3_628_800)),
        (
            "def counter():\n    n = [0]\n    def step():\n        n[0] += 1\n        return n[0]\n    return step\ns = counter()\ns()\nx = s()",
            json!(2),
        ),
        (
            "x = sorted([3, 1, 2], key=lambda v: -v) + [max('a', 'c', 'b'), min([2, 1])]",
            json!([3, 2, 1, "c", 1]),
        ),
        (
            "try:\n    {}['k']\nexcept (ValueError, KeyError) as e:\n    x = str(e)\nfinally:\n    y = 1",
            json!("'k'"),
        ),
        (
            "a_datasets = [1]\nb_datasets = [2]\nx = sum((v for k, v in locals().items() if k.endswith('_datasets')), [])",
            json!([1, 2]),
        ),
        ("for n in 'ab':\n    globals()[n + '_y'] = n\nx = a_y + b_y", json!("ab")),
        ("x = [(n := 5), n]", json!([5, 5])),
        ("x = eval('1 + ' + '2')", json!(3)),
        // Built-in functions and modules.
        (
            "[len('äb'), sum([1, 2.5]), round(2.675, 2), round(2.5), abs(-1), int('7'), float('1e3'), bool([])]",
            json!([2, 3.5, 2.67, 2, 1, 7, 1000.0, false]),
        ),
        (
            "[list(zip('ab', [1, 2])), list(enumerate('a', 1)), list(map(str, [1])), list(reversed([1, 2]))]",
            json!([[["a", 1], ["b", 2]], [[1, "a"]], ["1"], [2, 1]]),
        ),
        (
            "[isinstance({}, dict), isinstance(1, (str, int)), all([]), any([0, 1])]",
            json!([true, true, true, true]),
        ),
        (
            "import math, os\nfrom os import path as p\nx = [math.exp(0), math.floor(2.7), os.path.join('a', 'b'), p.basename('a/b.c')]",
            json!([1.0, 2, "a/b", "b.c"]),
        ),
        ("import os\nx = os.environ.get('SURPRISAL_NO_SUCH_VARIABLE', 'none')", json!("none")),
        // Names from outside.
        (
            "from a.b import C, D as E\nimport torch\nx = [C, E.f, torch.float16]",
            json!(["a.b.C", "a.b.D.f", "torch.float16"]),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(x_of(source), expected, "{source}");
    }
}

#[test]
fn bases_are_copied_at_the_border() {
    let base = "from a import T\n_one = dict(k=[1])\nboth = [_one, _one]\n__hidden = 1\n";
    let config = load(&[
        ("pkg/base.py", base),
        ("pkg/deep/other.py", "name = 'other'\n"),
        (
            "main.py",
            "from mmengine.config import read_base\n\
             with read_base():\n    from .pkg.base import *\n    from .pkg.base import both as again\n    \
             from .pkg.deep.other import name\n\
             both[0].k.append(2)\nboth[1].new = T\nz = _one['k']\n",
        ),
    ])
    .unwrap();
    let expected = json!({
        "_one": {"k": [1]}, "both": [{"k": [1, 2]}, {"k": [1], "new": "a.T"}],
        "again": [{"k": [1]}, {"k": [1]}], "name": "other", "z": [1],
    });
    assert_eq!(json_of(&config), expected);
    let names: Vec<_> = config.files.iter().filter_map(|file| file.file_name()).collect();
    assert_eq!(names, ["main.py", "base.py", "other.py"]);
}

#[test]
fn package_paths_are_found_above_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("opencompass/configs");
    fs::create_dir_all(root.join("datasets/a")).unwrap();
    fs::write(root.join("datasets/a/a_gen.py"), "a_datasets = [dict(abbr='a')]\n").unwrap();
    fs::write(
        root.join("main.py"),
        "with read_base():\n    from opencompass.configs.datasets.a.a_gen import a_datasets\n",
    )
    .unwrap();
    let config = config::load(&root.join("main.py")).unwrap();
    assert_eq!(json_of(&config), json!({"a_datasets": [{"abbr": "a"}]}));
}

#[test]
fn texts_below_the_config_can_be_read_and_nothing_else() {
    let read = |path: &str| {
        let source = format!(
            "import os\nwith open(os.path.join(os.path.dirname(__file__), '{path}')) as f:\n    x = f.read()\n"
        );
        load(&[("main.py", &source), ("texts/a.txt", "hello")])
    };
    assert_eq!(read("texts/a.txt").unwrap().get("x").unwrap().to_json(), json!("hello"));
    for path in ["/etc/hostname", "../../../etc/hostname", "texts/none.txt"] {
        assert!(read(path).unwrap_err().to_string().contains("FileNotFoundError"));
    }
}

#[test]
fn values_know_their_lines() {
    let config =
        load(&[("main.py", "n = 4\nx = dict(\n    a=n,\n    b=[\n        1,\n    ],\n)\n")])
            .unwrap();
    let x = config.get("x").unwrap();
    let lines =
        [x, x.get("a").unwrap(), x.get("b").unwrap(), &x.get("b").unwrap().as_list().unwrap()[0]];
    assert_eq!(lines.map(|node| node.origin.line), [2, 3, 4, 5]);
}

#[test]
fn mistakes_are_explained() {
    let cases = [
        ("abc = 1\nx = abd", "main.py:2:5: NameError: name 'abd' is not defined"),
        ("abc = 1\nx = abd", "help: did you mean `abc`?"),
        ("x = dict(a=1)\ny = x['b']", "2:5: KeyError: 'b'"),
        ("x = [1][3]", "IndexError: list index out of range: 3, length 1"),
        ("x = 'a' + 1", "TypeError: unsupported operand types for +: 'str' and 'int'"),
        ("x = dict(a=1).a", "help: the key is there: write ['a']"),
        ("x = 'a'.uper()", "did you mean `upper`?"),
        ("x = (1,", "SyntaxError"),
        ("a, b = [1]", "ValueError: expected 2 values to unpack, got 1"),
        ("from m import T\nx = T(1)", "write dict(type=T, …)"),
        ("import os\nos.system('true')", "a config cannot use a call of os.system"),
        ("x = exec('1')", "a config cannot use `exec`"),
        ("x = open('a', 'w')", "a config cannot use open() but for reading text"),
        ("with lock:\n    pass", "name 'lock' is not defined"),
        ("x = yield 1", "a config cannot use `yield`"),
        ("with read_base():\n    from .a import b", "main.py:2:5: ImportError: base file"),
        ("def f(a):\n    return a['k']\nx = f({})", "main.py:2:12: KeyError: 'k'"),
        ("def f(a):\n    return a['k']\nx = f({})", "main.py:3"),
        ("def f(a): pass\nf()", "TypeError: f() misses the argument 'a'"),
        ("def f(a): pass\nf(1, c=2)", "unexpected keyword argument 'c'"),
        ("raise ValueError('broken')", "ValueError: broken"),
        ("assert 1 > 2, 'never'", "AssertionError: never"),
        ("x = {[]: 1}", "a list cannot be a key"),
        // Limits.
        ("while True:\n    pass", "steps of evaluation"),
        ("x = [0] * 10 ** 12", "values in lists"),
        ("x = 'a' * 10 ** 12", "bytes of text"),
        ("x = 'ab'\nwhile True:\n    x = x + x", "bytes of text"),
        ("def f(): return f()\nf()", "nested too deeply"),
        ("x = []\nx.append(x)", "main.py:1: the variable 'x' cannot be used"),
        ("x = []\nx.append(x)", "nested more than 200 deep"),
        ("x = []\nfor i in range(100000):\n    x = [x]", "nested more than 200 deep"),
        ("x = [1]\nfor i in range(60):\n    x = [x, x]", "values in lists"),
        ("x = 2 ** 64", "does not fit into 64 bits"),
    ];
    for (source, fragment) in cases {
        let message = load(&[("main.py", source)]).unwrap_err().to_string();
        assert!(message.contains(fragment), "{source}\ngives\n{message}\nwithout {fragment:?}");
    }
}

#[test]
fn a_base_that_fails_names_both_files() {
    let importer = "with read_base():\n    from .base import a\n";
    let message =
        |base: &str| load(&[("main.py", importer), ("base.py", base)]).unwrap_err().to_string();
    let failing = message("a = nothing");
    assert!(failing.contains("base.py:1:5") && failing.contains("main.py:2"), "{failing}");
    let lacking = message("ab = 1");
    assert!(
        lacking.contains("main.py:2:23") && lacking.contains("base.py has no variable 'a'"),
        "{lacking}"
    );
    let circular = message("with read_base():\n    from .main import b\n");
    assert!(circular.contains("main.py imports itself"), "{circular}");
    let broken = message("a = (");
    assert!(broken.contains("base.py:1") && broken.contains("SyntaxError"), "{broken}");
    assert!(broken.contains("main.py:2"), "{broken}");
}

#[test]
fn a_missing_file_is_named() {
    let message = config::load(Path::new("no/such/file.py")).unwrap_err().to_string();
    assert!(message.contains("cannot read no/such/file.py"), "{message}");
}

#[test]
fn a_printed_config_reads_back_sorted() {
    let source = "b = [dict(z=1, a=(1.5, None), k={1: 'it\\'s', 'if': [[], {}]})]\na = 'x' * 100\n";
    let config = load(&[("main.py", source)]).unwrap();
    let again = load(&[("main.py", &config.to_python())]).unwrap();
    assert_eq!(again.variables, config.sorted().variables);
    let names: Vec<_> = again.variables.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}
