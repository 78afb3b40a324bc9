// Every place at which the store can fail. One upload and its analysis do some hundred operations
// on the store's files, or on the connections to its database. At one of them after the other the
// server is killed, the operation fails, or the disk is full. Acknowledged data must exist, refused
// uploads must be accepted when they are repeated, and an error ends one call and not the server.
#include <gtest/gtest.h>

#include <cerrno>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

struct Failure {
  const char* name;
  fault_action action;
  int error;
};

class FailpointsTest : public testing::TestWithParam<StoreMaker> {
 protected:
  void Start() {
    server_.reset();
    server_ = std::make_unique<ServeProcess>(
        std::vector<std::string>{"--store", place_->location(), "--lease", "2"},
        Surroundings{0, faults_.Environment(), {}});
    channel_ = server_->Connect();
  }

  grpc::Status Upload(uint32_t i, v1::UploadResponse& response) {
    return Send(
        channel_, FaultTestUpload(i), "", [] {}, response);
  }

  // One upload that meets the failure, and again until it is there.
  void Visit(uint32_t i, uint64_t place, const Failure& failure) {
    faults_.Plan(place, failure.action, failure.error);
    v1::UploadResponse first;
    const grpc::Status status = Upload(i, first);
    EXPECT_NE(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNKNOWN) << status.error_message();
    // A place that the upload did not reach is left for its analysis.
    if (status.ok()) AwaitAnalysisOrEnd(first.run_id());
    faults_.PlanNothing();
    v1::UploadResponse again;
    grpc::Status second;
    for (int tries = 0; tries < 100; ++tries) {
      if (server_->HasEnded()) {
        EXPECT_EQ(failure.action, FAULT_KILL) << "an error has ended the server";
        Start();
      }
      second = Upload(i, again);
      if (second.ok()) break;
    }
    ASSERT_TRUE(second.ok()) << second.error_message();
    if (status.ok()) {
      EXPECT_TRUE(again.already_present()) << "upload " << i << " was acknowledged and is gone";
    }
    runs_.insert(again.run_id());
  }

  void AwaitAnalysisOrEnd(const std::string& run) {
    const auto stub = v1::Query::NewStub(channel_);
    v1::GetRunRequest request;
    request.set_project("default");
    request.set_run(run);
    for (int tries = 0; tries < 2000 && !server_->HasEnded(); ++tries) {
      grpc::ClientContext call;
      v1::Run got;
      if (stub->GetRun(&call, request, &got).ok() && got.jobs_pending() == 0) return;
    }
  }

  const std::unique_ptr<StorePlace> place_ = GetParam().make();
  FaultControl faults_ = place_->Faults();
  std::unique_ptr<ServeProcess> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::set<std::string> runs_;
};

TEST_P(FailpointsTest, NothingAcknowledgedIsLostAndAnErrorEndsOneCallOnly) {
  Start();
  // The first one makes what later ones find: folders, connections, the project.
  v1::UploadResponse response;
  ASSERT_TRUE(Upload(0, response).ok());
  AwaitAnalysis(channel_, response.run_id());
  const uint64_t before = faults_.Operations();
  ASSERT_TRUE(Upload(5, response).ok());
  AwaitAnalysis(channel_, response.run_id());
  const uint64_t places = faults_.Operations() - before;

  const bool on_files = GetParam().name == "Sqlite";
  const std::vector<Failure> failures =
      on_files
          ? std::vector<Failure>{{"kill", FAULT_KILL, 0},
                                 {"EIO", FAULT_ERROR, EIO},
                                 {"ENOSPC", FAULT_ERROR, ENOSPC}}
          : std::vector<Failure>{
                {"kill", FAULT_KILL, 0}, {"cut", FAULT_DISCONNECT, 0}, {"EIO", FAULT_ERROR, EIO}};
  const int visits = Scaled(20, static_cast<int>(places));
  std::cout << places << " places, " << visits << " visited with each failure" << std::endl;
  uint32_t upload = 10;
  for (int visit = 0; visit < visits; ++visit) {
    const uint64_t place =
        1 + static_cast<uint64_t>(visit) * places / static_cast<uint64_t>(visits);
    for (const Failure& failure : failures) {
      SCOPED_TRACE(std::string(failure.name) + " at place " + std::to_string(place));
      ASSERT_NO_FATAL_FAILURE(Visit(upload++, place, failure));
    }
  }
  for (const std::string& run : runs_) {
    const v1::Run got = AwaitAnalysis(channel_, run);
    EXPECT_EQ(got.jobs_failed(), 0u) << got.ShortDebugString();
  }
  EXPECT_EQ(server_->Stop().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, FailpointsTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
