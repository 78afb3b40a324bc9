#include "reporter/comparison/mark_test_code.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "reporter/comparison/test_files.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
void MarkTestCode(absl::Span<v1::Finding> findings) {
  absl::flat_hash_map<absl::string_view, bool> all_in_test;  // by function with such arcs
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
