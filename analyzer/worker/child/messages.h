// Protocol between the server and an analysis child.
//
//   child:   kReady, its active limits server:  kJob, an AnalysisInput child:   kRead, a blob's
//   name         any number of times; the server replies to each with server:  kBlob, or
//   kReadFailed child:   kFailed, or kComputed, kSegment once a bucket, and kDone
//
// and from kJob again. The server does not trust a child's messages: ResultReader validates them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/worker/child/analysis_input.h"
#include "analyzer/worker/child/channel.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
