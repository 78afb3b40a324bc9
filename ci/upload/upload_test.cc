#include "ci/upload/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/read_file.h"
#include "base/sha256.h"
#include "ci/upload/results/test_files.h"
#include "ci/upload/summary.h"
#include "profile/codec/recording.h"
#include "profile/codec/stacks.h"
#include "profile/gmon/writer.h"
#include "profile/image/read_image.h"
#include "profile/testing/recording_file.h"

namespace gprofhub::ci {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// This folder's toy program stands for a test binary.
std::string Program() { return TestPath("toy_program"); }

std::string ProgramBuildId() { return *profile::ReadElfBuildId(Program()); }

// A profile that fits the toy program, told from others by its count.
std::string MakeProfile(uint64_t count) {
  const profile::SymbolTable symbols = *profile::ReadElfSymbols(Program());
  profile::RawProfile profile;
  for (const profile::FunctionSymbol& function : symbols.functions) {
    if (function.name == "main") {
      profile.arcs.push_back({function.address + 8, function.address, count});
    }
  }
  EXPECT_THAT(profile.arcs, SizeIs(1));
  return *profile::WriteGmon(profile, {});
}

class UploadTest : public testing::Test {
 protected:
  UploadTest() {
    plan_.run.set_project("p");
    plan_.run.set_run_key("k");
    plan_.run.set_commit(std::string(40, 'a'));
    folder_ = MakeTestFolder(testing::UnitTest::GetInstance()->current_test_info()->name());
  }

  // An execution with one output folder that holds these files.
  TestAttempt& AddAttempt(const std::string& label,
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

  UploadSummary Upload(std::vector<std::string> images = {}) {
    ImageSearch search(std::move(images));
    ImageBundles bundles(folder_ + "/cache");
    UploadSteps steps = {search, bundles, nullptr, [this](size_t, size_t, const std::string& what) {
                           progress_.push_back(what);
                         }};
    if (!dry_run_) {
      steps.send = [this](const v1::UploadHeader& header,
                          const BlobBytes& blobs) -> absl::StatusOr<UploadOutcome> {
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
        return outcome;
      };
    }
    return UploadAttempts(plan_, steps);
  }

  UploadPlan plan_;
  std::string folder_;
  bool dry_run_ = false;
  std::vector<absl::Status> answers_;
  std::vector<v1::UploadHeader> headers_;
  std::map<std::string, std::string> blobs_;
  std::vector<std::string> progress_;
};

// The server's form of a recording, taken for a profile of the test's own program.
TEST_F(UploadTest, PackedRecordingOfAnotherProgramIsLeftOut) {
  AddAttempt("//a:t",
             {{"program.7.gprofhub", profile::PackRecording(profile::OrderlyRecording())}});
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_THAT(headers_, IsEmpty());
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("program.7.gprofhub: has nothing of "));
  EXPECT_THAT(summary.skipped[0], HasSubstr(ProgramBuildId()));
}

TEST_F(UploadTest, ProfileIsSentWithItsImage) {
  const std::string name = "toy_program." + ProgramBuildId() + ".gmon.12";
  AddAttempt("//a:t", {{name, MakeProfile(3)}});
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_EQ(summary.profiles, 1u);
  EXPECT_EQ(summary.bytes_sent, 10u);
  EXPECT_THAT(summary.images, ElementsAre(ProgramBuildId()));
  ASSERT_THAT(headers_, SizeIs(1));
  const v1::UploadHeader& header = headers_[0];
  EXPECT_EQ(header.execution().target(), "//a:t");
  EXPECT_EQ(header.execution().status(), "PASSED");
  EXPECT_EQ(header.run().configuration(), "k8-opt");
  ASSERT_EQ(header.profiles_size(), 1);
  EXPECT_EQ(header.profiles(0).process(), name);
  EXPECT_EQ(header.profiles(0).build_id(), ProgramBuildId());
  ASSERT_EQ(header.images_size(), 1);
  EXPECT_EQ(header.images(0).build_id(), ProgramBuildId());
}

TEST_F(UploadTest, PlainNamesBelongToTheTestsOwnBinary) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}, {"sub/gmon.12", MakeProfile(4)}});
  const UploadSummary summary = Upload();
  EXPECT_THAT(summary.skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].profiles_size(), 2);
  EXPECT_EQ(headers_[0].images_size(), 1);
}

TEST_F(UploadTest, ImageIsFoundInTheRunfilesOfAScript) {
  TestAttempt& attempt =
      AddAttempt("//a:t", {{"toy." + ProgramBuildId() + ".gmon.1", MakeProfile(3)}});
  const std::string script = folder_ + "/t.sh";
  WriteTestFile(script, "#!/bin/sh\n");
  WriteTestFile(script + ".runfiles_manifest",
                "w/empty \nw/absent /nonexistent\nw/tool " + Program() + "\n");
  attempt.executables = {script};
  EXPECT_THAT(Upload().skipped, IsEmpty());
  EXPECT_THAT(headers_, SizeIs(1));
}

TEST_F(UploadTest, ImageNamedByTheUserIsTaken) {
  AddAttempt("//a:t", {{"toy." + ProgramBuildId() + ".gmon.1", MakeProfile(3)},
                       {"gmon.out", MakeProfile(4)}})
      .executables.clear();
  EXPECT_THAT(Upload({Program()}).skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].profiles_size(), 2);
}

TEST_F(UploadTest, ProfileWithoutItsImageIsLeftOutAndTheRestGoesOn) {
  const std::string foreign(40, 'f');
  AddAttempt("//a:t", {{"x." + foreign + ".gmon.1", MakeProfile(3)}, {"gmon.out", MakeProfile(4)}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.profiles, 1u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("x." + foreign + ".gmon.1"));
  EXPECT_THAT(summary.skipped[0], HasSubstr("name the file with --image"));
}

TEST_F(UploadTest, DamagedProfilesAreLeftOut) {
  const std::string good = MakeProfile(3);
  AddAttempt("//a:t", {{"gmon.1", good.substr(0, good.size() - 1)},
                       {"gmon.2", ""},
                       {"gmon.3", "not a profile"},
                       {"gmon.4", good}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.profiles, 1u);
  EXPECT_THAT(summary.skipped, SizeIs(3));
}

TEST_F(UploadTest, ProfileOfAnotherProgramIsLeftOut) {
  profile::RawProfile profile;
  profile.histograms.push_back({0x7f0000000000, 0x7f0000001000, 100, "seconds", 's', {1, 2, 3}});
  AddAttempt("//a:t", {{"gmon.out", *profile::WriteGmon(profile, {})}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 0u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("does not belong to"));
}

TEST_F(UploadTest, CachedAndProfilelessExecutionsAreCounted) {
  AddAttempt("//a:cached", {{"gmon.out", MakeProfile(3)}}).cached = true;
  AddAttempt("//a:none", {{"log.txt", "x"}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_EQ(summary.cached, 1u);
  EXPECT_EQ(summary.without_profiles, 1u);
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_TRUE(headers_[0].execution().cached());
}

TEST_F(UploadTest, RemoteOutputsAreMentioned) {
  TestAttempt& attempt = AddAttempt("//a:t", {});
  attempt.remote_outputs = {"bytestream://host/blobs/ab/1"};
  const UploadSummary summary = Upload();
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("--remote_download_outputs=toplevel"));
}

TEST_F(UploadTest, OutputsThatALaterBuildOverwroteAreLeftOut) {
  TestAttempt& attempt = AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  attempt.build_ended_unix_ms = 1'000'000'000'000;  // in 2001
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 0u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("another build took its place"));
}

TEST_F(UploadTest, RefusedExecutionIsSkippedAndTheNextIsSent) {
  AddAttempt("//a:a", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:b", {{"gmon.out", MakeProfile(4)}});
  answers_ = {absl::AlreadyExistsError("other bytes")};
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_EQ(summary.executions, 1u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("//a:a run 1 shard 1 attempt 1: other bytes"));
}

TEST_F(UploadTest, UnreachableServerEndsTheUpload) {
  AddAttempt("//a:a", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:b", {{"gmon.out", MakeProfile(4)}});
  answers_ = {absl::UnavailableError("down")};
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(summary.executions, 0u);
  EXPECT_THAT(headers_, SizeIs(1));
}

TEST_F(UploadTest, ConfigurationsOfOneBuildBecomeRunsOfTheirOwn) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}}).configuration = "k8-dbg";
  Upload();
  ASSERT_THAT(headers_, SizeIs(2));
  EXPECT_EQ(headers_[0].run().run_key(), "k/k8-dbg");
  EXPECT_EQ(headers_[0].run().configuration(), "k8-dbg");
  EXPECT_EQ(headers_[1].run().run_key(), "k/k8-opt");
}

TEST_F(UploadTest, StacksThatPerfSampledAreSentResolvedAsARunOfTheirKind) {
  const std::string file = folder_ + "/production.folded";
  WriteTestFile(file, "toy;main 3\ntoy;main;secret_of_another_program 4\n");
  TestAttempt attempt;
  attempt.label = "//a:production";
  attempt.status = "NO_STATUS";
  attempt.outputs = {file};
  plan_.attempts = {attempt};
  const UploadSummary summary = Upload({Program()});
  EXPECT_THAT(summary.skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  const v1::UploadHeader& header = headers_[0];
  EXPECT_EQ(header.run().profile_kind(), v1::SAMPLED);
  EXPECT_EQ(header.run().project(), "p");
  ASSERT_EQ(header.profiles_size(), 1);
  EXPECT_EQ(header.profiles(0).process(), "production.folded");
  EXPECT_EQ(header.profiles(0).build_id(), ProgramBuildId());
  const std::string& packed = blobs_.at(header.profiles(0).contents().sha256());
  const auto stacks = profile::DecodeStacks(packed, "p", *profile::ReadElfSymbols(Program()));
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  EXPECT_THAT(stacks->functions, SizeIs(1));
  ASSERT_THAT(stacks->stacks, SizeIs(2));
  EXPECT_EQ(stacks->stacks[0].samples, 3u);
  EXPECT_EQ(stacks->stacks[1].frames, 2u) << "main, then unknown code";
}

TEST_F(UploadTest, StacksOfAProgramNamedLikeARecordingAreStacks) {
  TestAttempt attempt;
  attempt.label = "//a:production";
  attempt.outputs = {folder_ + "/production.stacks"};
  WriteTestFile(attempt.outputs[0], "gprofhub_commands 1 8.25: cycles:\n\t55d4c0 main (/app)\n");
  plan_.attempts = {attempt};
  EXPECT_THAT(Upload({Program()}).skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].profiles(0).process(), "production.stacks");
}

TEST_F(UploadTest, PerfsOwnDataIsLeftOutSayingWhatToDo) {
  TestAttempt attempt;
  attempt.label = "//a:production";
  attempt.outputs = {folder_ + "/perf.data"};
  WriteTestFile(attempt.outputs[0], "PERFILE2 and more");
  plan_.attempts = {attempt};
  const UploadSummary summary = Upload({Program()});
  EXPECT_THAT(headers_, IsEmpty());
  EXPECT_THAT(summary.skipped, ElementsAre(HasSubstr("perf script -i " + attempt.outputs[0])));
}

TEST_F(UploadTest, StacksBesideCountedProfilesAreLeftOut) {
  WriteTestFile(folder_ + "/production.folded", "toy;main 3\n");
  WriteTestFile(folder_ + "/gmon.out", MakeProfile(3));
  TestAttempt attempt;
  attempt.label = "//a:production";
  attempt.outputs = {folder_ + "/gmon.out", folder_ + "/production.folded"};
  plan_.attempts = {attempt};
  const UploadSummary summary = Upload({Program()});
  EXPECT_THAT(headers_, IsEmpty());
  EXPECT_THAT(summary.skipped, ElementsAre(HasSubstr("cannot be one run")));
}

TEST_F(UploadTest, DryRunSendsNothing) {
  dry_run_ = true;
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  const UploadSummary summary = Upload();
  EXPECT_THAT(headers_, IsEmpty());
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_GT(summary.bytes_total, 0u);
  EXPECT_EQ(summary.bytes_sent, 0u);
}

TEST_F(UploadTest, BundleIsKeptAndADamagedOneIsMadeAnew) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  Upload();
  const std::string cached = folder_ + "/cache/" + ProgramBuildId() + ".1";
  const std::string bytes = *base::ReadFile(cached, 1 << 20);
  WriteTestFile(cached, bytes.substr(0, bytes.size() / 2));
  Upload();
  EXPECT_EQ(*base::ReadFile(cached, 1 << 20), bytes);
  ASSERT_THAT(headers_, SizeIs(2));
  EXPECT_EQ(headers_[0].images(0).bundle().sha256(), headers_[1].images(0).bundle().sha256());
}

TEST_F(UploadTest, CachedBundleReplacesReadingTheImage) {
  AddAttempt("//a:t", {{"toy." + ProgramBuildId() + ".gmon.1", MakeProfile(3)}});
  Upload();
  // The same program without its symbol table: only the cache can name main.
  ImageBundles bundles(folder_ + "/cache");
  const auto image = bundles.Load("/nonexistent", ProgramBuildId());
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ((*image)->bundle_sha256, headers_[0].images(0).bundle().sha256());
}

TEST_F(UploadTest, RunWithoutAKeyIsKnownByItsContents) {
  AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  plan_.run.clear_run_key();
  v1::RunInfo first = plan_.run;
  v1::RunInfo second = plan_.run;
  ASSERT_TRUE(CompleteRun(plan_.attempts, first).ok());
  ASSERT_TRUE(CompleteRun(plan_.attempts, second).ok());
  EXPECT_EQ(first.run_key(), second.run_key());
  EXPECT_EQ(first.started_unix_ms(), second.started_unix_ms());
  EXPECT_GT(first.started_unix_ms(), 0);
  WriteTestFile(plan_.attempts[0].outputs[0] + "/gmon.out", MakeProfile(4));
  ASSERT_TRUE(CompleteRun(plan_.attempts, plan_.run).ok());
  EXPECT_NE(plan_.run.run_key(), first.run_key());
}

TEST(Summary, TextSaysWhatArrived) {
  UploadSummary summary;
  summary.executions = 4;
  summary.already_present = 1;
  summary.cached = 2;
  summary.profiles = 6;
  summary.images = {"aa"};
  summary.bytes_sent = 1'300'000;
  summary.bytes_total = 25'000'000;
  summary.run_ids = {"7"};
  summary.skipped = {"x"};
  EXPECT_EQ(SummaryText(summary, std::string(40, 'a'), false),
            "Uploaded 4 executions (1 already there, 2 answered from Bazel's cache) of commit "
            "aaaaaaaaaaaa: 6 profiles, 1 image, 1300 kB sent of 25.0 MB.\n"
            "Run: 7\n"
            "Left out: 1; the reasons are on stderr.\n");
}

TEST(Summary, JsonSurvivesNamesThatAreNoUtf8) {
  UploadSummary summary;
  summary.skipped = {"\xff\x1b[31m"};
  summary.status = absl::UnavailableError("down");
  const std::string json = SummaryJson(summary, "c", true);
  EXPECT_THAT(json, HasSubstr("\"error\": \"down\""));
  EXPECT_THAT(json, HasSubstr("\\u001b[31m"));
  EXPECT_EQ(ForTerminal("a\x1b[2Jb\n"), "a?[2Jb?");
}

}  // namespace
}  // namespace gprofhub::ci
