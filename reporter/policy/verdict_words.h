// Names of verdicts in configuration files.
#pragma once

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct VerdictWord {
  const char* name;
  v1::Finding::Verdict value;
};
inline constexpr VerdictWord kVerdictWords[] = {{"regressed", v1::Finding::REGRESSED},
                                                {"improved", v1::Finding::IMPROVED},
                                                {"new", v1::Finding::NEW},
                                                {"vanished", v1::Finding::VANISHED}};

}  // namespace gprofhub::reporter
