// The searches of one `gprofhub bisect`: one repository, one working tree for its commits, a file
// of state for each search.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ci/upload/run/git.h"
#include "cli/bisect/repository.h"
#include "cli/bisect/result_text.h"
#include "cli/bisect/search/bisect.h"
#include "cli/bisect/state.h"

namespace gprofhub::cli {

struct SessionOptions {
  std::string workspace;  // the user's Bazel workspace, in a git repository
  std::string folder;     // for state, log and working tree; empty: one in the user's cache
  std::string bazel = "bazel";
  uint32_t repeat = 5;                          // BisectOptions::repeat
  uint32_t most_commits = 0;                    // measured in this session; 0: any number
  bool reset = false;                           // discard earlier results
  std::function<void(const std::string&)> say;  // one line of progress
};

class Session {
 public:
  // FAILED_PRECONDITION outside of a git repository, or while another session has the folder.
  static absl::StatusOr<Session> Open(SessionOptions options);

  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  const ci::GitCommand& git() const { return git_; }

  // Searches the line. Each measured commit is in the state's file before the next one is begun.
  // Errors are Bisect's, RunTest's and ReadState's.
  absl::StatusOr<Bisection> Search(const CommitLine& line, const Setting& setting);

 private:
  Session(SessionOptions options, ci::GitCommand git, std::string prefix, int lock);
  absl::StatusOr<Measurement> MeasureCommit(const CommitLine& line, const std::string& commit,
                                            const Setting& setting, uint32_t runs);

  SessionOptions options_;
  ci::GitCommand git_;
  std::string prefix_;  // of the workspace within the repository
  int lock_;            // a file descriptor
  std::optional<Worktree> worktree_;
  uint32_t measured_ = 0;
};

// The default folder of a session: in the user's cache, named after the workspace.
std::string DefaultBisectFolder(const std::string& workspace);

}  // namespace gprofhub::cli
