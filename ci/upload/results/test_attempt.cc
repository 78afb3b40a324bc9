#include "ci/upload/results/test_attempt.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::ci {

std::string Describe(const TestAttempt& attempt) {
  return absl::StrCat(attempt.label, " run ", attempt.run, " shard ", attempt.shard, " attempt ",
                      attempt.attempt);
}

}  // namespace gprofhub::ci
