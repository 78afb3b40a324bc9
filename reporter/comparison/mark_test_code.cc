#include "reporter/comparison/mark_test_code.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

// Whether the code at `file` is a test's own, by how files of tests are named.
bool IsTestFile(absl::string_view file) {
  const absl::string_view name = file.substr(file.rfind('/') + 1);
  const absl::string_view stem = name.substr(0, name.find('.'));
  return absl::EndsWith(stem, "_test") || absl::EndsWith(stem, "_tests") ||
         absl::EndsWith(stem, "_unittest") || absl::StartsWith(stem, "test_") ||
         absl::EndsWith(stem, "Test") || absl::StrContains(file, "/test/") ||
         absl::StrContains(file, "/tests/") || absl::StartsWith(file, "test/") ||
         absl::StartsWith(file, "tests/");
}

}  // namespace

void MarkTestCode(std::vector<v1::Finding>& findings) {
  absl::flat_hash_map<std::string, bool> all_in_test;  // by function that has such arcs
  for (v1::Finding& finding : findings) {
    finding.set_in_test(IsTestFile(finding.site().file()));
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

}  // namespace gprofhub::reporter
