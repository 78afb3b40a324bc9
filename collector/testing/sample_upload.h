// Sample uploads, as a client sends them, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "collector/quotas.h"
#include "collector/upload_session.h"
#include "proto/collector.pb.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

// An upload that tests modify: every message in order.
struct SampleUpload {
  v1::UploadHeader header;
  std::vector<v1::BlobChunk> chunks;

  // The stream's messages: the header, then the chunks.
  std::vector<v1::UploadRequest> Messages() const;
};

// One execution of target "//db:test_<seed>" in run "run-1" of project "default",
// with one profile (profile/testing/sample_profile.h) in two chunks and one symbol
// bundle. The same seed gives the same upload.
SampleUpload MakeSampleUpload(uint32_t seed);

// Replaces the i-th profile's bytes and sends them in one chunk.
void ReplaceProfile(SampleUpload& upload, int i, const std::string& bytes);

// Replaces the i-th image's bundle.
void ReplaceBundle(SampleUpload& upload, int i, const std::string& bytes);

// Fixture: an upload session with its own store and small limits.

inline const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class UploadSessionTest : public testing::Test {
 protected:
  explicit UploadSessionTest(uint64_t in_flight_bytes = 1 << 20)
      : context_(store_.blobs, store_.ingest, Limits(), in_flight_bytes, quotas_, decoding_) {}

  static UploadLimits Limits() {
    UploadLimits limits;
    limits.profile = 4000;
    limits.stream = 5000;
    limits.chunk = 3000;
    return limits;
  }

  UploadSession Session() {
    return UploadSession(
        context_,
        [](absl::string_view project) -> absl::StatusOr<Caller> {
          Caller caller;
          caller.project = std::string(project);
          caller.scopes = Scopes::All();
          return caller;
        },
        "", [this] { return cancelled_after_ >= 0 && cancelled_after_-- == 0; });
  }

  absl::StatusOr<v1::UploadResponse> Send(const std::vector<v1::UploadRequest>& messages) {
    UploadSession session = Session();
    for (v1::UploadRequest message : messages) {
      RETURN_IF_ERROR(session.Receive(std::move(message)));
    }
    return session.Finish(kNow);
  }

  absl::StatusOr<v1::UploadResponse> Send(const SampleUpload& upload) {
    return Send(upload.Messages());
  }

  // Sends the messages; expects an error with these words, and nothing stored.
  void ExpectRefused(const std::vector<v1::UploadRequest>& messages, absl::StatusCode code,
                     absl::string_view words) {
    const auto response = Send(messages);
    EXPECT_EQ(response.status().code(), code) << response.status();
    EXPECT_TRUE(absl::StrContains(response.status().message(), words)) << response.status();
    EXPECT_TRUE(store::RunsIn(store_.reading).empty());
    for (const v1::UploadRequest& message : messages) {
      if (!message.has_chunk() || message.chunk().sha256().size() != 64) continue;
      EXPECT_EQ(store_.blobs.FindMissing("default", {message.chunk().sha256()})->size(), 1u);
    }
  }
  void ExpectRefused(const SampleUpload& upload, absl::StatusCode code, absl::string_view words) {
    ExpectRefused(upload.Messages(), code, words);
  }

  const store::Store store_ = store::MakeTempStore();
  Quotas quotas_{[](const std::string&) -> absl::StatusOr<uint64_t> { return 0; }};
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  // The client has left when a session asks for the time after this many others; below 0: never.
  int cancelled_after_ = -1;
  UploadContext context_;
  SampleUpload upload_ = MakeSampleUpload(1);
};

}  // namespace gprofhub::collector
