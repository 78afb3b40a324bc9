#include "reporter/rendering/compared_section.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/coverage.h"
#include "reporter/text/markdown_code.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

constexpr int kListedNames = 5;
constexpr size_t kListedReasons = 3;
constexpr int kListedWarnings = 5;

std::string InText(absl::string_view name) { return MarkdownCode(name, /*in_table=*/false); }

template <typename Names>
std::string NameList(const Names& names) {
  std::vector<std::string> quoted;
  const auto size = static_cast<int>(names.size());
  for (int i = 0; i < size && i < kListedNames; ++i) quoted.push_back(InText(names[i]));
  std::string list = absl::StrJoin(quoted, ", ");
  if (size > kListedNames) {
    absl::StrAppend(&list, " and ", size - kListedNames, " more");
  }
  return list;
}

// "1 test", "2,000 tests".
std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(HumanCount(static_cast<double>(count)), " ", what, count == 1 ? "" : "s");
}

std::string SideWords(const v1::Compared::Side& side) {
  std::string words = InText(side.commit().substr(0, 12));
  if (words.empty()) words = InText(side.run_id());
  if (!side.branch().empty()) absl::StrAppend(&words, " on ", InText(side.branch()));
  if (!side.run_id().empty() && !side.commit().empty()) {
    absl::StrAppend(&words, ", run ", InText(side.run_id()));
  }
  if (side.runs() > 1) absl::StrAppend(&words, ", ", Counted(side.runs(), "run"), " together");
  absl::StrAppend(&words, ", ", Counted(side.executions(), "test execution"), ", ",
                  HumanTime(side.total_seconds(), "seconds"), " of CPU sampled");
  return words;
}

}  // namespace

std::string ComparedSection(const v1::Report& report) {
  const v1::Compared& compared = report.compared();
  std::string out = "\n<details><summary>What was compared with what</summary>\n\n";
  absl::StrAppend(&out, "- this: ", SideWords(compared.head()), "\n");
  if (compared.has_base()) {
    absl::StrAppend(&out, "- base: ", SideWords(compared.base()), "\n");
  }
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "- choice of the base: ", InText(compared.baseline_reason()), "\n");
  }
  if (!compared.configuration().empty()) {
    absl::StrAppend(&out, "- configuration: ", InText(compared.configuration()), "\n");
  }
  if (compared.has_base()) {
    absl::StrAppend(&out, "- ", Counted(compared.functions(), "function"), " and ",
                    Counted(compared.arcs(), "caller-callee pair"), " in ",
                    Counted(compared.targets_size(), "test"));
    if (compared.targets_size() > 0) absl::StrAppend(&out, ": ", NameList(compared.targets()));
    out += "\n";
  }
  if (compared.new_targets_size() > 0) {
    absl::StrAppend(&out, "- only here: ", NameList(compared.new_targets()), "\n");
  }
  if (compared.vanished_targets_size() > 0) {
    absl::StrAppend(&out, "- only in the base: ", NameList(compared.vanished_targets()), "\n");
  }
  if (compared.machine_speed_factor() > 0) {
    absl::StrAppend(&out, "- machine speed: everything took ",
                    absl::StrFormat("%.2f", compared.machine_speed_factor()),
                    " times as long here; times are compared with that taken out\n");
  }
  if (compared.unchanged_targets_size() > 0) {
    absl::StrAppend(&out, "- same binary as at the base, or its own result: ",
                    NameList(compared.unchanged_targets()), "\n");
  }
  if (compared.cached_targets_size() > 0) {
    absl::StrAppend(
        &out, "- from Bazel's cache, not run again: ", NameList(compared.cached_targets()), "\n");
  }
  const auto reasons = NotComparedByReason(compared);
  for (size_t i = 0; i < reasons.size() && i < kListedReasons; ++i) {
    const auto& [reason, targets] = reasons[i];
    absl::StrAppend(&out, "- not compared: ", NameList(targets), ": ",
                    MarkdownCode(reason, false, 300), "\n");
  }
  if (reasons.size() > kListedReasons) {
    absl::StrAppend(&out, "- not compared for other reasons: ",
                    Counted(reasons.size() - kListedReasons, "reason"), "\n");
  }
  for (int i = 0; i < report.warnings_size() && i < kListedWarnings; ++i) {
    absl::StrAppend(&out, "- note: ", MarkdownCode(report.warnings(i), false, 300), "\n");
  }
  if (report.warnings_size() > kListedWarnings) {
    absl::StrAppend(&out, "- and ", report.warnings_size() - kListedWarnings, " more notes\n");
  }
  if (compared.has_base()) {
    out +=
        "\nCalls are counted, not sampled: those of functions that were built with -pg, which is "
        "the repository's own code; those of libraries such as libc and libstdc++ only with "
        "GPROFHUB_LIBRARY_CALLS=1. A count is \"exact\" where it was seen to repeat; \"one run "
        "each\" says that one run of each side shows it. Times are sampled; their intervals hold "
        "the true value 95 times in 100. Shares of the test's CPU are estimated from the "
        "samples.\n";
  }
  return out + "\n</details>\n";
}

}  // namespace gprofhub::reporter
