#!/usr/bin/env python3
"""Prints the result of ci/demo: what the pull request costs, and why.

    ci/demo_result.py REPORT.json NUMBER

REPORT.json is what `gprofhub report --format=json` printed of pull request NUMBER.
"""

import json
import sys


def effect_on_test(report, cause, number):
    total = next(it for it in report["totals"] if it["target"] == cause["target"])
    unit, of = ("s", "of CPU") if total["dimension"] == "seconds" else ("million", "instructions")
    change = f"{total['before']:,.2f} {unit} → {total['after']:,.2f} {unit} {of}"
    if total["verdict"] == "regressed":
        return f"✗ pull request {number} makes {cause['target']} {total['effect_percent']:.0f}% slower ({change})"
    # On a busy machine the time of a whole test can be inconclusive. The count is exact there, too.
    return (
        f"✗ pull request {number} costs about {cause['test_effect']['percent']:.0f}% of the CPU of {cause['target']}"
        f" (whole test: {change}, inconclusive)"
    )


def times(count, calls):
    ratio = count / calls if calls else count
    return {1: "once", 2: "twice"}.get(ratio, f"{ratio:.3g}×")


def reason(cause):
    calls = cause["caller_calls"]
    exact = "exact: " if cause["exact"] else ""
    words = (
        f"{cause['caller_display']}() calls {cause['function_display']}()"
        f" {times(cause['after'], calls['after'])} per call, was {times(cause['before'], calls['before'])}"
        f" ({exact}{cause['before']:,.0f} → {cause['after']:,.0f})"
    )
    if site := cause["site"]:
        words += f", {site['file']}:{site['line']}"
    return words + (", in this diff" if cause["in_diff"] else "")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    causes = [it for it in report["findings"] if it["verdict"] == "regressed" and it["caller"] and it["material"]]
    if not causes:
        sys.exit("demo: the report has no regression; the planted one was expected: see report.json")
    print(effect_on_test(report, causes[0], sys.argv[2]))
    print("  " + reason(causes[0]))


main()
