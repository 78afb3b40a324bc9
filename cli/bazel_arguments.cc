#include "cli/bazel_arguments.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "ci/upload/results/test_events.h"

namespace gprofhub::cli {

namespace {

// A label as a regular expression of Bazel's that matches it alone.
std::string Pattern(const std::string& label) {
  std::string pattern = "^";
  for (const char c : label) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("/:_-@", c)) {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern + "$";
}

}  // namespace

std::string BazelArguments(const std::vector<v1::Rerun>& reruns) {
  std::vector<std::string> tests;
  std::map<std::string, uint32_t> runs;
  for (const v1::Rerun& rerun : reruns) {
    // Hostile labels cannot become options: they come after "--".
    if (base::Printable(rerun.target()) != rerun.target()) continue;
    const std::string test = ci::TestOf(rerun.target());
    const auto [entry, is_new] = runs.try_emplace(test, 0);
    entry->second = std::max(entry->second, rerun.runs());
    if (is_new) tests.push_back(test);
  }
  std::string options, labels;
  for (const std::string& test : tests) {
    if (runs[test] > 1) {
      absl::StrAppend(&options, "--runs_per_test=", Pattern(test), "@", runs[test], "\n");
    }
    absl::StrAppend(&labels, test, "\n");
  }
  return labels.empty() ? "" : absl::StrCat(options, "--\n", labels);
}

}  // namespace gprofhub::cli
