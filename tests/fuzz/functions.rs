//! Functions of task files: programs of Python's words, called with a row again and again.

use std::{
    fs,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use serde_json::json;
use surprisal::config::functions::{FunctionFiles, Value};

use crate::{
    explore,
    grammar::{mutated, pieces},
    replay,
};

const SOURCES: &[&str] = &[
    "import re\nimport numpy as np\n\n\ndef f(doc):\n    words = re.findall(r'\\w+', doc['question'])\n    cells = np.zeros([2, 3])\n    cells[0, 1] = len(words)\n    return [float(cells[0, 1]), np.mean([1, 2.5])]\n",
    "from collections import Counter, defaultdict\n\n\ndef f(doc):\n    seen = defaultdict(list)\n    for key, value in doc.items():\n        seen[str(key)].append(value)\n    doc['choices'].sort(reverse=True)\n    return dict(Counter(doc['question']).most_common(2)), dict(seen)\n",
    "class Filter:\n    def __init__(self, x=1):\n        self.x = x\n\n    def __call__(self, doc):\n        yield from (word for word in doc['question'].split() if len(word) > self.x)\n\n\nf = Filter()\n",
    "import json, random\nfrom functools import partial\n\n_KEPT = []\n\n\ndef g(doc, n):\n    _KEPT.append(n)\n    random.seed(n)\n    return json.dumps(random.sample(range(9), n)), len(_KEPT)\n\n\nf = partial(g, n=3)\n",
    "from scipy.optimize import linear_sum_assignment\nimport numpy as np\nimport transformers.data.metrics.squad_metrics as squad\n\n\ndef f(doc):\n    costs = np.zeros([3, 2])\n    for i, _ in enumerate(doc['choices']):\n        costs[i, i % 2] = -squad.compute_f1(doc['question'], 'a b')\n    return [int(at) for at in linear_sum_assignment(costs)[1]]\n",
    "def f(doc):\n    try:\n        x, *y = doc['choices']\n        while x:\n            x = x[1:]\n    except (KeyError, ValueError) as error:\n        raise RuntimeError(str(error))\n    else:\n        return f'{x!r:>{9}}' + '%s' % len(y)\n",
];

const PIECES: &[&str] = &[
    "\n",
    "\n    ",
    "\n        ",
    "x",
    "y",
    "f",
    "doc",
    " = ",
    "x = ",
    "y = ",
    "x += ",
    "lambda x: ",
    "def f(doc):\n    ",
    "def g(x, *y, **z):\n    ",
    "class A:\n    ",
    "return ",
    "yield ",
    "for x in ",
    " in ",
    ":\n    ",
    "if ",
    " else ",
    "while x:\n    ",
    "while True:\n    ",
    "try:\n    ",
    "\nexcept Exception as x:\n    ",
    "\nfinally:\n    ",
    "break",
    "raise ",
    "del ",
    "global x",
    "nonlocal x",
    "import re, json, random",
    "import numpy as np",
    "from collections import *",
    "from functools import partial",
    "import utils",
    "from lm_eval.utils import x",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "*",
    "**",
    "+",
    "-",
    "//",
    "%",
    "|",
    "&",
    "<<",
    "<",
    "==",
    " is ",
    " not in ",
    " and ",
    " not ",
    " := ",
    "@",
    "0",
    "1",
    "-1",
    "1000000",
    "10**9",
    "9223372036854775807",
    "1e308",
    "None",
    "True",
    "''",
    "'a'",
    "'é{}'",
    "'a' * 10**9",
    "[0] * 10**9",
    "f'{x!r:>{y}}'",
    "b''",
    "doc['question']",
    "doc['choices']",
    "doc['x']",
    "x.append(x)",
    ".append(",
    ".extend(",
    ".pop(",
    ".sort(",
    ".update(",
    ".items()",
    ".get(",
    ".join(",
    ".split(",
    ".replace(",
    ".strip(",
    ".format(",
    ".encode('utf-8')",
    ".translate(",
    ".title()",
    ".x",
    "[::-1]",
    "[1:]",
    "[x]",
    "re.sub(r'(a+)+$', '', ",
    "re.findall(",
    "re.split(",
    "re.compile(",
    "json.loads(",
    "json.dumps(",
    "random.seed(1)",
    "random.shuffle(",
    "random.sample(",
    "np.array(",
    "np.zeros(",
    "np.mean(",
    "np.argmax(",
    "np.exp(",
    "Counter(",
    "partial(",
    "isinstance(",
    "len(",
    "list(",
    "map(",
    "max(",
    "range(",
    "range(10**12)",
    "repr(",
    "reversed(",
    "round(",
    "set(",
    "sorted(",
    "str(",
    "sum(",
    "tuple(",
    "type(",
    "zip(",
    "print(",
    "open(",
    "eval(",
    "getattr(",
    "super().__init__(",
    "self.x",
    "key=",
    "*x",
    "**x",
    "__file__",
    "f(doc)",
];

/// More than the limits of a call can take, on a machine that does other things.
const LONGEST: Duration = Duration::from_mins(1);

#[test]
fn functions_end_in_values_or_errors() {
    replay("functions", call);
    explore(prop_oneof![3 => pieces(PIECES, 40), 2 => mutated(SOURCES)], |source| call(source));
}

fn call(source: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("utils.py"), source).unwrap();
    let files = FunctionFiles::new(folder.path());
    let function = files.function(&format!("{}/utils.f", folder.path().display()));
    let row = json!({"question": "a b é", "choices": ["x", "yy"], "answer": 1});
    let row = Value::from(row.as_object().unwrap());
    // What is not known is refused here first, and still must not do harm when it is called.
    let _ = function.check();
    let mut is_done = false;
    // One call may leave something to the next.
    for _ in 0..3 {
        if is_done {
            return;
        }
        let begun = Instant::now();
        match function.call_changing(std::slice::from_ref(&row)) {
            Ok((value, changed)) => {
                assert_eq!(changed.len(), 1);
                let _ = (value.repr(), value.to_json());
            }
            Err(error) => {
                assert!(!error.to_string().contains("gave up"), "{error}");
                is_done = true;
            }
        }
        assert!(begun.elapsed() < LONGEST, "a call took {:?}", begun.elapsed());
    }
}
