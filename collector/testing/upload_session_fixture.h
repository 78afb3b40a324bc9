// Fixture: an upload session with its own store and small limits.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "collector/quotas/quotas.h"
#include "collector/testing/sample_upload.h"
#include "collector/upload_session.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

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
    return UploadSession(context_, [](absl::string_view project) -> absl::StatusOr<Caller> {
      Caller caller;
      caller.project = std::string(project);
      caller.scopes = Scopes::All();
      return caller;
    });
  }

  absl::StatusOr<v1::UploadResponse> Send(const std::vector<v1::UploadRequest>& messages) {
    UploadSession session = Session();
    for (v1::UploadRequest message : messages) {
      if (absl::Status status = session.Receive(std::move(message)); !status.ok()) return status;
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
  base::DecodingBudget decoding_{uint64_t{768} << 20};
  UploadContext context_;
  SampleUpload upload_ = MakeSampleUpload(1);
};

}  // namespace gprofhub::collector
