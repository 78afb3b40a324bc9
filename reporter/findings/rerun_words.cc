#include "reporter/findings/rerun_words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {

RerunCounts CountReruns(const v1::Report& report) {
  RerunCounts counts;
  counts.tests = static_cast<size_t>(report.reruns_size());
  for (const v1::Rerun& rerun : report.reruns()) counts.runs = std::max(counts.runs, rerun.runs());
  return counts;
}

std::string RerunWords(const RerunCounts& counts) {
  if (counts.tests == 0) return "";
  return absl::StrCat(counts.tests, counts.tests == 1 ? " test" : " tests", " would be decided by ",
                      counts.tests > 1 && counts.runs > 1 ? "up to " : "", counts.runs,
                      counts.runs == 1 ? " more run" : " more runs");
}

std::string RerunListCommand(const v1::Report& report) {
  // For local directories the id is a path.
  const std::string& run = report.compared().head().run_id();
  const bool is_number = !run.empty() && std::all_of(run.begin(), run.end(), absl::ascii_isdigit);
  return absl::StrCat("gprofhub rerun-list", is_number ? " " : "", is_number ? run : "");
}

}  // namespace gprofhub::reporter
