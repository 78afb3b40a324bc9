// Another toolchain, or a rewritten component, in one line.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// A change of a time that would have to be larger than this to be seen: what samples there are say
// nothing.
inline constexpr double kTooCoarsePercent = 200;

// Whether the finding stands for many functions: it is about a toolchain, or a rewrite.
bool IsGroup(const v1::Finding& finding);

// What changed: "compiled 12 of 14 files; 87 functions changed with it", "16 functions replaced by
// 21, together 6.2% → 5.1% of the test's CPU". Empty where it is no group.
std::string GroupWords(const v1::Finding& finding);

// What that did to times: "-18% own time together (95%: -30% to -5%)".
std::string GroupEffectWords(const v1::Finding& finding);

// For a headline, where the time does not tell: "a rewrite: 61 functions replaced by 48,
// together 6.2% → 5.1% of the test's CPU". Without names, because a headline is not escaped.
std::string GroupHeadline(const v1::Finding& finding);

}  // namespace gprofhub::reporter
