"""What the files of `compare.sh` and `session.sh` say, as text: `summary.py FOLDER|FILE`.

A number that is missing, or none (JSON has no NaN, so it is written as null), is a dash; a selftest whose distance is none
is too far.
"""

import json
import math
import pathlib
import sys


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)


def text(value, form, factor=1):
    return format(value * factor, form) if is_number(value) else "-"


def quotient(one, other):
    return one / other if is_number(one) and is_number(other) and other else None


def selftest(rows):
    for row in rows:
        judged, bound = row.get("judged"), row.get("bound")
        if row.get("problem"):
            verdict = row["problem"]
        elif not is_number(judged) or is_number(bound) and judged > bound:
            verdict = "TOO FAR"
        else:
            verdict = "ok" if is_number(bound) else "not judged"
        print(f"{row['subject']:<28} {row['dtype']:<5} {text(judged, '.1e')} of {text(bound, '.1e'):<8} {verdict}")


def bench(report, peers):
    workload, tokens = report["workload"], report["tokens"]
    print(f"\n{report['model']} · {workload} · {report['device']} · {report['dtype']} · {report['batch_tokens']} rows a pass")
    print(f"  surprisal: {text(report['wall_seconds'], '.2f')} s, {text(tokens['computed_tokens'], ',')} of"
          f" {text(tokens['nominal_tokens'], ',')} tokens computed, prefill {text(report['prefill']['tokens_per_second'], ',.0f')} tokens/s,"
          f" decode {text(report['decode']['tokens_per_second'], ',.0f')} tokens/s, {report['failed_requests']} without an answer")
    print(f"  {text(report['flops_per_second'], '.2f', 1e-12)} TFLOP/s, {text(report['matmul_share'], '.0f', 100)} % of the"
          f" {text(report['matmul_flops_per_second'], '.1f', 1e-12)} of a large product;"
          f" whole benchmark {text(report['benchmark_seconds'], '.0f')} s")
    for operation in report["operations"]:
        if operation["calls"]:
            print(f"    {operation['operation']:<18} {text(operation['prefill_seconds'] + operation['decode_seconds'], '8.3f')} s"
                  f" {text(operation['share'], '4.0f', 100)} % {text(operation['flops_per_second'], '8.2f', 1e-12)} TFLOP/s")
    questions = report["requests"] / (1 if workload == "gen" else 4)
    for peer in peers:
        ratio = quotient(quotient(peer.get("wall_seconds"), peer.get("questions")), quotient(report["wall_seconds"], questions))
        print(f"  {peer['program']}, {peer['style']}, batches of {peer['batch']}: {text(peer.get('wall_seconds'), '.2f')} s,"
              f" {text(ratio, '.1f')} times as long; whole benchmark {text(peer.get('benchmark_seconds'), '.0f')} s")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: summary.py FOLDER|FILE")
    named = pathlib.Path(sys.argv[1])
    if named.is_dir() and not (list(named.glob("bench-*.json")) or (named / "selftest.json").exists()):
        sys.exit(f"summary.py: {named} holds no bench-*.json and no selftest.json")
    folder = named if named.is_dir() else named.parent
    selftest(read(folder / "selftest.json") or [] if named.is_dir() else [])
    for path in sorted(folder.glob("bench-*.json")) if named.is_dir() else [named]:
        reports = read(path)
        if reports is None:
            print(f"\n{path.name}: nothing was measured")
        for report in reports or []:
            found = [read(path) for path in sorted(folder.glob(f"peer-{report['workload']}-*.json"))]
            bench(report, [peer for peer in found if peer])


main()
