#include "analyzer/worker/child/serve_analyses.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "analyzer/worker/child/channel.h"
#include "analyzer/worker/child/limits.h"
#include "analyzer/worker/child/messages.h"

namespace gprofhub::analyzer {
namespace {

// The server's messages are trusted, and bounded by the server's own upload limits.
constexpr uint64_t kAnySize = UINT64_MAX;

absl::StatusOr<std::string> ReadThrough(Channel& channel, const store::BlobName& name) {
  if (absl::Status status = channel.Send(kRead, name); !status.ok()) return status;
  absl::StatusOr<Frame> answer = channel.Receive(kAnySize);
  if (!answer.ok()) return answer.status();
  if (answer->kind == kBlob) return std::move(answer->bytes);
  return DecodeError(answer->bytes);
}

absl::Status SendResult(Channel& channel, const absl::StatusOr<store::AnalysisResult>& result) {
  if (!result.ok()) return channel.Send(kFailed, EncodeError(result.status()));
  absl::Status status = channel.Send(kComputed, result->computed.bytes);
  for (const store::PointSegment& segment : result->segments) {
    if (status.ok()) status = channel.Send(kSegment, EncodeSegment(segment));
  }
  return status.ok() ? channel.Send(kDone, "") : status;
}

absl::Status DoJob(Channel& channel, const Frame& job, const Analyze& analyze) {
  const absl::StatusOr<AnalysisInput> input = DecodeInput(job.bytes);
  if (!input.ok()) return SendResult(channel, input.status());
  const auto read = [&channel](const store::BlobName& name) { return ReadThrough(channel, name); };
  // The server stops an analysis by ending this process.
  return SendResult(channel, analyze(*input, read, [] { return false; }));
}

}  // namespace

void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before that.
  if (getppid() != parent) _exit(0);
  close_range(kChildSocket + 1, ~0U, 0);
  Channel channel(kChildSocket, /*wait=*/nullptr);
  const absl::Status limited = EnterLimits(kChildSocket, memory);
  absl::Status status = channel.Send(kReady, limited.message());
  while (status.ok()) {
    const absl::StatusOr<Frame> job = channel.Receive(kAnySize);
    if (!job.ok()) break;
    status = DoJob(channel, *job, analyze);
  }
  // The server has exited, or no longer needs this child. Nothing needs cleanup, and destructors
  // may make system calls that are not allowed.
  _exit(0);
}

}  // namespace gprofhub::analyzer
