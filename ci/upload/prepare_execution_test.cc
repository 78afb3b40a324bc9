// Selection of the profiles to send, and of their images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "ci/upload/image_search.h"
#include "ci/upload/testing/test_files.h"
#include "ci/upload/testing/upload_fixture.h"
#include "profile/codec/message.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::ci {

namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A packed recording among the outputs is taken for a profile of the test's own program.
TEST_F(UploadTest, PackedRecordingOfAnotherProgramIsLeftOut) {
  AddAttempt("//a:t",
             {{"program.7.gprofhub", profile::PackRecording(profile::OrderlyRecording())}});
  const UploadSummary summary = Upload();
  EXPECT_TRUE(summary.status.ok());
  EXPECT_THAT(headers_, IsEmpty());
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("program.7.gprofhub: contains no data for "));
  EXPECT_THAT(summary.skipped[0], HasSubstr(ProgramBuildId()));
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
  EXPECT_THAT(summary.skipped[0], HasSubstr("pass the file with --image"));
}

TEST_F(UploadTest, FilesThatBazelNamesOneByOneAreUploadedLikeTheirFolder) {
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"gprofhub.cases/BM_Insert%2F8/gmon.out", MakeProfile(3)}, {"sub/gmon.12", MakeProfile(4)}};
  TestAttempt& attempt = AddAttempt("//a:t", outputs);
  EXPECT_THAT(Upload().skipped, IsEmpty());
  const std::vector<v1::UploadHeader> of_folder = std::exchange(headers_, {});
  for (const auto& [name, bytes] : outputs) {
    attempt.output_files.push_back({name, attempt.outputs[0] + "/" + name});
  }
  attempt.outputs.clear();
  EXPECT_THAT(Upload().skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(2));
  ASSERT_THAT(of_folder, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(headers_[i].SerializeAsString(), of_folder[i].SerializeAsString());
  }
}

TEST_F(UploadTest, ExecutionWithoutOneOfItsFilesIsNotUploaded) {
  TestAttempt& attempt = AddAttempt("//a:t", {{"gmon.1", MakeProfile(3)}});
  attempt.output_files = {{"gmon.1", attempt.outputs[0] + "/gmon.1"}};
  attempt.outputs.clear();
  attempt.remote_output_files = {{"gmon.2", "bytestream://host/blobs/ab/1"}};
  attempt.build_ended_unix_ms = int64_t{1} << 50;
  EXPECT_THAT(Upload().skipped,
              ElementsAre(HasSubstr("not on this machine (bytestream://host/blobs/ab/1)")));
  attempt.remote_output_files.clear();
  attempt.output_files.push_back({"gmon.2", folder_ + "/absent"});
  EXPECT_THAT(Upload().skipped, ElementsAre(HasSubstr("not on this machine")));
  EXPECT_THAT(headers_, IsEmpty());
}

// Separately measured cases: bazel/benchmark.bzl.
TEST_F(UploadTest, WhatIsMeasuredOnItsOwnIsATargetOfItsOwn) {
  AddAttempt("//a:bench", {{"gprofhub.cases/BM_Insert%2F8/gmon.out", MakeProfile(3)},
                           {"gprofhub.cases/BM_Insert%2F64/gmon.out", MakeProfile(4)},
                           {"gmon.out", MakeProfile(5)}})
      .duration_ms = 1500;
  const UploadSummary summary = Upload();
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.executions, 3u);
  EXPECT_EQ(summary.profiles, 3u);
  EXPECT_THAT(progress_, ElementsAre("//a:bench run 1 shard 1 attempt 1: 3 cases"));
  std::vector<std::string> targets;
  for (const v1::UploadHeader& header : headers_) {
    targets.push_back(header.execution().target());
    EXPECT_EQ(header.profiles_size(), 1);
    EXPECT_EQ(header.execution().status(), "PASSED");
    // The duration of a single case is unknown.
    EXPECT_EQ(header.execution().duration_ms(), targets.size() == 1 ? 1500u : 0u);
  }
  EXPECT_THAT(targets, ElementsAre("//a:bench", "//a:bench#BM_Insert/64", "//a:bench#BM_Insert/8"));
}

TEST_F(UploadTest, APartThatTheServerRefusesIsNamed) {
  AddAttempt("//a:bench", {{"gprofhub.cases/one/gmon.out", MakeProfile(3)},
                           {"gprofhub.cases/two/gmon.out", MakeProfile(4)}});
  answers_ = {absl::InvalidArgumentError("no")};
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_THAT(summary.skipped, ElementsAre("//a:bench#one run 1 shard 1 attempt 1: no"));
}

// Remote execution, or an upload from another machine: the program is not on this machine.
TEST_F(UploadTest, ASymbolBundleOfTheBuildStandsForTheProgram) {
  const auto image = ReadImage(Program(), ProgramBuildId());
  ASSERT_TRUE(image.ok()) << image.status();
  const std::string bundle = folder_ + "/t.gprofhub-symbols";
  WriteTestFile(bundle, image->bundle);
  TestAttempt& attempt =
      AddAttempt("//a:t", {{"toy." + ProgramBuildId() + ".gmon.1", MakeProfile(3)}});
  attempt.executables.clear();
  attempt.symbol_bundles = {folder_ + "/absent", bundle};
  EXPECT_THAT(Upload().skipped, IsEmpty());
  ASSERT_THAT(headers_, SizeIs(1));
  ASSERT_EQ(headers_[0].images_size(), 1);
  EXPECT_EQ(headers_[0].images(0).build_id(), ProgramBuildId());
  EXPECT_EQ(blobs_[headers_[0].images(0).bundle().sha256()], image->bundle);
}

// A later build replaced the binary that ran.
TEST_F(UploadTest, ABinaryThatWasBuiltAgainIsNamedAsSuch) {
  const std::string gone(40, 'f');
  AddAttempt("//a:t", {{"toy_program." + gone + ".gmon.1", MakeProfile(3)}});
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.without_profiles, 0u) << "it left one";
  EXPECT_THAT(progress_, ElementsAre("//a:t run 1 shard 1 attempt 1: skipped"));
  EXPECT_THAT(
      summary.skipped,
      ElementsAre(AllOf(HasSubstr("toy_program." + gone +
                                  ".gmon.1: the binary of //a:t was rebuilt after the test ran ("),
                        HasSubstr("upload before building anything else"))));
}

TEST_F(UploadTest, ARunfileThatWasBuiltAgainIsNamedAsSuch) {
  const std::string gone(40, 'f');
  TestAttempt& attempt = AddAttempt("//a:t", {{"toy_program." + gone + ".gmon.1", MakeProfile(3)}});
  const std::string script = folder_ + "/t.sh";
  WriteTestFile(script, "#!/bin/sh\n");
  WriteTestFile(script + ".runfiles_manifest", "w/tool " + Program() + "\n");
  attempt.executables = {script};
  EXPECT_THAT(Upload().skipped,
              ElementsAre(HasSubstr(": toy_program was rebuilt after the test ran (")));
}

TEST_F(UploadTest, ARecordingOfABinaryThatWasBuiltAgainIsLeftOutAsSuch) {
  // The recorded program is called "program".
  const std::string binary = folder_ + "/program";
  std::filesystem::copy_file(Program(), binary);
  AddAttempt("//a:t", {{"program.7.gprofhub", profile::OrderlyRecording()}}).executables = {binary};
  EXPECT_THAT(Upload().skipped, Contains(HasSubstr("the binary of //a:t was rebuilt")));
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

TEST_F(UploadTest, RemoteOutputsAreMentioned) {
  TestAttempt& attempt = AddAttempt("//a:t", {});
  attempt.remote_outputs = {"bytestream://host/blobs/ab/1"};
  const UploadSummary summary = Upload();
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("--remote_download_toplevel"));
}

TEST_F(UploadTest, OutputsThatWereNotDownloadedAreMentioned) {
  TestAttempt& attempt = AddAttempt("//a:t", {});
  attempt.outputs = {"/nonexistent/outputs.zip"};
  attempt.build_ended_unix_ms = 1;
  EXPECT_THAT(Upload().skipped, ElementsAre(HasSubstr("--remote_download_toplevel")));
}

TEST_F(UploadTest, ACachedResultWithoutItsOutputsAsksTheServerForItsProfile) {
  TestAttempt& attempt = AddAttempt("//a:t", {});
  attempt.cached = true;
  attempt.outputs.clear();
  attempt.remote_outputs = {"bytestream://host/blobs/ab/1"};
  profiles_at_server_ = 1;
  UploadSummary summary = Upload();
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.executions, 1u);
  EXPECT_EQ(summary.found, 1u);
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].profiles_size(), 0);
  EXPECT_TRUE(headers_[0].execution().cached());
  EXPECT_EQ(headers_[0].execution().test_binary_digest(), "build-id:" + ProgramBuildId());

  profiles_at_server_ = 0;
  summary = Upload();
  EXPECT_EQ(summary.executions, 1u) << "the report says that it was not compared";
  EXPECT_EQ(summary.found, 0u);
  EXPECT_THAT(summary.skipped, ElementsAre(HasSubstr("--remote_download_toplevel")));
}

TEST_F(UploadTest, ACachedResultWhoseOutputsBazelDoesNotNameAsksTheServerForItsProfile) {
  TestAttempt& attempt = AddAttempt("//a:t", {});
  attempt.cached = true;
  attempt.outputs.clear();
  profiles_at_server_ = 1;
  UploadSummary summary = Upload();
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.found, 1u);
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].execution().test_binary_digest(), "build-id:" + ProgramBuildId());

  profiles_at_server_ = 0;
  summary = Upload();
  EXPECT_EQ(summary.found, 0u);
  EXPECT_THAT(summary.skipped, ElementsAre(HasSubstr("--remote_download_toplevel")));
}

TEST_F(UploadTest, ACachedResultOfAnEarlierBuildDoesNotNameTheLaterBuildsProgram) {
  TestAttempt& attempt = AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  attempt.cached = true;
  attempt.build_ended_unix_ms = 1'000'000'000'000;  // in 2001
  Upload();
  ASSERT_THAT(headers_, SizeIs(1));
  EXPECT_EQ(headers_[0].profiles_size(), 0);
  EXPECT_EQ(headers_[0].execution().test_binary_digest(), "");
}

TEST_F(UploadTest, ACachedResultThatLeftNoProfileIsNotSent) {
  AddAttempt("//a:script", {{"log.txt", "x"}}).cached = true;
  const UploadSummary summary = Upload();
  EXPECT_THAT(headers_, IsEmpty());
  EXPECT_THAT(summary.skipped, IsEmpty());
  EXPECT_EQ(summary.without_profiles, 1u);
}

TEST_F(UploadTest, OutputsThatALaterBuildOverwroteAreLeftOut) {
  TestAttempt& attempt = AddAttempt("//a:t", {{"gmon.out", MakeProfile(3)}});
  attempt.build_ended_unix_ms = 1'000'000'000'000;  // in 2001
  const UploadSummary summary = Upload();
  EXPECT_EQ(summary.executions, 0u);
  ASSERT_THAT(summary.skipped, SizeIs(1));
  EXPECT_THAT(summary.skipped[0], HasSubstr("was overwritten by a later build"));
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
  const std::string& packed = blobs_.at(header.profiles(0).data().sha256());
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
  EXPECT_THAT(summary.skipped,
              ElementsAre(HasSubstr("sampled stacks and counted profiles in one run")));
}

}  // namespace

}  // namespace gprofhub::ci
