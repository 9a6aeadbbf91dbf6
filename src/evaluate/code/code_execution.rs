//! `LCBCodeExecutionEvaluator`: a model says what a program gives, and the program is run to see.

use serde_json::Value;

use super::{Programs, ended, harness::SAME};
use crate::{
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores},
    postprocess::{PatternError, PythonRegex},
    python::is_blank,
    sandbox::{Ended, Program},
};

/// Compares what the model says with what the program gives.
pub(in crate::evaluate) struct CodeExecution;

const NAME: &str = "lcb_code_execution";

const SECONDS: f64 = 3.0;

/// What programs of this benchmark take for granted.
const IMPORTS: &str = "import bisect, collections, copy, functools, heapq, itertools, math, operator, random, re, string, sys
import numpy as np
import pandas as pd
from bisect import bisect, bisect_left, bisect_right, insort
from collections import Counter, OrderedDict, defaultdict, deque
from copy import deepcopy
from functools import cache, lru_cache, partial, reduce
from heapq import heapify, heappop, heappush, merge
from itertools import (
    accumulate, chain, combinations, count, cycle, groupby, islice, permutations, product, repeat, zip_longest)
from math import ceil, comb, floor, gcd, inf, isqrt, log, log2, log10, prod, sqrt
from operator import iand, itemgetter, sub
from os.path import commonprefix
from random import randrange, shuffle
from re import search as re_search
from string import ascii_lowercase
from typing import (
    Any, Callable, Dict, Generator, Iterable, Iterator, List, Optional, Set, Tuple, Union)
import bisect, copy
";

/// What a model says that a program gives.
fn answer(text: &str) -> Result<String, PatternError> {
    let blocks = PythonRegex::dotall(r"\[PYTHON\](.*?)\[/PYTHON\]")?;
    let mut text = blocks.last(text)?.unwrap_or(text);
    if let Some((_, rest)) = text.split_once("==") {
        text = rest.split("==").next().unwrap_or(rest).trim_matches(is_blank);
    }
    let end = if text.contains("[/ANSWER]") { "[/ANSWER]" } else { "\n" };
    Ok(text.split(end).next().unwrap_or(text).trim_matches(is_blank).to_owned())
}

/// Code, call and result of a row's task.
fn task(row: &Row<'_>, index: usize) -> Result<[String; 3], EvaluateError> {
    let wrong = || EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: "the reference",
        expected: "JSON with code, input and output",
        found: row.reference.to_string(),
    };
    let text = row.reference.as_str().ok_or_else(wrong)?;
    let parsed: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    let field = |name: &str| parsed.get(name).map(crate::python::python_str).ok_or_else(wrong);
    Ok([field("code")?, field("input")?, field("output")?])
}

impl Evaluator for CodeExecution {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        // An answer that repeats the call has no program, and is wrong.
        let are_right: Vec<bool> =
            ended.iter().map(|own| !own.is_empty() && own.iter().all(Ended::is_passed)).collect();
        let metrics = vec![Metric::of_shares("pass@1", &are_right)];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        &["numpy", "pandas"]
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let [code, call, output] = task(row, index)?;
            let text = row.prediction.as_str().unwrap_or_default();
            let answer = answer(text).map_err(|error| EvaluateError::Normalization {
                row: index,
                source: Box::new(error.into()),
            })?;
            if answer.contains(&call) {
                return Ok(Vec::new());
            }
            let tests = format!("assert {SAME}({output}, {answer})");
            let program = Program::new(&code, &tests, SECONDS);
            let imports = IMPORTS.to_owned();
            Ok(vec![Program { imports, is_type_aware: true, ..program }])
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
