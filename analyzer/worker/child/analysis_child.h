// Analyses in a child process. Whoever sends a profile that makes the analysis crash, need more
// memory than there is, or never end, ends the child: the server goes on, and so do the other jobs.
//
// The child is this program, started again with other arguments. So it has nothing of the server's
// memory, descriptors or environment. It does one job after the other: to start it takes ten times
// as long as to analyse a small target. After a failure, and now and then, it is replaced.
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
  // What is started: a path, and the words before those that ServeAnalyses needs (ArgumentsOf).
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments;
  // What one analysis may take: bytes of memory, processor time, and time on the clock, which
  // passes on a busy machine, too.
  uint64_t memory = uint64_t{1} << 30;
  absl::Duration cpu = absl::Minutes(2);
  absl::Duration longest = absl::Minutes(10);
  // A child that does not say within this time that it is ready cannot be started.
  absl::Duration start = absl::Seconds(60);
  // A child is replaced after so many jobs.
  uint32_t jobs = 1000;
};

// The last two arguments of a child's command line, as ServeAnalyses wants them. False if they are
// no numbers.
bool ArgumentsOf(int argc, char** argv, int& parent, uint64_t& memory);

// For one thread at a time: the child ends with the thread that started it.
class AnalysisChild {
 public:
  explicit AnalysisChild(ChildOptions options) : options_(std::move(options)) {}
  // Ends the child.
  ~AnalysisChild();
  AnalysisChild(const AnalysisChild&) = delete;
  AnalysisChild& operator=(const AnalysisChild&) = delete;

  // Has a child that is ready for a job. UNAVAILABLE if none can be started. CANCELLED as in
  // Analyze.
  absl::Status Prepare(const std::function<bool()>& stopping);

  // As `Analyze` (analysis_input.h). ABORTED, saying how, if the analysis ended its child, or took
  // more than it may.
  absl::StatusOr<store::AnalysisResult> Analyze(const AnalysisInput& input, const ReadBlob& read,
                                                const std::function<bool()>& stopping);

  // The child's process id; -1: there is none now.
  pid_t pid() const { return pid_; }

 private:
  absl::Status Start();
  absl::StatusOr<store::AnalysisResult> Converse(const AnalysisInput& input, const ReadBlob& read);
  // Reads the blob if the input names it, and nothing else.
  absl::Status GiveBlob(const std::string& name, const AnalysisInput& input, const ReadBlob& read);
  void LimitTime() const;
  // Waits until the socket is ready, or it is time to give up.
  absl::Status Wait(int socket, short events) const;
  // Ends the child, unless it has ended, and says how it ended.
  std::string End();
  // Ends the child. ABORTED with the reason, or CANCELLED if that is what happened.
  absl::Status Abandon(const absl::Status& why);

  const ChildOptions options_;
  pid_t pid_ = -1;
  std::unique_ptr<Channel> channel_;
  uint32_t jobs_ = 0;
  // Of the conversation under way.
  const std::function<bool()>* stopping_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  absl::Status read_error_;  // of the blob that could not be read
};

}  // namespace gprofhub::analyzer
