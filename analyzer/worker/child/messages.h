// What the server and a child that analyses say to each other.
//
//   child:   kReady, what keeps it in
//   server:  kJob, an AnalysisInput
//   child:   kRead, a blob's name         any number of times; the server answers each with
//   server:  kBlob, or kReadFailed
//   child:   kFailed, or kComputed, kSegment once a bucket, and kDone
//
// and from kJob again. The server believes nothing that a child says: ResultReader checks it.
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

}  // namespace gprofhub::analyzer
