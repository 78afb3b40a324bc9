// One-line descriptions of toolchain changes and rewritten components.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Minimum detectable effect above which times are not reported: there are too few samples.
inline constexpr double kTooCoarsePercent = 200;

// Whether the finding summarises many functions: a toolchain change or a rewrite.
bool IsGroup(const v1::Finding& finding);

// The change: "compiled 12 of 14 files; 87 functions changed with it", "16 functions replaced by
// 21, together 6.2% → 5.1% of the test's CPU". Empty if it is not a group.
std::string GroupWords(const v1::Finding& finding);

// The effect on times: "-18% own time together (95%: -30% to -5%)".
std::string GroupEffectWords(const v1::Finding& finding);

// For a headline, if the time is inconclusive: "a rewrite: 61 functions replaced by 48, together
// 6.2% → 5.1% of the test's CPU". Without names, because a headline is not escaped.
std::string GroupHeadline(const v1::Finding& finding);

}  // namespace gprofhub::reporter
