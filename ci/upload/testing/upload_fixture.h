// Uploads of executions whose outputs a test writes, to a fake server.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ci/upload/upload.h"

namespace gprofhub::ci {

// Path of this folder's toy program, the test binary.
std::string Program();
std::string ProgramBuildId();

// A profile of the toy program, distinguished by its count.
std::string MakeProfile(uint64_t count);

class UploadTest : public testing::Test {
 protected:
  UploadTest();

  // An execution with one output folder that holds these files.
  TestAttempt& AddAttempt(const std::string& label,
                          const std::vector<std::pair<std::string, std::string>>& files);

  UploadSummary Upload(std::vector<std::string> images = {});

  UploadPlan plan_;
  std::string folder_;
  bool dry_run_ = false;
  size_t at_once_ = 1;                        // above 1: responses come in any order
  std::vector<absl::Status> answers_;         // the server's, in order; OK after the last
  std::vector<v1::UploadHeader> headers_;     // received by the server
  std::map<std::string, std::string> blobs_;  // received by the server, by SHA-256
  uint32_t profiles_at_server_ = 0;           // for a cached result without profiles of its own
  std::vector<std::string> progress_;

 private:
  std::mutex mutex_;  // held while the server answers
  absl::StatusOr<UploadOutcome> Receive(const v1::UploadHeader& header, const BlobBytes& blobs);
};

}  // namespace gprofhub::ci
