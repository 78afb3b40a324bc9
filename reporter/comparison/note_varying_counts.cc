#include "reporter/comparison/note_varying_counts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kMostNamed = 3;

struct Source {
  std::string name;
  std::set<std::string> targets;
};

// "`f` (in 3 tests)"
std::string InWords(const Source& source) {
  return absl::StrCat(source.name, " (in ", source.targets.size(),
                      source.targets.size() == 1 ? " test)" : " tests)");
}

void NoteSources(const std::map<std::string, Source>& by_function, v1::Report& report) {
  if (by_function.empty()) return;
  std::vector<Source> sources;
  for (const auto& [function, source] : by_function) sources.push_back(source);
  std::stable_sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
    return a.targets.size() > b.targets.size();
  });
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(kMostNamed, sources.size()); ++i) {
    named.push_back(InWords(sources[i]));
  }
  if (sources.size() > kMostNamed) {
    named.push_back(absl::StrCat("of ", sources.size() - kMostNamed, " more functions"));
  }
  report.add_warnings(absl::StrCat(
      "the calls of ", absl::StrJoin(named, ", "),
      " differ from run to run, and what they call does, too; nothing that changed in the code is "
      "the reason. The usual ones are threads that wait or race, hashes of addresses, the clock, "
      "and random numbers"));
}

}  // namespace

void NoteVaryingCounts(const std::vector<v1::Finding>& findings, v1::Report& report) {
  std::map<std::string, Source> sources;
  std::set<std::string> flipped;
  for (const v1::Finding& finding : findings) {
    const bool varies = finding.unexplained() || (!finding.exact() && !finding.one_run());
    if (finding.metric() != v1::Finding::CALLS || !varies) continue;
    if (finding.no_longer_exact()) flipped.insert(finding.function_display());
    if (!IsOrigin(finding)) continue;
    Source& source = sources[finding.function()];
    source.name = finding.function_display();
    source.targets.insert(finding.target());
  }
  if (!flipped.empty()) {
    report.add_warnings(
        absl::StrCat("the calls of ", *flipped.begin(),
                     flipped.size() > 1 ? absl::StrCat(" and ", flipped.size() - 1, " more") : "",
                     " repeated from run to run until now; at the head they no longer do"));
  }
  NoteSources(sources, report);
}

}  // namespace gprofhub::reporter
