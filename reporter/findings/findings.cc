#include "reporter/findings/findings.h"

#include "base/utf8.h"
#include "profile/names/quantities.h"

namespace gprofhub::reporter {
namespace {

void MakeText(std::string* name) {
  if (!base::IsUtf8(*name)) *name = base::ToUtf8(*name);
}

void MakeText(v1::ToolchainChange& toolchain) {
  MakeText(toolchain.mutable_before());
  MakeText(toolchain.mutable_after());
  for (std::string& name : *toolchain.mutable_beside()) MakeText(&name);
}

void MakeText(v1::Rewrite& rewrite) {
  MakeText(rewrite.mutable_component());
  for (v1::Rewrite::Pair& pair : *rewrite.mutable_pairs()) {
    MakeText(pair.mutable_before());
    MakeText(pair.mutable_after());
  }
  for (std::string& name : *rewrite.mutable_gone()) MakeText(&name);
  for (std::string& name : *rewrite.mutable_came()) MakeText(&name);
}

}  // namespace

double RankingShare(const v1::Finding& finding) {
  return finding.has_share_of_calls() ? finding.share_of_calls() : finding.impact();
}

bool CountsInstructions(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::INSTRUCTIONS ||
         finding.metric() == v1::Finding::EVENT_INSTRUCTIONS;
}

bool CostsOtherThanCpu(const v1::Finding& finding) {
  return finding.share_of_bytes() >= kLeastOtherShare ||
         finding.share_of_waits() >= kLeastOtherShare;
}

bool CountsAllocatedBytes(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && finding.function() == profile::kAllocatedBytes;
}

bool CountsPeakBytes(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && finding.function() == profile::kPeakBytes;
}

bool CountsBytes(const v1::Finding& finding) {
  return CountsAllocatedBytes(finding) || CountsPeakBytes(finding);
}

bool IsOrigin(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && !finding.caller().empty() &&
         finding.verdict() != v1::Finding::SHIFTED;
}

bool Changed(const v1::Finding& finding) {
  switch (finding.verdict()) {
    case v1::Finding::REGRESSED:
    case v1::Finding::IMPROVED:
    case v1::Finding::NEW:
    case v1::Finding::VANISHED:
      return true;
    default:
      return false;
  }
}

void MakeNamesText(v1::Finding& finding) {
  MakeText(finding.mutable_function());
  MakeText(finding.mutable_function_display());
  MakeText(finding.mutable_caller());
  MakeText(finding.mutable_caller_display());
  MakeText(finding.mutable_target());
  if (finding.has_site()) MakeText(finding.mutable_site()->mutable_file());
  for (std::string& name : *finding.mutable_follows()) MakeText(&name);
  MakeText(finding.mutable_folded_under());
  if (finding.has_toolchain()) MakeText(*finding.mutable_toolchain());
  if (finding.has_rewrite()) MakeText(*finding.mutable_rewrite());
  if (!finding.has_shift()) return;
  for (std::string& name : *finding.mutable_shift()->mutable_with()) MakeText(&name);
}

}  // namespace gprofhub::reporter
