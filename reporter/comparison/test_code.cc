// A test changes on purpose: it gets more cases, or a larger input. So findings whose cause is the
// test's own are marked, and never gated:
//
// - a call in one of the test's files changed;
// - nothing outside of the test changed: all functions whose code differs are in the test's files,
//   or no code differs though both sides repeat their counts. Then libraries do more because they
//   get another input.
//
// Code of a library's header may be inlined into a changed function of the test. It is taken for
// unchanged if its calls stand at the same lines on both sides: an edit usually moves some.
//
// A count that differs by chance is noted once for all tests.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "reporter/comparison/code_evidence.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

bool IsTestFile(absl::string_view file) {
  const absl::string_view name = file.substr(file.rfind('/') + 1);
  const absl::string_view stem = name.substr(0, name.find('.'));
  return absl::EndsWith(stem, "_test") || absl::EndsWith(stem, "_tests") ||
         absl::EndsWith(stem, "_unittest") || absl::StartsWith(stem, "test_") ||
         absl::EndsWith(stem, "Test") || absl::StrContains(file, "/test/") ||
         absl::StrContains(file, "/tests/") || absl::StartsWith(file, "test/") ||
         absl::StartsWith(file, "tests/");
}

namespace {

// The call sites of a function with changed calls, by file: pairs of callee and line.
using SitesByFile =
    std::map<std::pair<uint32_t, absl::string_view>, std::set<std::pair<uint32_t, uint32_t>>>;

void AddSites(const MatchedTarget& target, SitesByFile& before, SitesByFile& after) {
  for (const ArcPair& arc : target.arcs) {
    for (const CallSitePair& site : arc.sites) {
      const std::pair<uint32_t, absl::string_view> place(arc.caller, site.file);
      if (site.line_before != 0) before[place].emplace(arc.callee, site.line_before);
      if (site.line_after != 0) after[place].emplace(arc.callee, site.line_after);
    }
  }
}

// A body of a test, as GoogleTest's macros name it.
constexpr absl::string_view kTestBody = "8TestBodyEv";

// Whether most of the program's files and functions are outside of the file.
bool IsHarness(absl::string_view file, const MatchedTarget& target) {
  size_t inside = 0, outside = 0;
  for (const FunctionPair& function : target.functions) {
    const FunctionSide& side = function.Latest();
    if (!side.file.empty()) ++(side.file == file ? inside : outside);
  }
  return outside > inside;
}

}  // namespace

TestCode::TestCode(const MatchedTarget& target, absl::string_view label) {
  const bool is_test = absl::StartsWith(label, "//") || absl::StartsWith(label, "@");
  for (const FunctionPair& function : target.functions) {
    const FunctionSide& side = function.Latest();
    const bool is_body = absl::EndsWith(function.name, kTestBody) ||
                         (is_test && function.name == "main" && IsHarness(side.file, target));
    if (is_body && !side.file.empty()) files_.insert(side.file);
  }
  bool is_known = false;
  only_test_changed_ = target.toolchain_changes.empty();
  for (const FunctionPair& function : target.functions) {
    if (Owns(function.Latest().file)) functions_.insert(function.name);
    is_known = is_known || function.code != CodeChange::kUnknown;
    if (function.code != CodeChange::kChanged) continue;
    changed_.insert(function.name);
    only_test_changed_ = only_test_changed_ && Owns(function.after.file);
  }
  only_test_changed_ = only_test_changed_ && is_known;
  if (!only_test_changed_) return;
  SitesByFile before, after;
  AddSites(target, before, after);
  for (const auto& [place, sites] : after) {
    const auto& [caller, file] = place;
    const auto base = before.find(place);
    if (caller == kSpontaneous || base == before.end() || base->second != sites) continue;
    kept_inline_.emplace(target.functions[caller].name, file);
  }
}

bool TestCode::Owns(absl::string_view file) const {
  return IsTestFile(file) || files_.contains(file);
}

// A change that began in a changed function of the test has to be at a line of the test, or in
// inlined code that did not change.
bool TestCode::OnlyInputChanged(absl::Span<const v1::Finding> findings) const {
  return only_test_changed_ && absl::c_all_of(findings, [this](const v1::Finding& finding) {
           return !IsOrigin(finding) || !changed_.contains(finding.caller()) ||
                  Owns(finding.site().file()) ||
                  kept_inline_.contains(std::pair<absl::string_view, absl::string_view>(
                      finding.caller(), finding.site().file()));
         });
}

void TestCode::MarkTime(v1::Finding& finding) const {
  finding.set_in_test(functions_.contains(finding.function()));
}

void TestCode::Mark(absl::Span<v1::Finding> findings) const {
  const bool only_input = OnlyInputChanged(findings);
  absl::flat_hash_map<absl::string_view, bool> all_in_test;  // by function with such arcs
  for (v1::Finding& finding : findings) {
    if (finding.metric() == v1::Finding::CALLS) {
      finding.set_in_test(Owns(finding.site().file()));
    } else {
      MarkTime(finding);
    }
    if (only_input && !finding.in_test() && !finding.unexplained()) {
      finding.set_in_test(true);
      finding.set_test_input(true);
    }
    if (!IsOrigin(finding)) continue;
    bool& all = all_in_test.try_emplace(finding.function(), true).first->second;
    all = all && finding.in_test();
  }
  for (v1::Finding& finding : findings) {
    if (finding.metric() != v1::Finding::CALLS || !finding.caller().empty()) continue;
    const auto arcs = all_in_test.find(finding.function());
    if (arcs != all_in_test.end() && arcs->second) finding.set_in_test(true);
  }
}

namespace {

constexpr size_t kMostSources = 3;

// A function whose calls differ.
struct Source {
  std::string name;
  std::set<std::string> targets;
  // Of the callers that ask for something: as a person reads them, and what, as in findings.
  std::set<std::string> askers, varies_with;
};

// "`f` (in 3 tests)"
std::string InWords(const Source& source) {
  return absl::StrCat(source.name, " (in ", source.targets.size(),
                      source.targets.size() == 1 ? " test)" : " tests)");
}

// "; g calls f and asks for the clock"
std::string WhoAsks(const Source& source) {
  if (source.askers.empty()) return "";
  std::vector<absl::string_view> asked;
  for (const std::string& name : source.varies_with) asked.push_back(WordsOfAsked(name));
  const size_t more = source.askers.size() - 1;
  return absl::StrCat("; ", *source.askers.begin(),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "",
                      more > 0 ? " call " : " calls ", source.name,
                      more > 0 ? " and ask for " : " and asks for ", absl::StrJoin(asked, " and "));
}

// The functions in words, those of most tests first; there is at least one.
std::string InWords(const std::map<std::string, Source>& by_function) {
  std::vector<Source> sources;
  for (const auto& [function, source] : by_function) sources.push_back(source);
  std::stable_sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
    return a.targets.size() > b.targets.size();
  });
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(kMostSources, sources.size()); ++i) {
    named.push_back(InWords(sources[i]));
  }
  if (sources.size() > kMostSources) {
    const size_t more = sources.size() - kMostSources;
    named.push_back(absl::StrCat("of ", more, more == 1 ? " more function" : " more functions"));
  }
  return absl::StrJoin(named, ", ");
}

// Clauses about some of those whose reason is known, and a sentence if one's is not.
std::string Reasons(const std::map<std::string, Source>& by_function) {
  std::string reasons;
  size_t known = 0;
  for (const auto& [function, source] : by_function) {
    if (source.askers.empty()) continue;
    if (++known <= kMostSources) absl::StrAppend(&reasons, WhoAsks(source));
  }
  if (known == by_function.size()) return reasons;
  return reasons +
         ". The usual reasons are threads that wait or race, hashes of addresses, the "
         "clock, and random numbers";
}

}  // namespace

void NoteVaryingCounts(const std::vector<v1::Finding>& findings, v1::Report& report) {
  // Functions whose calls are known to vary, and those that differ though the code is the same.
  std::map<std::string, Source> varying, same_code;
  std::set<std::string> flipped;
  for (const v1::Finding& finding : findings) {
    if (!MayBeChance(finding)) continue;
    if (finding.no_longer_exact()) flipped.insert(finding.function_display());
    if (!IsOrigin(finding)) continue;
    Source& source = (CallsVary(finding) ? varying : same_code)[finding.function()];
    source.name = finding.function_display();
    source.targets.insert(finding.target());
    if (!finding.varies_with().empty()) source.askers.insert(finding.caller_display());
    source.varies_with.insert(finding.varies_with().begin(), finding.varies_with().end());
  }
  if (!flipped.empty()) {
    report.add_warnings(
        absl::StrCat("the calls of ", *flipped.begin(),
                     flipped.size() > 1 ? absl::StrCat(" and ", flipped.size() - 1, " more") : "",
                     " repeated from run to run until now; at the head they no longer do"));
  }
  if (!varying.empty()) {
    report.add_warnings(absl::StrCat("the calls of ", InWords(varying),
                                     " differ from run to run, and what they call does, too",
                                     Reasons(varying)));
  }
  if (!same_code.empty()) {
    report.add_warnings(absl::StrCat("the calls of ", InWords(same_code),
                                     " differ, and no changed code is the reason: they differ from "
                                     "run to run, or the test reads other data",
                                     Reasons(same_code)));
  }
}

}  // namespace gprofhub::reporter
