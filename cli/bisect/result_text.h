// Result of a bisection, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/bisect/question.h"
#include "cli/bisect/repository.h"
#include "cli/bisect/search/bisect.h"

namespace gprofhub::cli {

struct BisectReport {
  Question question;
  CommitLine line;
  Bisection result;
};

// Whether one commit is left.
bool IsFound(const BisectReport& report);

// The answer first, then a table of all commits that were tested, oldest first.
std::string BisectText(const BisectReport& report);

// One object of what `gprofhub bisect --format=json` prints (docs/bisect.md).
nlohmann::ordered_json BisectJson(const BisectReport& report);

}  // namespace gprofhub::cli
