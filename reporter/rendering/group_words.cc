#include "reporter/rendering/group_words.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(HumanCount(static_cast<double>(count)), " ", what, count == 1 ? "" : "s");
}

std::string ToolchainWords(const v1::ToolchainChange& toolchain) {
  std::string words =
      absl::StrCat("compiled ", toolchain.files(), " of ", Counted(toolchain.all_files(), "file"));
  if (toolchain.folded() > 0) {
    absl::StrAppend(&words, "; ", Counted(toolchain.folded(), "function"), " changed with it");
  }
  if (toolchain.beside_size() > 0) {
    absl::StrAppend(&words, "; also changed, beside the toolchain: ",
                    Counted(static_cast<uint64_t>(toolchain.beside_size()), "function"));
  }
  return words;
}

std::string ReplacedWords(const v1::Rewrite& rewrite) {
  const auto pairs = static_cast<uint64_t>(rewrite.pairs_size());
  return absl::StrCat(Counted(pairs + static_cast<uint64_t>(rewrite.gone_size()), "function"),
                      " replaced by ", pairs + static_cast<uint64_t>(rewrite.came_size()));
}

std::string ShareWords(const v1::Rewrite& rewrite) {
  if (rewrite.share_before() <= 0 && rewrite.share_after() <= 0) return "";
  return absl::StrCat(", together ", HumanShare(rewrite.share_before()), " → ",
                      HumanShare(rewrite.share_after()), " of the test's CPU");
}

}  // namespace

bool IsGroup(const v1::Finding& finding) {
  return finding.has_toolchain() || finding.has_rewrite();
}

std::string GroupWords(const v1::Finding& finding) {
  if (finding.has_toolchain()) return ToolchainWords(finding.toolchain());
  if (!finding.has_rewrite()) return "";
  return absl::StrCat("rewritten: ", ReplacedWords(finding.rewrite()),
                      ShareWords(finding.rewrite()));
}

std::string GroupEffectWords(const v1::Finding& finding) {
  const absl::string_view what = finding.has_toolchain() ? "the test's time" : "own time together";
  if (finding.verdict() == v1::Finding::CANNOT_TELL) {
    const double detectable = finding.detectable_percent();
    if (detectable <= 0 || detectable > kTooCoarsePercent) {
      return absl::StrCat(what, ": too few samples");
    }
    return absl::StrFormat("%s: cannot tell below ±%.0f%%", what, detectable);
  }
  return absl::StrFormat("%s %s (95%%: %s to %s)", HumanEffect(finding.effect_percent()), what,
                         HumanEffect(finding.interval_low_percent()),
                         HumanEffect(finding.interval_high_percent()));
}

std::string GroupHeadline(const v1::Finding& finding) {
  if (finding.has_toolchain()) {
    return absl::StrCat("another toolchain compiled ", finding.toolchain().files(), " of ",
                        Counted(finding.toolchain().all_files(), "file"));
  }
  return absl::StrCat("a rewrite: ", ReplacedWords(finding.rewrite()),
                      ShareWords(finding.rewrite()));
}

}  // namespace gprofhub::reporter
