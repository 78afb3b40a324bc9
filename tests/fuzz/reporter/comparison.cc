// A comparison of two runs of a target, of which one is a mutation of the other: functions and arcs
// appear, disappear, move and change counts, calls come from outside, and numbers are as large as
// they may be. The server runs comparisons, so no decodable input may break them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/string_interner.h"
#include "profile/computed.h"
#include "profile/names/name_hash.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/rendering/headline.h"

namespace gprofhub::reporter {
namespace {

// Zeros behind the end.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  uint32_t Below(uint32_t limit) { return at_ < size_ ? data_[at_++] % limit : 0; }
  bool One(uint32_t in) { return Below(in) == in - 1; }
  template <typename Array>
  auto Of(const Array& values) {
    return values[Below(static_cast<uint32_t>(std::size(values)))];
  }

 private:
  const uint8_t* const data_;
  const size_t size_;
  size_t at_ = 0;
};

constexpr std::array<const char*, 14> kNames = {"main",       "a",
                                                "b",          "c",
                                                "d",          "_Z1fv",
                                                "_Z1fi",      "_Z1fv.part.0",
                                                "e.cold",     "_Z1fv.constprop.0",
                                                "_ZN1nL1gEv", "_ZN4test1tEv",
                                                "libc.so.6",  ""};
constexpr std::array<const char*, 4> kFiles = {"", "a.cc", "b.cc", "a_test.cc"};
constexpr std::array<const char*, 3> kToolchains = {"", "GNU C++ 12", "clang 14"};
constexpr std::array<uint64_t, 12> kCounts = {
    1,         0,         2, 3, 10, 100, 1000, 1'000'000, uint64_t{1} << 32, uint64_t{1} << 53,
    INT64_MAX, UINT64_MAX};
constexpr std::array<double, 8> kSamples = {0, 1, 3, 0.5, 40, 1000, 1e6, 1e15};
constexpr std::array<uint64_t, 5> kSizes = {16, 0, 48, 4096, UINT64_MAX};

struct Function {
  uint32_t name = 0, file = 0, toolchain = 0, code = 0, line = 0, cycle = 0;
  bool is_static = false, is_module = false, never_inlined = false, is_there = true;
  uint64_t size = 0, calls = 0, self_calls = 0;
  double self = 0, child = 0;
  std::vector<uint32_t> inlined;  // names
};

struct Arc {
  std::optional<uint32_t> caller;  // none: from outside
  uint32_t callee = 0, line = 0;
  uint64_t offset = 0, count = 0;
  double self = 0, child = 0;
};

struct Program {
  std::vector<Function> functions;
  std::vector<Arc> arcs;
};

Function MakeFunction(Choices& choices) {
  Function function;
  function.name = choices.Below(kNames.size());
  function.file = choices.Below(kFiles.size());
  function.line = choices.Below(3);
  function.toolchain = choices.Below(kToolchains.size());
  function.code = choices.Below(3);
  function.cycle = choices.One(4) ? 1 : 0;
  function.is_static = choices.One(4);
  function.is_module = choices.One(16);
  function.never_inlined = choices.One(4);
  function.size = choices.Of(kSizes);
  function.calls = choices.Of(kCounts);
  function.self_calls = choices.One(4) ? choices.Of(kCounts) : 0;
  function.self = choices.Of(kSamples);
  function.child = choices.Of(kSamples);
  for (uint32_t i = choices.Below(3); i > 0; --i) {
    function.inlined.push_back(choices.Below(kNames.size()));
  }
  return function;
}

Arc MakeArc(Choices& choices, uint32_t functions) {
  Arc arc;
  const uint32_t caller = choices.Below(functions + 1);
  if (caller < functions) arc.caller = caller;
  arc.callee = choices.Below(functions);
  arc.line = choices.Below(3);
  arc.offset = choices.Below(4) * uint64_t{8};
  arc.count = choices.Of(kCounts);
  arc.self = choices.Of(kSamples);
  arc.child = choices.Of(kSamples);
  return arc;
}

void Add(Choices& choices, uint32_t functions, uint32_t arcs, Program& program) {
  for (uint32_t i = 0; i < functions; ++i) program.functions.push_back(MakeFunction(choices));
  const auto all = static_cast<uint32_t>(program.functions.size());
  for (uint32_t i = 0; i < arcs; ++i) program.arcs.push_back(MakeArc(choices, all));
}

void Change(Choices& choices, Program& program) {
  for (Function& function : program.functions) {
    switch (choices.Below(12)) {
      case 1:
        function.is_there = false;
        break;
      case 2:
        function.name = choices.Below(kNames.size());
        break;
      case 3:
        function.calls = choices.Of(kCounts);
        break;
      case 4:
        function.size = choices.Of(kSizes);
        function.code = choices.Below(3);
        break;
      case 5:
        function.self = choices.Of(kSamples);
        function.child = choices.Of(kSamples);
        break;
      case 6:
        function.toolchain = choices.Below(kToolchains.size());
        function.inlined = {choices.Below(kNames.size())};
        break;
      default:
        break;
    }
  }
  for (Arc& arc : program.arcs) {
    switch (choices.Below(8)) {
      case 1:
        arc.count = choices.Of(kCounts);
        break;
      case 2:
        arc = MakeArc(choices, static_cast<uint32_t>(program.functions.size()));
        break;
      default:
        break;
    }
  }
  Add(choices, choices.Below(3), choices.Below(3), program);
}

// As the decoder returns them (profile/codec/computed.h).
profile::ComputedProfile ProfileOf(Choices& choices, const Program& program) {
  profile::ComputedProfile profile;
  base::StringInterner strings(profile.strings);
  profile.repetitions = 1 + choices.Below(3);
  profile.profiles = profile.repetitions;
  profile.sample_rate = choices.One(8) ? 0 : 1000;
  if (choices.One(16)) profile.dimension = "Minstructions";
  std::vector<std::optional<uint32_t>> rows;
  for (const Function& from : program.functions) {
    rows.emplace_back();
    if (!from.is_there) continue;
    rows.back() = static_cast<uint32_t>(profile.functions.size());
    profile::FunctionCost& cost = profile.functions.emplace_back();
    cost.name = strings.IndexOf(kNames[from.name]);
    cost.file = strings.IndexOf(kFiles[from.file]);
    cost.image = strings.IndexOf("app");
    cost.toolchain = strings.IndexOf(kToolchains[from.toolchain]);
    cost.line = from.line;
    cost.size = from.size;
    cost.is_static = from.is_static;
    cost.is_module = from.is_module;
    cost.calls = from.calls;
    cost.self_calls = from.self_calls;
    cost.self_samples = from.self;
    cost.child_samples = from.child;
    cost.cycle = from.cycle;
    cost.code = from.code;
    cost.never_inlined = from.never_inlined;
    profile.total_samples += from.self;
    for (const uint32_t name : from.inlined) {
      profile.inlined.push_back({*rows.back(), profile::NameHash(kNames[name])});
    }
  }
  for (const Arc& from : program.arcs) {
    const std::optional<uint32_t> caller = from.caller.has_value()
                                               ? rows[*from.caller]
                                               : static_cast<uint32_t>(profile.functions.size());
    if (!caller.has_value() || !rows[from.callee].has_value()) continue;
    profile::ArcCost& cost = profile.arcs.emplace_back();
    cost.caller = *caller;
    cost.callee = *rows[from.callee];
    cost.site_file = from.line == 0 ? 0 : strings.IndexOf("a.cc");
    cost.site_line = from.line;
    cost.site_offset = from.offset;
    cost.count = choices.One(16) ? choices.Of(kCounts) : from.count;
    cost.self_samples = from.self;
    cost.child_samples = from.child;
  }
  std::sort(profile.arcs.begin(), profile.arcs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.caller, a.site_offset, a.callee) <
           std::tie(b.caller, b.site_offset, b.callee);
  });
  const auto by_row = [](const auto& a, const auto& b) {
    return std::tie(a.function, a.name) < std::tie(b.function, b.name);
  };
  std::sort(profile.inlined.begin(), profile.inlined.end(), by_row);
  profile.stack_samples = profile.complete_stack_samples = profile.total_samples / 2;
  return profile;
}

void AddRuns(Choices& choices, const Program& program, uint32_t runs,
             std::vector<profile::ComputedProfile>& profiles) {
  for (uint32_t i = 0; i < runs; ++i) profiles.push_back(ProfileOf(choices, program));
}

void CheckFinding(const v1::Finding& finding) {
  for (const double value :
       {finding.before(), finding.after(), finding.impact(), finding.weight()}) {
    if (!std::isfinite(value)) std::abort();
  }
}

}  // namespace
}  // namespace gprofhub::reporter

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub::reporter;
  constexpr char kLabel[] = "//db:test";
  Choices choices(data, size);
  ComparisonSide base, head;
  Program program;
  Add(choices, 1 + choices.Below(8), choices.Below(12), program);
  AddRuns(choices, program, 1 + choices.Below(3), base.targets[kLabel]);
  AddRuns(choices, program, choices.Below(3), base.window[kLabel]);
  Change(choices, program);
  AddRuns(choices, program, 1 + choices.Below(3), head.targets[kLabel]);
  if (choices.One(2)) {
    for (size_t i = 0; i < base.targets[kLabel].size() + base.window[kLabel].size(); ++i) {
      base.origins[kLabel].push_back({std::string(40, 'a'), choices.One(2) ? "x" : "y", "k8"});
    }
    for (size_t i = 0; i < head.targets[kLabel].size(); ++i) {
      head.origins[kLabel].push_back({std::string(40, 'b'), "y", choices.One(4) ? "arm" : "k8"});
    }
  }
  const gprofhub::v1::Report report = CompareSides(base, head, {});
  for (const auto& finding : report.findings()) CheckFinding(finding);
  if (Headline(report).empty()) std::abort();
  return 0;
}
