#include "ci/upload/testing/upload_fixture.h"

#include <filesystem>

#include "base/hash.h"
#include "ci/upload/testing/test_files.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/writer.h"

namespace gprofhub::ci {

std::string Program() { return TestPath("toy_program"); }

std::string ProgramBuildId() { return *profile::ReadElfBuildId(Program()); }

std::string MakeProfile(uint64_t count) {
  const profile::SymbolTable symbols = *profile::ReadElfSymbols(Program());
  profile::RawProfile profile;
  for (const profile::FunctionSymbol& function : symbols.functions) {
    if (function.name == "main") {
      profile.arcs.push_back({function.address + 8, function.address, count});
    }
  }
  EXPECT_EQ(profile.arcs.size(), 1u);
  return *profile::WriteGmon(profile, {});
}

UploadTest::UploadTest() {
  plan_.run.set_project("p");
  plan_.run.set_run_key("k");
  plan_.run.set_commit(std::string(40, 'a'));
  folder_ = MakeTestFolder(testing::UnitTest::GetInstance()->current_test_info()->name());
}

TestAttempt& UploadTest::AddAttempt(const std::string& label,
                                    const std::vector<std::pair<std::string, std::string>>& files) {
  TestAttempt attempt;
  attempt.label = label;
  attempt.configuration = "k8-opt";
  attempt.status = "PASSED";
  attempt.executables = {Program()};
  const std::string outputs =
      folder_ + "/" + std::to_string(plan_.attempts.size()) + "/test.outputs";
  std::filesystem::create_directories(outputs);
  for (const auto& [name, bytes] : files) WriteTestFile(outputs + "/" + name, bytes);
  attempt.outputs = {outputs};
  plan_.attempts.push_back(attempt);
  return plan_.attempts.back();
}

UploadSummary UploadTest::Upload(std::vector<std::string> images) {
  ImageSearch search(std::move(images));
  ImageBundles bundles(folder_ + "/cache");
  UploadSteps steps = {search, bundles, nullptr, [this](size_t, size_t, const std::string& what) {
                         progress_.push_back(what);
                       }};
  if (!dry_run_) {
    steps.send = [this](const v1::UploadHeader& header, const BlobBytes& blobs) {
      return Receive(header, blobs);
    };
  }
  steps.at_once = at_once_;
  return UploadAttempts(plan_, steps);
}

absl::StatusOr<UploadOutcome> UploadTest::Receive(const v1::UploadHeader& header,
                                                  const BlobBytes& blobs) {
  const std::scoped_lock lock(mutex_);
  headers_.push_back(header);
  for (const auto& [sha256, bytes] : blobs) {
    EXPECT_EQ(base::Sha256Hex(bytes), sha256);
    blobs_[sha256] = std::string(bytes);
  }
  if (!answers_.empty()) {
    const absl::Status status = answers_.front();
    answers_.erase(answers_.begin());
    if (!status.ok()) return status;
  }
  UploadOutcome outcome;
  outcome.response.set_run_id("1");
  outcome.bytes_sent = 10;
  outcome.response.set_profiles(header.profiles_size() > 0
                                    ? static_cast<uint32_t>(header.profiles_size())
                                    : profiles_at_server_);
  return outcome;
}

}  // namespace gprofhub::ci
