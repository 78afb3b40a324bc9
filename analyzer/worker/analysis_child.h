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
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// The input of an analysis, and the interface of an analysis in this process or in a child
// (analysis_child.h).

// One target of one run.
struct AnalysisInput {
  int64_t run_id = 0;
  std::string target;
  store::ProfileKind profile_kind = store::ProfileKind::kCounted;
  store::TargetData data;
};

// Returns the bytes of a blob that the input names.
using ReadBlob = std::function<absl::StatusOr<std::string>(const store::BlobName& name)>;

// Computes the profile and series of a target. `stopping` is polled; after it returns true the
// result is CANCELLED. ABORTED: the analysis itself crashed or exceeded a limit (analysis_child.h).
// Errors of the data are INVALID_ARGUMENT, OUT_OF_RANGE, DATA_LOSS or INTERNAL; others are those of
// `read`.
using Analyze = std::function<absl::StatusOr<store::AnalysisResult>(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping)>;

// Frames over a socket between the server and an analysis child.
//
// A frame is its kind and its size, 64 bits each in native byte order, followed by its bytes. Both
// ends are the same program.

struct Frame {
  uint64_t kind = 0;
  std::string bytes;
};

class Channel {
 public:
  // Called before each step that may block, with poll(2)'s events to wait for. OK: the step may be
  // tried. An error ends the call.
  using Wait = std::function<absl::Status(int socket, short events)>;

  // Takes the socket. Without `wait` the calls block.
  Channel(int socket, Wait wait) : socket_(socket), wait_(std::move(wait)) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // UNAVAILABLE if the peer closed the socket, and errors of `wait`. After either the channel is
  // unusable.
  absl::Status Send(uint64_t kind, absl::string_view bytes);
  // Returns the next frame. OUT_OF_RANGE if it has more than `most_bytes`. Memory grows with the
  // received bytes, not with the announced size. Other errors as Send.
  absl::StatusOr<Frame> Receive(uint64_t most_bytes);

 private:
  absl::Status SendAll(const char* data, size_t size);
  absl::Status ReceiveAll(char* data, size_t size);
  absl::Status Ready(short events) const;

  const int socket_;
  const Wait wait_;
};

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

// Protocol between the server and an analysis child.
//
//   child:   kReady, its active limits server:  kJob, an AnalysisInput child:   kRead, a blob's
//   name         any number of times; the server replies to each with server:  kBlob, or
//   kReadFailed child:   kFailed, or kComputed, kSegment once a bucket, and kDone
//
// and from kJob again. The server does not trust a child's messages: ResultReader validates them.

enum MessageKind : uint64_t {
  kReady = 1,
  kJob,
  kRead,
  kBlob,
  kReadFailed,
  kFailed,
  kComputed,
  kSegment,
  kDone,
};

// Maximum bytes of a result: the size of the largest accepted blob.
inline constexpr uint64_t kMostResultBytes = uint64_t{256} << 20;

std::string EncodeInput(const AnalysisInput& input);
// INTERNAL if `bytes` are not what EncodeInput wrote.
absl::StatusOr<AnalysisInput> DecodeInput(absl::string_view bytes);

// Encodes an error as the bytes of kReadFailed or kFailed, without its payloads.
std::string EncodeError(const absl::Status& error);
// Decodes the error from untrusted bytes: an invalid code, or OK, becomes INTERNAL; the message is
// converted to UTF-8 and truncated to 10,000 bytes.
absl::Status DecodeError(absl::string_view bytes);

std::string EncodeSegment(const store::PointSegment& segment);

// Assembles a job's result from a child's messages, which are untrusted.
class ResultReader {
 public:
  // Reads the result of `input`, which must outlive the reader.
  explicit ResultReader(const AnalysisInput& input) : input_(input) {}

  // The most bytes that the next frame may have.
  uint64_t MostBytes() const;
  // Takes kFailed, kComputed, kSegment or kDone. True: the result is complete. Errors: that of
  // kFailed; INTERNAL for unexpected frames.
  absl::StatusOr<bool> Take(Frame frame);
  // The complete result. The blob's name is computed from its bytes.
  store::AnalysisResult TakeResult();

 private:
  absl::Status TakeSegment(const std::string& bytes);

  const AnalysisInput& input_;
  store::AnalysisResult result_;
  uint64_t bytes_ = 0;
  bool has_computed_ = false;
};

// Main loop of an analysis child.

// File descriptor of a child's socket.
inline constexpr int kChildSocket = 3;

// Applies the limits (limits.h), reports kReady, and does jobs with `analyze`, one after the other,
// until the server closes the socket. Then the process exits. If the process `parent` has exited or
// exits later, so does this process. Must be called before threads exist.
[[noreturn]] void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze);

}  // namespace gprofhub::analyzer
