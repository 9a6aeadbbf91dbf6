//! The config language: programs of Python's words, and several files that import each other.

use std::fs;

use proptest::prelude::*;
use surprisal::config::{self, Component, Node, repr};

use crate::{
    explore,
    grammar::{mutated, pieces},
    replay,
};

const SOURCES: &[&str] = &[
    include_str!("../../configs/demo.py"),
    "from mmengine.config import read_base\nwith read_base():\n    from .b import *\nx = [*x, dict(a=1)]\n",
    "x = {k: [v, *range(3)] for k, v in dict(a=1).items() if k}\ny = f'{x!r:>{9}}'\n",
    "def f(a, *b, c=1, **d):\n    return a if b else lambda e: (c, d)\nx = f(1, 2)(3)\n",
    "x = []\nfor i in range(9):\n    try:\n        x.append('%s' % i)\n    except ValueError as e:\n        pass\n",
    "x = sorted(['b', 'a'], key=lambda t: t.upper())\nx[1:] = x[::-1]\ndel x[0]\n",
];

const PIECES: &[&str] = &[
    "\n",
    "\n    ",
    "x",
    "y",
    "f",
    " = ",
    "x = ",
    "y = ",
    "x += ",
    "lambda x: ",
    "lambda x, y=1: ",
    "def f(x, *y, **z):\n    ",
    "return ",
    "for x in ",
    " in ",
    ":\n    ",
    "if ",
    " else ",
    "while x:\n    ",
    "try:\n    ",
    "\nexcept Exception as x:\n    ",
    "\nfinally:\n    ",
    "break",
    "raise ",
    "del ",
    "global x",
    "import os, copy, math, itertools",
    "from copy import deepcopy",
    "with read_base():\n    from .b import *\n",
    "with read_base():\n    from .main import x\n",
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
    "^",
    "~",
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
    "2",
    "1000000",
    "9223372036854775807",
    "1e308",
    "1.5",
    "None",
    "True",
    "''",
    "'a'",
    "'é{}'",
    "'{x.y[0]!r:>{}}'",
    "'%s%5.2f%(x)d'",
    "f'{x!r:>{y}}'",
    "f'{x=}'",
    "b''",
    ".append(",
    ".extend(",
    ".insert(",
    ".pop(",
    ".remove(",
    ".sort(",
    ".index(",
    ".update(",
    ".items()",
    ".get(",
    ".setdefault(",
    ".join(",
    ".split(",
    ".replace(",
    ".strip(",
    ".startswith(",
    ".find(",
    ".partition(",
    ".format(",
    ".zfill(",
    ".center(",
    ".title()",
    ".x",
    "[::-1]",
    "[1:]",
    "[x]",
    "dict(type=",
    "eval(",
    "getattr(",
    "globals()",
    "locals()",
    "int(",
    "float(",
    "isinstance(",
    "len(",
    "list(",
    "map(",
    "max(",
    "range(",
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
    "copy.deepcopy(",
    "itertools.product(",
    "math.log(",
    "math.floor(",
    "os.path.join(",
    "os.path.splitext(",
    "os.environ.get(",
    "key=",
    "reverse=True",
    "*x",
    "**x",
    "type=",
    "__file__",
];

#[test]
fn configs_end_in_values_or_errors() {
    replay("config", |source| evaluate(source, ""));
    let source = || prop_oneof![3 => pieces(PIECES, 40), 2 => mutated(SOURCES)];
    explore((source(), source()), |(main, base)| evaluate(main, base));
}

fn evaluate(main: &str, base: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.py"), main).unwrap();
    fs::write(folder.path().join("b.py"), base).unwrap();
    match config::load(&folder.path().join("main.py")) {
        Ok(config) => {
            assert_eq!(config.sorted().to_python().is_empty(), config.variables.is_empty());
            for (_, node) in &config.variables {
                let _ =
                    (repr(node), Node::from_json(&node.to_json()), Component::parse(node).is_ok());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
