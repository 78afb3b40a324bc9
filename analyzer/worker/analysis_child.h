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
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// What an analysis is made of, and how it is made: in this process or in a child
// (analysis_child.h).

// One target of one run.
struct AnalysisInput {
  int64_t run_id = 0;
  std::string target;
  store::ProfileKind profile_kind = store::ProfileKind::kCounted;
  store::TargetData data;
};

// Gives the bytes of a blob that the input names.
using ReadBlob = std::function<absl::StatusOr<std::string>(const store::BlobName& name)>;

// Everything that the target left, computed. `stopping` is asked now and then; once it says true
// the answer is CANCELLED. ABORTED: the analysis itself broke down (analysis_child.h). Errors of
// the data are INVALID_ARGUMENT, OUT_OF_RANGE, DATA_LOSS or INTERNAL; others are those of `read`.
using Analyze = std::function<absl::StatusOr<store::AnalysisResult>(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping)>;

// Frames over a socket between the server and a child that analyses.
//
// A frame is its kind and its size, 64 bits each as this machine writes them, and then its bytes.
// Both ends are the same program.

struct Frame {
  uint64_t kind = 0;
  std::string bytes;
};

class Channel {
 public:
  // Is asked before each step that may block, with poll(2)'s events to wait for. OK: the step may
  // be tried. An error ends the call.
  using Wait = std::function<absl::Status(int socket, short events)>;

  // Takes the socket. Without `wait` the calls block.
  Channel(int socket, Wait wait) : socket_(socket), wait_(std::move(wait)) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // UNAVAILABLE if the other end has gone, and errors of `wait`. Both leave a channel that is of no
  // more use.
  absl::Status Send(uint64_t kind, absl::string_view bytes);
  // The next frame. OUT_OF_RANGE if it has more than `most_bytes`. What it takes grows with the
  // bytes that came, not with the size that was said. Otherwise as Send.
  absl::StatusOr<Frame> Receive(uint64_t most_bytes);

 private:
  absl::Status SendAll(const char* data, size_t size);
  absl::Status ReceiveAll(char* data, size_t size);
  absl::Status Ready(short events) const;

  const int socket_;
  const Wait wait_;
};

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

// What the server and a child that analyses say to each other.
//
//   child:   kReady, what keeps it in
//   server:  kJob, an AnalysisInput
//   child:   kRead, a blob's name         any number of times; the server answers each with
//   server:  kBlob, or kReadFailed
//   child:   kFailed, or kComputed, kSegment once a bucket, and kDone
//
// and from kJob again. The server believes nothing that a child says: ResultReader checks it.

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

// A result has at most so many bytes, as much as the longest blob that is taken in.
inline constexpr uint64_t kMostResultBytes = uint64_t{256} << 20;

std::string EncodeInput(const AnalysisInput& input);
// INTERNAL if `bytes` are not what EncodeInput wrote.
absl::StatusOr<AnalysisInput> DecodeInput(absl::string_view bytes);

// An error as the bytes of kReadFailed or kFailed. Payloads are left out.
std::string EncodeError(const absl::Status& error);
// The error. Of anybody: a code that is none, or OK, becomes INTERNAL; the message is made UTF-8
// and is cut after 10,000 bytes.
absl::Status DecodeError(absl::string_view bytes);

std::string EncodeSegment(const store::PointSegment& segment);

// Puts together what a child says of a job's result. Nothing is believed.
class ResultReader {
 public:
  // The result is `input`'s, which outlives the reader.
  explicit ResultReader(const AnalysisInput& input) : input_(input) {}

  // The most bytes that the next frame may have.
  uint64_t MostBytes() const;
  // Takes kFailed, kComputed, kSegment or kDone. True: the result is complete. The error of
  // kFailed; INTERNAL for what may not come, or not now.
  absl::StatusOr<bool> Take(Frame frame);
  // Once it is complete. Its blob's name is made of its bytes.
  store::AnalysisResult TakeResult();

 private:
  absl::Status TakeSegment(const std::string& bytes);

  const AnalysisInput& input_;
  store::AnalysisResult result_;
  uint64_t bytes_ = 0;
  bool has_computed_ = false;
};

// The life of a child that analyses.

// The descriptor that a child's socket has.
inline constexpr int kChildSocket = 3;

// Enters the limits (limits.h), says that it is ready, and does jobs with `analyze`, one after the
// other, until the server closes the socket. Then the process ends. If `parent`, a process's id, is
// no more, or ends, so does this process. To be called before threads exist.
[[noreturn]] void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze);

}  // namespace gprofhub::analyzer
