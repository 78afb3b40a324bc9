#include "tests/fault/client.h"

#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::tests {

collector::SampleUpload FaultTestUpload(uint32_t i) {
  collector::SampleUpload upload = collector::MakeSampleUpload(i);
  upload.header.mutable_run()->set_run_key(absl::StrCat("run-", i / 5));
  profile::RawProfile profile = profile::SampleProfile(100 + i);
  // An embedded store has small blobs as rows and large ones as files.
  const uint64_t arcs = i % 4 == 1 ? 7000 : 500;
  for (uint64_t at = 0; at < arcs; ++at) {
    profile.arcs.push_back({0x1000 + at % 256, 0x1200, at + i});
  }
  collector::ReplaceProfile(upload, 0, *profile::WriteGmon(profile));
  return upload;
}

grpc::Status Send(const std::shared_ptr<grpc::Channel>& channel,
                  const collector::SampleUpload& upload, const std::string& token,
                  const std::function<void()>& progress, v1::UploadResponse& response) {
  const auto stub = v1::Collector::NewStub(channel);
  grpc::ClientContext call;
  if (!token.empty()) call.AddMetadata("authorization", "Bearer " + token);
  auto stream = stub->Upload(&call, &response);
  for (const v1::UploadRequest& message : upload.Messages()) {
    progress();
    if (!stream->Write(message)) break;
  }
  progress();
  stream->WritesDone();
  progress();
  return stream->Finish();
}

grpc::Status Uploads::Send(uint32_t i) {
  v1::UploadResponse response;
  const grpc::Status status = tests::Send(
      channel_, FaultTestUpload(i), "", [] {}, response);
  absl::MutexLock lock(&mutex_);
  if (status.ok()) runs_.emplace(i, response.run_id());
  return status;
}

size_t Uploads::acknowledged() const {
  absl::MutexLock lock(&mutex_);
  return runs_.size();
}

std::set<std::string> Uploads::ExpectAllThere() const {
  absl::MutexLock lock(&mutex_);
  std::set<std::string> runs;
  for (const auto& [i, run] : runs_) {
    v1::UploadResponse response;
    const grpc::Status status = tests::Send(
        channel_, FaultTestUpload(i), "", [] {}, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (!status.ok()) break;
    EXPECT_TRUE(response.already_present()) << "upload " << i << " was acknowledged and is gone";
    runs.insert(run);
  }
  return runs;
}

v1::Run AwaitAnalysis(const std::shared_ptr<grpc::Channel>& channel, const std::string& run_id) {
  const auto stub = v1::Query::NewStub(channel);
  const absl::Time deadline = absl::Now() + absl::Minutes(15);
  v1::Run run;
  do {
    v1::GetRunRequest request;
    request.set_project("default");
    request.set_run(run_id);
    grpc::ClientContext call;
    run.Clear();
    const grpc::Status status = stub->GetRun(&call, request, &run);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (!status.ok() || run.jobs_pending() == 0) return run;
  } while (absl::Now() < deadline);
  ADD_FAILURE() << "run " << run_id << " still has " << run.jobs_pending() << " jobs to do";
  return run;
}

}  // namespace gprofhub::tests
