// Fills a store with runs of programs that are made up.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/open_store.h"
#include "tests/page/made_program.h"

namespace gprofhub::tests {

// When history begins; the time of every analysis.
inline const absl::Time kBegin = absl::FromUnixSeconds(1'700'000'000);

// The commit at this place of a project's history: 40 digits.
std::string CommitOf(int number);

// How an execution ended, and which one of its target it is.
struct Ended {
  uint32_t attempt = 1;
  std::string status = "PASSED";
  uint32_t duration_ms = 0;
};

class Filling {
 public:
  explicit Filling(store::Store store);

  const store::Store& store() const { return store_; }

  // A run of the project at this place of its history, on its main line.
  static store::RunRecord Run(const std::string& project, int number);

  // Records an execution of the run with one profile of the program.
  absl::Status Record(const store::RunRecord& run, const std::string& target,
                      const MadeProgram& program, const Ended& ended = {}) const;

  // Data of Bazel's events on the recorded run: a flaky test, and the end of its log.
  absl::Status KeepLog(const store::RunRecord& run, const std::string& target,
                       const std::string& log_end) const;

  // Everything that was recorded.
  absl::Status Analyze() const;

 private:
  const store::Store store_;
};

}  // namespace gprofhub::tests
