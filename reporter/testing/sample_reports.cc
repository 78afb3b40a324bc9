#include "reporter/testing/sample_reports.h"

#include <cstdint>
#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

ComparisonSide Side(const std::string& commit, const std::string& branch, int64_t run) {
  ComparisonSide side;
  side.about.set_commit(commit);
  side.about.set_branch(branch);
  side.about.set_run_id(std::to_string(run));
  side.about.set_executions(1);
  return side;
}

// Names chosen by an attacker.
const char* const kHostileNames[] = {
    "`</code></td></table><script>alert(1)</script>",
    "a | b | c",
    "\\| \\",
    "x\n\n# heading\n<!-- gprofhub:other -->",
    "@everyone please [look](https://evil.example) ![](https://evil.example/pixel.png)",
    "\x1b]0;title\x07\x1b[31mred",
    "\u202Eesrever\u2066",
    "https://evil.example www.evil.example a@evil.example #1",
    "</summary></details><img src=x onerror=alert(1)>",
};

}  // namespace

std::vector<std::string> HostileNames() {
  return {std::begin(kHostileNames), std::end(kHostileNames)};
}

v1::Report SampleReport(const profile::ComputedProfile& before,
                        const profile::ComputedProfile& after) {
  ComparisonSide base = Side("1111111111111111111111111111111111111111", "main", 7);
  ComparisonSide head = Side("2222222222222222222222222222222222222222", "faster-json", 8);
  base.targets[kSampleTarget] = {before};
  head.targets[kSampleTarget] = {after};
  v1::Report report = CompareSides(base, head, CompareOptions());
  report.mutable_compared()->set_baseline_reason("merge base");
  report.mutable_compared()->set_configuration("k8-opt");
  return report;
}

v1::Report JsonReport() {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("main", 10, 990, "test/query_test.c", 12);
    builder->Function("jsonPrintf", 100, 290, "sqlite3.c", 206100);
    builder->Function("jsonAppendChar", 190, 100, "sqlite3.c", 206200);
    builder->Function("jsonGrow", 100, 0, "sqlite3.c", 206000);
    builder->Function("sqlite3MemSize", 60, 0, "sqlite3.c", 27000);
    builder->Function("walk", 540, 0, "sqlite3.c", 9000);
    builder->Arc("", "main", 1).Arc("main", "jsonPrintf", 1000, 40);
    builder->Arc("main", "walk", 1000, 42);
  }
  before.Arc("jsonPrintf", "jsonAppendChar", 155620, 206120);
  before.Arc("jsonAppendChar", "jsonGrow", 155620, 206230);
  before.Arc("main", "sqlite3MemSize", 82635, 44);
  after.Arc("jsonPrintf", "jsonAppendChar", 239477, 206140);
  after.Arc("jsonAppendChar", "jsonGrow", 239477, 206250);
  after.Arc("main", "sqlite3MemSize", 37664, 44);
  after.Function("jsonCache", 20, 0, "sqlite3.c", 205000).Arc("main", "jsonCache", 12, 46);
  return SampleReport(before.Build(), after.Build());
}

v1::Report HostileReport() {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("main", 1).Arc("", "main", 1);
  }
  uint64_t count = 10;
  for (const char* name : kHostileNames) {
    for (ProfileBuilder* builder : {&before, &after}) builder->Function(name, 9, 0, name, 1);
    // Far enough apart to be separate causes.
    const auto line = static_cast<uint32_t>(100 * count);
    before.Arc("main", name, count, line);
    after.Arc("main", name, count + 1, line);
    ++count;
  }
  v1::Report report = SampleReport(before.Build(), after.Build());
  v1::Compared& compared = *report.mutable_compared();
  compared.mutable_head()->set_branch(kHostileNames[3]);
  compared.mutable_head()->set_subject(kHostileNames[8]);
  compared.mutable_base()->set_commit("` | @x");
  compared.set_configuration(kHostileNames[4]);
  compared.set_baseline_reason(kHostileNames[0]);
  compared.add_new_targets(kHostileNames[8]);
  report.add_warnings(kHostileNames[7]);
  return report;
}

v1::Report UnsampledReport() {
  const auto build = [](uint64_t calls) {
    ProfileBuilder builder;
    builder.Function("main").Function("parse").Function("next", 0, 0, "src/lexer.cc", 8);
    builder.Arc("", "main", 1).Arc("main", "parse", 20).Arc("parse", "next", calls, 12);
    return builder.Build();
  };
  return SampleReport(build(20), build(80));
}

v1::Report TotalsReport(bool with_stacks) {
  const auto runs = [&](double samples) {
    std::vector<profile::ComputedProfile> profiles;
    for (int i = 0; i < 5; ++i) {
      ProfileBuilder builder;
      builder.Function("main", 2000, samples).Function("work", samples).Arc("", "main", 1);
      builder.Arc("main", "work", 1);
      profiles.push_back(builder.Build());
      if (with_stacks) profiles.back().complete_stack_samples = profiles.back().total_samples;
    }
    return profiles;
  };
  ComparisonSide base, head;
  base.targets[kSampleTarget] = runs(5000);
  head.targets[kSampleTarget] = runs(5050);
  return CompareSides(base, head, CompareOptions());
}

v1::Report ReportWithTotalTime() {
  v1::Report report = JsonReport();
  v1::Finding total;
  total.set_metric(v1::Finding::TOTAL_TIME);
  total.set_verdict(v1::Finding::REGRESSED);
  total.set_function("walk");
  total.set_target(kSampleTarget);
  total.set_material(true);
  total.set_measured(true);
  *report.add_findings() = total;
  return report;
}

}  // namespace gprofhub::reporter
