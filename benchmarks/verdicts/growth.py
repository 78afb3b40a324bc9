"""Tests that grow, by rule: only the test's file, input or arguments change, and a library does more.

A library by rule (a tree, a parser, a cache or a template in a header, above functions of a random
program) is called by a test with the values of test/inputs.cc. No library function may be blamed,
and `diff --fail-on` must pass. Seeds draw the ways of growing, libraries and the test's file in turn.
"""

import subprocess

import small_programs
from refactorings import random_programs

SEEDS = range(28)
SIDES = (3, 1)

LIBRARIES = {
    "tree": """
namespace {{
struct Node {{ long key; Node* left; Node* right; unsigned long count; }};
Node* insert(Node* node, long key) {{
  if (node == nullptr) return new Node{{key, nullptr, nullptr, 1}};
  if (key == node->key) {{
    ++node->count;
  }} else {{
    Node*& child = key < node->key ? node->left : node->right;
    child = insert(child, key);
  }}
  return node;
}}
unsigned long drop(Node* node) {{
  if (node == nullptr) return 0;
  const unsigned long sum = drop(node->left) * 3 + drop(node->right) + {work} + node->count;
  delete node;
  return sum;
}}
}}
unsigned long process(const std::vector<int>& values) {{
  Node* root = nullptr;
  unsigned long x = 0;
  for (int value : values) root = insert(root, value * 7919l % 1009);
  return x + drop(root);
}}
""",
    "parser": """
namespace {{
std::string text_of(const std::vector<int>& values) {{
  std::string text;
  for (int value : values) text += (text.empty() ? "" : value % 3 == 0 ? "*" : "+") + std::to_string(value);
  return text;
}}
unsigned long number(const char*& at) {{
  unsigned long x = 0;
  while (*at >= '0' && *at <= '9') x = x * 10 + (*at++ - '0');
  return x + {work};
}}
unsigned long product(const char*& at) {{
  unsigned long x = number(at);
  while (*at == '*') x *= number(++at);
  return x;
}}
}}
unsigned long process(const std::vector<int>& values) {{
  const std::string text = text_of(values);
  const char* at = text.c_str();
  unsigned long sum = product(at);
  while (*at == '+') sum += product(++at);
  return sum;
}}
""",
    "cache": """
namespace {{
std::unordered_map<int, unsigned long> known;
unsigned long compute(int value) {{
  unsigned long x = value;
  for (int i = 0; i < 3; ++i) x = x * 31 + {work};
  return x;
}}
unsigned long cost_of(int value) {{
  const auto found = known.find(value);
  if (found != known.end()) return found->second;
  return known[value] = compute(value);
}}
}}
unsigned long process(const std::vector<int>& values) {{
  known.clear();
  unsigned long sum = 0;
  for (int value : values) sum += cost_of(value);
  return sum;
}}
""",
    "header": """
unsigned long cost_of(unsigned long value) {{
  unsigned long x = value;
  for (int i = 0; i < 3; ++i) x = x * 31 + {work};
  return x;
}}
""",
}

HEADER = """#pragma once
#include <vector>
unsigned long cost_of(unsigned long value);
template <typename T>
unsigned long process_each(const std::vector<T>& values) {
  unsigned long sum = 0;
  for (T value : values) sum += value % 3 == 0 ? cost_of(value) : cost_of(value + 1) * 2;
  return sum;
}
inline unsigned long process(const std::vector<int>& values) { return process_each(values); }
"""
TEST_FILES = ("service_test.cc", "test/service.cc", "tests/test_service.cc")

TEST = """#include <cstdio>
#include <cstdlib>
#include <vector>
#include "service.h"
extern const int inputs[];
extern const int input_count;
namespace {{
std::vector<int> given(int seed) {{
  std::vector<int> values(inputs, inputs + input_count);
  for (int i = 0; i < {made}; ++i) values.push_back((i * 37 + seed) % {distinct});
  return values;
}}
unsigned long test_values(int seed) {{
  unsigned long sum = 0;
  for (int i = 0; i < {repeats}; ++i) sum += process(given(seed + i));
  return sum;
}}
{case}}}
int main(int, char** arguments) {{
  const int rounds = std::atoi(arguments[1]);
  unsigned long sum = 0;
  for (int i = 0; i < rounds; ++i) sum += test_values(i){called};
  std::printf("%lu\\n", sum);
}}
"""

CASE = """unsigned long test_large_values(int seed) {{
  std::vector<int> values = given(seed);
  for (int& value : values) value += 1000;
  return process(values);
}}
"""

BASE = {"made": 40, "distinct": 23, "repeats": 3, "case": "", "called": "", "inputs": 20}
GROWN = {
    "more values": {"made": 100, "distinct": 211},
    "more distinct values": {"made": 55, "distinct": 997},
    "more rounds": {"repeats": 7},
    "a larger table": {"inputs": 90},
    "another case": {"case": CASE.format(), "called": " + test_large_values(i)"},
    "larger arguments": {},
    "a larger table and another case": {"inputs": 60, "case": CASE.format(), "called": " + test_large_values(i)"},
}


def sources_of(library, work, around, test_file, grown):
    fields = {**BASE, **grown}
    inputs = ", ".join(str(i * i % 83) for i in range(fields["inputs"]))
    header = HEADER if library == "header" else "#include <vector>\nunsigned long process(const std::vector<int>& values);\n"
    service = ("#include <string>\n#include <unordered_map>\n#include <vector>\n#include \"program.h\"\n#include \"service.h\"\n"
               "static State state;\nState spare;\n" + LIBRARIES[library].format(work=work))
    files = {file: text for file, text in around.items() if file != "main.cc"}
    return {**files, "service.h": header, "service.cc": service, test_file: TEST.format(**fields),
            "test/inputs.cc": "extern const int inputs[];\nextern const int input_count;\n"
                              f"const int inputs[] = {{{inputs}}};\nconst int input_count = {fields['inputs']};\n"}


class Case:
    def __init__(self, seed):
        self.name = f"growth-{seed:02d}"
        self.way = list(GROWN)[seed % len(GROWN)]
        self.library = list(LIBRARIES)[(seed % len(GROWN) + seed // len(GROWN)) % len(LIBRARIES)]
        program = random_programs.draw(4000 + seed, True)
        top = program.functions[0]
        number = {"tree": "node->key", "parser": "x", "cache": "x + i", "header": "x + i"}[self.library]
        work = f"{top.space + '::' if top.space else ''}{top.name}(state, {number})"  # for each value
        given = self.library, work, program.sources(), TEST_FILES[seed % len(TEST_FILES)]
        rounds = max(1, program.iterations // 30)
        self.changed = sources_of(*given, GROWN[self.way])
        self.base = small_programs.program(self.name, sources_of(*given, {}), [rounds])
        self.arguments = None if GROWN[self.way] else [str(3 * rounds)]


def fails(comparison):
    return subprocess.run([*comparison.command().split(), "--fail-on=regressed,new"], capture_output=True).returncode != 0


def measure(judge, runtime, only, quick, report, seeds=SEEDS):
    rows = []
    for seed in list(seeds)[:3] if quick else seeds:
        case = Case(seed)
        change = small_programs.true_change(case.base, case.changed, case.arguments)[1]
        for count in SIDES:
            comparison = small_programs.Comparison(judge, runtime, case.base, case.changed, case.name, count, case.arguments)
            row = {"case": case, "count": count, "change": change, "comparison": comparison, "gated": fails(comparison),
                   "blamed": [f for f in comparison.alarms + comparison.unconfirmed if not f["in_test"]]}
            rows.append(row)
            print(line_of(row), flush=True)
    report("| runs | tests that grow | library blamed | gated |")
    report("|---|---|---|---|")
    for count in SIDES:
        of_it = [r for r in rows if r["count"] == count]
        report(f"| {count} v {count} | {len(of_it)} | {sum(bool(r['blamed']) for r in of_it)} | {sum(r['gated'] for r in of_it)} |")
    for r in rows:
        if r["blamed"] or r["gated"]:
            report(f"- {line_of(r)}\n  `{r['comparison'].command()} --fail-on=regressed,new`")


def line_of(row):
    case = row["case"]
    return (f"{row['comparison'].name} ({case.library}, {case.way}): CPU {row['change']:+.0%}, gated {row['gated']}, blamed "
            f"{len(row['blamed'])}: {[small_programs.describe(f) for f in row['blamed'][:2]]}")
