// The disk of a running server is full, again and again. Uploads are refused meanwhile, with the
// reason. Once there is space they are accepted, and no acknowledged data is lost.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"

namespace gprofhub::tests {
namespace {

constexpr uint32_t kTimes = 10;

TEST(DiskFullTest, UploadsAreRefusedUntilThereIsSpace) {
  const std::string directory = store::MakeTempDir();
  FaultControl faults = FaultControl::OfFiles(directory);
  ServeProcess server({"--data-dir", directory, "--lease", "2"},
                      Surroundings{0, faults.Environment(), {}});
  const auto channel = server.Connect();
  std::set<std::string> runs;
  uint32_t upload = 0;
  for (uint32_t time = 0; time < kTimes; ++time) {
    // An upload acknowledged a moment ago is being analysed when the disk fills up.
    v1::UploadResponse response;
    ASSERT_TRUE(Send(
                    channel, FaultTestUpload(upload++), "", [] {}, response)
                    .ok());
    runs.insert(response.run_id());
    faults.SetFull(true);
    for (int tries = 0; tries < 3; ++tries) {
      const grpc::Status status = Send(
          channel, FaultTestUpload(upload), "", [] {}, response);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
          << status.error_message();
      EXPECT_TRUE(absl::StrContains(status.error_message(), "full")) << status.error_message();
    }
    faults.SetFull(false);
    const grpc::Status status = Send(
        channel, FaultTestUpload(upload++), "", [] {}, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    runs.insert(response.run_id());
  }
  for (const std::string& run : runs) {
    const v1::Run got = AwaitAnalysis(channel, run);
    EXPECT_EQ(got.jobs_failed(), 0u) << got.ShortDebugString();
  }
  EXPECT_EQ(server.Stop().exit_code, 0);
}

}  // namespace
}  // namespace gprofhub::tests
