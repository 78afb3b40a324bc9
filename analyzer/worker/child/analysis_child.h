// Analyses in a child process. A profile that makes the analysis crash, exhaust the memory or loop
// forever ends only the child: the server and the other jobs continue.
//
// The child is this program, started again with other arguments, so it inherits no memory,
// descriptors or environment of the server. It does one job after the other, because starting a
// child takes ten times as long as the analysis of a small target. It is replaced after a failure,
// and after a number of jobs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "analyzer/worker/child/analysis_input.h"
#include "analyzer/worker/child/channel.h"

namespace gprofhub::analyzer {

struct ChildOptions {
  // The command to start: a path, and the arguments before those of ServeAnalyses (ArgumentsOf).
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments;
  // Limits of one analysis: bytes of memory, processor time, and wall-clock time, which also passes
  // on a busy machine.
  uint64_t memory = uint64_t{1} << 30;
  absl::Duration cpu = absl::Minutes(2);
  absl::Duration longest = absl::Minutes(10);
  // Startup timeout: a child that does not report kReady within this time counts as failed to
  // start.
  absl::Duration start = absl::Seconds(60);
  // Number of jobs after which a child is replaced.
  uint32_t jobs = 1000;
};

// The last two arguments of a child's command line, as ServeAnalyses expects them. False if they
// are not numbers.
bool ArgumentsOf(int argc, char** argv, int& parent, uint64_t& memory);

// For one thread at a time: the child ends with the thread that started it.
class AnalysisChild {
 public:
  explicit AnalysisChild(ChildOptions options) : options_(std::move(options)) {}
  // Ends the child.
  ~AnalysisChild();
  AnalysisChild(const AnalysisChild&) = delete;
  AnalysisChild& operator=(const AnalysisChild&) = delete;

  // Ensures that a child is ready for a job. UNAVAILABLE if no child can be started. CANCELLED as
  // in Analyze.
  absl::Status Prepare(const std::function<bool()>& stopping);

  // As `Analyze` (analysis_input.h). ABORTED, with the reason, if the analysis ended its child or
  // exceeded a limit.
  absl::StatusOr<store::AnalysisResult> Analyze(const AnalysisInput& input, const ReadBlob& read,
                                                const std::function<bool()>& stopping);

  // The child's process id; -1: no child at present.
  pid_t pid() const { return pid_; }

 private:
  absl::Status Start();
  absl::StatusOr<store::AnalysisResult> Converse(const AnalysisInput& input, const ReadBlob& read);
  // Reads the blob if the input names it. Other names are refused.
  absl::Status GiveBlob(const std::string& name, const AnalysisInput& input, const ReadBlob& read);
  void LimitTime() const;
  // Waits until the socket is ready, or a stop condition or limit is reached.
  absl::Status Wait(int socket, short events) const;
  // Ends the child, unless it has already ended, and returns how it ended.
  std::string End();
  // Ends the child. Returns ABORTED with the reason, or CANCELLED after a cancellation.
  absl::Status Abandon(const absl::Status& why);

  const ChildOptions options_;
  pid_t pid_ = -1;
  std::unique_ptr<Channel> channel_;
  uint32_t jobs_ = 0;
  // State of the current job.
  const std::function<bool()>* stopping_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  absl::Status read_error_;  // of the blob that could not be read
};

}  // namespace gprofhub::analyzer
