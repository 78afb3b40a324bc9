// Comparisons of random profiles: with arbitrary call graphs, unknown callers, cycles, clones and
// functions of one side only, a comparison terminates, and its findings are about functions that
// were compared.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

constexpr char kTarget[] = "//db:test";
constexpr char kOutside[] = "<spontaneous>";
constexpr uint64_t kPairs = 150;

class Draw {
 public:
  explicit Draw(uint64_t seed) : numbers_(seed) {}
  uint64_t Below(uint64_t limit) { return numbers_() % limit; }
  bool Percent(uint64_t percent) { return Below(100) < percent; }

 private:
  std::mt19937_64 numbers_;
};

struct MadeFunction {
  std::string name, file, toolchain;
  uint64_t size = 0;
  uint32_t code = 0;
  double self = 0;
  bool is_static = false;
  std::vector<std::string> inlined;
};

struct MadeArc {
  std::string caller, callee;  // caller empty: from outside
  uint64_t count = 0;
  uint32_t line = 0;
};

struct Made {
  std::vector<MadeFunction> functions;
  std::vector<MadeArc> arcs;
};

std::string DrawnName(Draw& draw) {
  const std::string n = std::to_string(draw.Below(12));
  switch (draw.Below(6)) {
    case 0:
      return "f" + n;
    case 1:
      return "f" + n + ".part.0";
    case 2:
      return "_ZN2ns4stepEi" + std::string(draw.Below(3), 'i');
    case 3:
      return "_ZN2nsL4stepEi";
    case 4:
      return "_ZN5Class" + std::to_string(5 + n.size()) + "named" + n + "Ev";
    default:
      return "g" + n;
  }
}

uint64_t DrawnCount(Draw& draw) {
  constexpr uint64_t kLimits[] = {2, 20, 3000, 5000000};
  return draw.Below(kLimits[draw.Below(4)]);
}

MadeFunction DrawnFunction(Draw& draw, const std::string& name) {
  MadeFunction made;
  made.name = name;
  made.file = "src/" + std::to_string(draw.Below(3)) + (draw.Percent(20) ? "_test.cc" : ".cc");
  made.size = draw.Percent(20) ? 0 : 16 * draw.Below(40);
  made.code = draw.Percent(30) ? 0 : static_cast<uint32_t>(1 + draw.Below(1000));
  made.self = draw.Percent(40) ? 0 : static_cast<double>(draw.Below(500));
  made.toolchain = draw.Percent(10) ? "clang 14.0.6 -O2" : "gcc 12.2.0 -O2";
  made.is_static = draw.Percent(20);
  for (uint64_t i = draw.Below(4); i > 0; --i) made.inlined.push_back(DrawnName(draw));
  return made;
}

MadeArc DrawnArc(Draw& draw, const Made& made) {
  const auto any = [&] { return made.functions[draw.Below(made.functions.size())].name; };
  MadeArc arc;
  if (!draw.Percent(20)) arc.caller = any();
  arc.callee = any();
  arc.count = DrawnCount(draw);
  arc.line = static_cast<uint32_t>(draw.Below(50));
  return arc;
}

void AddDrawn(Draw& draw, size_t functions, size_t arcs, Made& made) {
  std::set<std::string> names;
  for (const MadeFunction& function : made.functions) names.insert(function.name);
  for (size_t i = 0; i < functions; ++i) {
    const std::string name = DrawnName(draw);
    if (names.insert(name).second) made.functions.push_back(DrawnFunction(draw, name));
  }
  for (size_t i = 0; i < arcs; ++i) made.arcs.push_back(DrawnArc(draw, made));
}

// A random commit: functions removed, added, renamed, edited; different numbers of calls.
Made Changed(Draw& draw, const Made& base) {
  Made head;
  std::set<std::string> gone;
  for (const MadeFunction& function : base.functions) {
    if (base.functions.size() > 2 && draw.Percent(15)) {
      gone.insert(function.name);
      continue;
    }
    head.functions.push_back(draw.Percent(20) ? DrawnFunction(draw, function.name) : function);
  }
  if (head.functions.empty()) head.functions.push_back(base.functions[0]);
  std::set<std::string> stays;
  for (const MadeFunction& function : head.functions) stays.insert(function.name);
  for (MadeArc arc : base.arcs) {
    if (stays.count(arc.callee) == 0 || (!arc.caller.empty() && stays.count(arc.caller) == 0)) {
      continue;
    }
    if (draw.Percent(25)) arc.count = draw.Percent(50) ? 2 * arc.count : DrawnCount(draw);
    if (!draw.Percent(10)) head.arcs.push_back(arc);
  }
  AddDrawn(draw, draw.Below(3), draw.Below(5), head);
  return head;
}

// One run; if `varies`, some of its counts are specific to the run.
profile::ComputedProfile MadeRun(Draw& draw, const Made& made, bool varies) {
  ProfileBuilder builder;
  if (draw.Percent(20)) builder.Repetitions(3);
  for (const MadeFunction& f : made.functions) {
    builder.Function(f.name, f.self, f.self / 2, f.file, 7, f.is_static).Size(f.size).Code(f.code);
    builder.Toolchain(f.toolchain, f.inlined.empty());
    for (const std::string& name : f.inlined) builder.Inlines(name);
  }
  uint64_t offset = 0;
  for (const MadeArc& arc : made.arcs) {
    const uint64_t more = varies && draw.Percent(15) ? draw.Below(1 + arc.count) : 0;
    builder.Arc(arc.caller, arc.callee, arc.count + more, arc.line, offset += 8);
  }
  return builder.Build();
}

ComparisonSide Side(Draw& draw, const Made& made) {
  ComparisonSide side;
  const bool varies = draw.Percent(40);
  for (uint64_t runs = 1 + draw.Below(4); runs > 0; --runs) {
    side.targets[kTarget].push_back(MadeRun(draw, made, varies));
  }
  return side;
}

void ExpectSound(const v1::Report& report, const std::set<std::string>& names) {
  for (const v1::Finding& finding : report.findings()) {
    const std::string text = finding.DebugString();
    // Findings about a toolchain or a component have a name of their own.
    EXPECT_TRUE(finding.has_toolchain() || finding.has_rewrite() ||
                names.count(finding.function()) == 1)
        << text;
    EXPECT_TRUE(finding.caller().empty() || finding.caller() == kOutside ||
                names.count(finding.caller()) == 1)
        << text;
    EXPECT_TRUE(std::isfinite(finding.before()) && finding.before() >= 0) << text;
    EXPECT_TRUE(std::isfinite(finding.after()) && finding.after() >= 0) << text;
    EXPECT_TRUE(finding.impact() >= 0 && finding.impact() <= 1) << text;
    for (const std::string& follower : finding.follows()) EXPECT_EQ(names.count(follower), 1u);
  }
}

// Linkage names, also without the suffixes of compiler clones.
std::set<std::string> NamesOf(const Made& a, const Made& b) {
  std::set<std::string> names;
  for (const Made* made : {&a, &b}) {
    for (const MadeFunction& function : made->functions) {
      names.insert(function.name);
      names.insert(function.name.substr(0, function.name.find(".part")));
    }
  }
  return names;
}

TEST(CompareRandomProfiles, WhateverChangedTheReportIsSound) {
  for (uint64_t seed = 0; seed < kPairs && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    Made before;
    AddDrawn(draw, 1 + draw.Below(14), draw.Below(40), before);
    const Made after = Changed(draw, before);
    ComparisonSide base = Side(draw, before);
    const ComparisonSide head = Side(draw, after);
    const std::set<std::string> names = NamesOf(before, after);
    ExpectSound(CompareSides(base, head, CompareOptions()), names);
    ExpectSound(CompareSides(head, base, CompareOptions()), names);
    // Older runs, some with functions that no longer exist.
    const Made older = Changed(draw, before);
    base.window[kTarget] = {MadeRun(draw, older, true), MadeRun(draw, before, true)};
    std::set<std::string> all = NamesOf(before, older);
    all.insert(names.begin(), names.end());
    ExpectSound(CompareSides(base, head, CompareOptions()), all);
  }
}

TEST(CompareRandomProfiles, OneProgramTwiceAlarmsNobody) {
  for (uint64_t seed = 0; seed < kPairs && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    Made made;
    AddDrawn(draw, 1 + draw.Below(14), draw.Below(40), made);
    ComparisonSide side;
    side.targets[kTarget].assign(1 + draw.Below(3), MadeRun(draw, made, false));
    const v1::Report report = CompareSides(side, side, CompareOptions());
    for (const v1::Finding& finding : report.findings()) {
      EXPECT_TRUE(finding.verdict() == v1::Finding::EQUIVALENT ||
                  finding.verdict() == v1::Finding::CANNOT_TELL)
          << finding.DebugString();
    }
  }
}

}  // namespace

}  // namespace gprofhub::reporter
