#include "reporter/rendering/explain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"
#include "profile/demangle.h"
#include "profile/environment.h"
#include "profile/names.h"
#include "profile/target_names.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMostSteps = 200;

struct Place {
  std::string file;
  uint32_t line = 0;
};

struct Arc {
  uint64_t count = 0;
  uint64_t most_of_a_site = 0;
  Place site;  // the site with the most calls
};

struct Function {
  std::string name;  // linkage name, without clone suffixes
  Place entry;
  double samples = 0;  // total
  uint64_t calls = 0;  // without recursion
  uint64_t own_calls = 0;
  std::set<uint32_t> codes;
  std::string toolchain;  // of the function itself
  std::map<size_t, Arc> callers;
  uint64_t from_outside = 0;
};

// The call graph of several runs.
class CallGraph {
 public:
  explicit CallGraph(const std::vector<profile::ComputedProfile>& runs) {
    for (const profile::ComputedProfile& run : runs) Add(run);
  }

  // npos if absent.
  size_t Find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? std::string::npos : found->second;
  }

  const Function& At(size_t function) const { return functions_[function]; }
  // 0 if absent or unknown, or if clones or runs differ.
  uint32_t CodeOf(const std::string& name) const {
    const size_t at = Find(name);
    if (at == std::string::npos || functions_[at].codes.size() != 1) return 0;
    return *functions_[at].codes.begin();
  }
  double PerExecution(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(std::max<uint64_t>(executions_, 1));
  }
  double ShareOf(size_t function) const {
    return samples_ > 0 ? std::min(1.0, functions_[function].samples / samples_) : 0;
  }

 private:
  void Add(const profile::ComputedProfile& run) {
    executions_ += run.repetitions;
    samples_ += run.total_samples;
    std::vector<size_t> rows;
    for (const profile::FunctionCost& cost : run.functions) {
      const absl::string_view raw = run.strings[cost.name];
      const absl::string_view name =
          profile::WithoutCloneSuffixes(raw, profile::CloneKinds::kCopies);
      const size_t row = IndexOf(base::ToUtf8(name));
      rows.push_back(row);
      Function& function = functions_[row];
      // The function's own entry has precedence over that of its clones.
      if (function.entry.file.empty() || name == raw) {
        function.entry = {base::ToUtf8(run.strings[cost.file]), cost.line};
        function.toolchain = base::ToUtf8(run.strings[cost.toolchain]);
      }
      function.codes.insert(cost.code);
      function.samples += cost.self_samples + cost.child_samples;
    }
    for (const profile::ArcCost& arc : run.arcs) {
      Function& callee = functions_[rows[arc.callee]];
      if (arc.caller >= rows.size()) {
        callee.from_outside += arc.count;
        callee.calls += arc.count;
        continue;
      }
      if (rows[arc.caller] == rows[arc.callee]) {
        // A call of the function's own clone is not the program's.
        if (arc.caller == arc.callee) callee.own_calls += arc.count;
        continue;
      }
      callee.calls += arc.count;
      Arc& known = callee.callers[rows[arc.caller]];
      known.count += arc.count;
      if (arc.count < known.most_of_a_site) continue;
      known.most_of_a_site = arc.count;
      known.site = {base::ToUtf8(run.strings[arc.site_file]), arc.site_line};
    }
  }

  size_t IndexOf(std::string name) {
    const auto [entry, is_new] = index_.try_emplace(name, functions_.size());
    if (is_new) functions_.emplace_back().name = std::move(name);
    return entry->second;
  }

  std::vector<Function> functions_;
  absl::flat_hash_map<std::string, size_t> index_;
  uint64_t executions_ = 0;
  double samples_ = 0;
};

// From the entry to `function`, which is last. The path avoids `below`.
std::vector<size_t> Climb(const CallGraph& graph, size_t function, size_t below) {
  std::vector<size_t> path = {function};
  std::set<size_t> seen = {function, below};
  while (path.size() < kMostSteps) {
    const Function& here = graph.At(path.back());
    size_t most = std::string::npos;
    uint64_t count = here.from_outside;
    for (const auto& [caller, arc] : here.callers) {
      if (arc.count <= count || seen.contains(caller)) continue;
      most = caller;
      count = arc.count;
    }
    if (most == std::string::npos) break;
    seen.insert(most);
    path.push_back(most);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void SetSite(const Place& place, v1::Explanation::Step& step) {
  step.mutable_site()->set_file(place.file);
  step.mutable_site()->set_line(place.line);
}

// The function as called from the step before (npos: without a caller).
v1::Explanation::Step MakeStep(const CallGraph& graph, size_t before, size_t at) {
  const Function& function = graph.At(at);
  v1::Explanation::Step step;
  step.set_function(function.name);
  step.set_function_display(base::ToUtf8(profile::Demangle(function.name)));
  step.set_calls(graph.PerExecution(function.calls));
  step.set_share(graph.ShareOf(at));
  const size_t callers = function.callers.size() + (function.from_outside > 0 ? 1 : 0);
  step.set_other_callers(static_cast<uint32_t>(callers - (callers > 0 ? 1 : 0)));
  const auto arc = function.callers.find(before);
  if (arc == function.callers.end()) {
    SetSite(function.entry, step);
    step.set_arc_calls(graph.PerExecution(function.from_outside));
    return step;
  }
  SetSite(arc->second.site, step);
  step.set_arc_calls(graph.PerExecution(arc->second.count));
  // The entry runs once per execution, though its call is not counted.
  const double runs = std::max(graph.PerExecution(graph.At(before).calls), 0.0);
  step.set_per_call(step.arc_calls() / (runs > 0 ? runs : 1));
  return step;
}

std::vector<v1::Explanation::Step> PathIn(const CallGraph& graph, const v1::Finding& finding) {
  constexpr size_t kNone = std::string::npos;
  const size_t function = graph.Find(finding.function());
  const bool by_arc = !finding.caller().empty() && finding.caller() != profile::kSpontaneousName;
  const size_t caller = by_arc ? graph.Find(finding.caller()) : kNone;
  std::vector<size_t> path;
  bool arrives = function != kNone;
  if (caller != kNone) {
    path = Climb(graph, caller, function);
    arrives = arrives && graph.At(function).callers.contains(caller);
    if (arrives && function != caller) path.push_back(function);
  } else if (function != kNone) {
    path = Climb(graph, function, kNone);
  }
  std::vector<v1::Explanation::Step> steps;
  for (size_t i = 0; i < path.size(); ++i) {
    steps.push_back(MakeStep(graph, i == 0 ? kNone : path[i - 1], path[i]));
  }
  if (!steps.empty() && arrives) steps.back().set_changed(true);
  return steps;
}

}  // namespace

std::vector<v1::Explanation::Step> PathTo(const std::vector<profile::ComputedProfile>& runs,
                                          const v1::Finding& finding) {
  return PathIn(CallGraph(runs), finding);
}

namespace {

// The text as one word of a shell's command line.
std::string ShellQuoted(absl::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/:_-.@+=", c);
  });
  if (is_plain) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string InWords(const profile::Environment& environment) {
  std::vector<std::string> parts = {environment.architecture};
  if (!environment.processor.empty()) parts.push_back(environment.processor);
  if (environment.processors > 0) {
    parts.push_back(absl::StrCat(environment.processors,
                                 environment.processors == 1 ? " processor" : " processors"));
  }
  if (!environment.emulator.empty()) parts.push_back("under " + environment.emulator);
  if (!environment.tunables.empty()) parts.push_back("GLIBC_TUNABLES " + environment.tunables);
  if (!environment.features.empty()) parts.push_back("features " + environment.features);
  return base::ToUtf8(absl::StrJoin(parts, ", "));
}

void AddEnvironments(const std::vector<profile::ComputedProfile>& runs,
                     v1::Explanation::Side& side) {
  std::set<std::string> environments;
  for (const profile::ComputedProfile& run : runs) {
    for (const profile::Environment& one : run.environments) environments.insert(InWords(one));
  }
  side.mutable_environments()->Add(environments.begin(), environments.end());
}

void Fill(const v1::Compared::Side& about, const std::vector<profile::ComputedProfile>& runs,
          const v1::Finding& finding, v1::Explanation::Side& side) {
  side.set_run_id(about.run_id());
  side.set_commit(about.commit());
  side.set_machine(about.machine());
  AddEnvironments(runs, side);
  const CallGraph graph(runs);
  for (v1::Explanation::Step& step : PathIn(graph, finding)) *side.add_path() = std::move(step);
  side.set_code(graph.CodeOf(finding.function()));
  for (const std::string& edited : finding.edited()) side.add_edited_code(graph.CodeOf(edited));
  const size_t at = graph.Find(finding.function());
  if (at == std::string::npos) return;
  const Function& function = graph.At(at);
  side.set_calls(graph.PerExecution(function.calls + function.own_calls));
  side.set_toolchain(function.toolchain);
}

}  // namespace

v1::Explanation Explain(const v1::Report& report, const v1::Finding& finding,
                        const ExplainedSides& sides) {
  v1::Explanation explanation;
  *explanation.mutable_finding() = finding;
  explanation.set_configuration(report.compared().configuration());
  if (absl::StartsWith(finding.target(), "//") || absl::StartsWith(finding.target(), "@")) {
    const BazelMode mode = ModeOf(report.compared().configuration());
    explanation.set_reproduce(absl::StrCat(
        "bazel test --config=", mode.configuration, mode.compilation_mode.empty() ? "" : " ",
        mode.compilation_mode, " -- ", ShellQuoted(profile::TestOf(finding.target()))));
    explanation.set_verify(absl::StrCat("gprofhub verify ", FindingId(finding)));
  }
  Fill(report.compared().base(), sides.base, finding, *explanation.mutable_base());
  Fill(report.compared().head(), sides.head, finding, *explanation.mutable_head());
  return explanation;
}

}  // namespace gprofhub::reporter
