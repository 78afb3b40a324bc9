#include "reporter/times/evidence.h"

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {

bool TellsOfTheMachine(const MatchedTarget& target, const FunctionPair& function) {
  return function.toolchain_change < 0 && function.code != CodeChange::kChanged &&
         SameRatio(function.before.calls.sum, target.repetitions_before, function.after.calls.sum,
                   target.repetitions_after);
}

TimeEvidence EvidenceOf(const MatchedTarget& target, const CodeEvidence& code, uint32_t index) {
  const FunctionPair& function = target.functions[index];
  if (function.code == CodeChange::kChanged) return TimeEvidence::kChanged;
  if (function.code == CodeChange::kUnknown || !TellsOfTheMachine(target, function)) {
    return TimeEvidence::kUnknown;
  }
  return code.Reaches(index) ? TimeEvidence::kReached : TimeEvidence::kSame;
}

}  // namespace gprofhub::reporter
