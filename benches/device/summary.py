"""What the files of `compare.sh` say, as text: `summary.py FOLDER`."""

import json
import pathlib
import sys


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


folder = pathlib.Path(sys.argv[1])
for row in read(folder / "selftest.json") or []:
    too_far = row["problem"] or (row["bound"] is not None and not row["furthest"] <= row["bound"])
    allowed = "-" if row["bound"] is None else f"{row['bound']:.1e}"
    verdict = row["problem"] or ("TOO FAR" if too_far else "ok")
    print(f"{row['subject']:<28} {row['dtype']:<5} {row['furthest']:.1e} of {allowed:<8} {verdict}")
for path in sorted(folder.glob("bench-*.json")):
    for report in read(path) or []:
        workload = report["workload"]
        print(f"\n{report['model']} · {workload} · {report['device']} · {report['dtype']}")
        print(f"  surprisal: {report['wall_seconds']:.2f} s, {report['tokens']['computed_tokens']:,} of"
              f" {report['tokens']['nominal_tokens']:,} tokens computed, prefill {report['prefill']['tokens_per_second']:,.0f} tokens/s,"
              f" decode {report['decode']['tokens_per_second']:,.0f} tokens/s")
        print(f"  {report['flops_per_second'] / 1e12:.2f} TFLOP/s, {100 * report['matmul_share']:.0f} % of the"
              f" {report['matmul_flops_per_second'] / 1e12:.1f} of a large product; whole benchmark {report['benchmark_seconds']:.0f} s")
        for operation in report["operations"]:
            if operation["calls"]:
                print(f"    {operation['operation']:<18} {operation['prefill_seconds'] + operation['decode_seconds']:8.3f} s"
                      f" {100 * operation['share']:4.0f} % {operation['flops_per_second'] / 1e12:8.2f} TFLOP/s")
        questions = report["requests"] / (1 if workload == "gen" else 4)
        for peer_path in sorted(folder.glob(f"peer-{workload}-*.json")):
            if peer := read(peer_path):
                ratio = (peer["wall_seconds"] / peer["questions"]) / (report["wall_seconds"] / questions)
                print(f"  {peer['program']}, {peer['style']}, batches of {peer['batch']}: {peer['wall_seconds']:.2f} s,"
                      f" {ratio:.1f} times as long; whole benchmark {peer['benchmark_seconds']:.0f} s")
