#!/bin/sh
# Which of lm-evaluation-harness' tasks can be asked: read, buildable, refused by reason.
# SURPRISAL_TASKS names its folder of tasks; SURPRISAL_LMEVAL_SURVEY, where it is given, a file for a line on each task.
set -eu
: "${SURPRISAL_TASKS:?names the folder lm_eval/tasks}"
cd "$(dirname "$0")/../.."
exec cargo test --release --test all lmeval_fixtures::lmeval_survey -- --nocapture --exact
