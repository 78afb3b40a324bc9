#include "collector/bes/record_attempt.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "collector/testing/sample_upload.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::collector {

namespace {

constexpr uint32_t kSeed = 1;  // of the fixture's upload

class RecordAttemptTest : public UploadSessionTest {
 protected:
  // A test of project "other", whose build names the sample's profile and bundle.
  RecordedAttempt Record() {
    const AttemptRecorder recorder = {
        context_,
        [this](const std::string& project,
               const HandedOverFile& file) -> absl::StatusOr<std::string> {
          const auto found = handed_over_.find(file.sha256);
          EXPECT_EQ(project, "other");
          if (found == handed_over_.end()) return absl::NotFoundError("it was not handed over");
          return found->second;
        }};
    AttemptSender sender;
    sender.caller.project = "other";
    sender.caller.scopes = Scopes::All();
    v1::RunInfo run = upload_.header.run();
    run.set_project("other");
    ci::TestAttempt attempt;
    attempt.label = "//db:test";
    attempt.status = "PASSED";
    attempt.remote_output_files = {{"gmon.out", UriOf(profile::SampleGmon(100 + kSeed))}};
    attempt.remote_symbol_bundles = {UriOf(profile::SampleBundle(kSeed))};
    return RecordAttempt(recorder, sender, run, attempt, /*may_wait=*/true, kNow);
  }

  void HandOver(const std::string& bytes) { handed_over_[base::Sha256Hex(bytes)] = bytes; }

 private:
  static std::string UriOf(const std::string& bytes) {
    return absl::StrCat("bytestream://cache/blobs/", base::Sha256Hex(bytes), "/", bytes.size());
  }

  std::map<std::string, std::string> handed_over_;
};

// The decoded bundle of another project is in the cache.
TEST_F(RecordAttemptTest, BundleOfAnotherProjectIsNotFound) {
  ASSERT_TRUE(Send(upload_).ok());
  HandOver(profile::SampleGmon(100 + kSeed));
  EXPECT_TRUE(Record().waits) << "as for a bundle that does not exist";
  HandOver(profile::SampleBundle(kSeed));
  const RecordedAttempt recorded = Record();
  EXPECT_TRUE(recorded.status.ok()) << recorded.status;
  EXPECT_TRUE(recorded.is_new);
}

}  // namespace

}  // namespace gprofhub::collector
