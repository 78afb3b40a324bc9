#include "analyzer/worker/analysis_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/target_images.h"
#include "analyzer/worker/worker.h"
#include "base/hash.h"
#include "profile/codec/series.h"
#include "profile/testing/sample_profile.h"
#include "store/testing/engines.h"
#include "store/testing/temp_store.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::HasSubstr;

AnalysisInput Input() {
  AnalysisInput input;
  input.run_id = 17;
  input.target = "//db:caf\xC3\xA9_test";
  input.profile_kind = store::ProfileKind::kSampled;
  input.data.without_profiles = 3;
  store::TargetData::Profile profile;
  profile.execution.run_number = 2;
  profile.execution.shard = 4;
  profile.execution.attempt = 5;
  profile.profile = {"gmon.17", "b1d1", "data"};
  profile.bundle = "bundle";
  input.data.profiles.push_back(profile);
  return input;
}

TEST(MessagesTest, AJobArrivesAsItWasSent) {
  const absl::StatusOr<AnalysisInput> input = DecodeInput(EncodeInput(Input()));
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->run_id, 17);
  EXPECT_EQ(input->target, "//db:caf\xC3\xA9_test");
  EXPECT_EQ(input->profile_kind, store::ProfileKind::kSampled);
  EXPECT_EQ(input->data.without_profiles, 3u);
  ASSERT_EQ(input->data.profiles.size(), 1u);
  const store::TargetData::Profile& profile = input->data.profiles[0];
  EXPECT_EQ(profile.execution.run_number, 2u);
  EXPECT_EQ(profile.execution.shard, 4u);
  EXPECT_EQ(profile.execution.attempt, 5u);
  EXPECT_EQ(profile.profile.process, "gmon.17");
  EXPECT_EQ(profile.profile.build_id, "b1d1");
  EXPECT_EQ(profile.profile.data, "data");
  EXPECT_EQ(profile.bundle, "bundle");
}

TEST(MessagesTest, EachKindOfProfilesArrives) {
  for (const store::ProfileKind kind :
       {store::ProfileKind::kCounted, store::ProfileKind::kSampled, store::ProfileKind::kWindow}) {
    AnalysisInput input;
    input.profile_kind = kind;
    const auto received = DecodeInput(EncodeInput(input));
    ASSERT_TRUE(received.ok()) << received.status();
    EXPECT_EQ(received->profile_kind, kind);
  }
  std::string bytes = EncodeInput(AnalysisInput());
  bytes.replace(bytes.find("counted"), 7, "guessed");
  EXPECT_EQ(DecodeInput(bytes).status().code(), absl::StatusCode::kInternal);
}

TEST(MessagesTest, AnErrorArrivesAsItWasSent) {
  const absl::Status error = DecodeError(EncodeError(absl::DataLossError("byte 20")));
  EXPECT_EQ(error, absl::DataLossError("byte 20"));
}

TEST(MessagesTest, AnErrorOfAHostileChildIsAnErrorAndText) {
  for (const std::string& bytes : {std::string(), std::string("abc"), std::string(4, '\0'),
                                   std::string("\x7F\0\0\0why", 7), std::string(4, '\xFF')}) {
    EXPECT_TRUE(absl::IsInternal(DecodeError(bytes)));
  }
  const absl::Status odd = DecodeError(std::string("\x0F\0\0\0\xFFname", 9));
  EXPECT_TRUE(absl::IsDataLoss(odd));
  EXPECT_EQ(odd.message(), "<0xFF>name");
  const std::string longest = EncodeError(absl::InternalError(std::string(100'000, 'x')));
  EXPECT_EQ(DecodeError(longest).message().size(), 10'000u);
}

// Takes a valid frame. Returns whether the result is complete.
bool Take(ResultReader& reader, Frame frame) {
  const absl::StatusOr<bool> complete = reader.Take(std::move(frame));
  EXPECT_TRUE(complete.ok()) << complete.status();
  return complete.ok() && *complete;
}

TEST(ResultReaderTest, PutsAResultTogether) {
  const AnalysisInput input = Input();
  ResultReader reader(input);
  EXPECT_FALSE(Take(reader, {kComputed, "bytes"}));
  EXPECT_FALSE(Take(reader, {kSegment, EncodeSegment({0, "", 3, "points"})}));
  EXPECT_TRUE(Take(reader, {kDone, ""}));
  const store::AnalysisResult result = reader.TakeResult();
  EXPECT_EQ(result.computed.bytes, "bytes");
  EXPECT_EQ(result.computed.name, base::Sha256Hex("bytes"));
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_EQ(result.segments[0].run_id, 17);
  EXPECT_EQ(result.segments[0].target, input.target);
  EXPECT_EQ(result.segments[0].bucket, 3u);
  EXPECT_EQ(result.segments[0].payload, "points");
}

TEST(ResultReaderTest, RefusesWhatMakesNoSense) {
  const AnalysisInput input = Input();
  const std::vector<std::vector<Frame>> conversations = {
      {{kDone, ""}},
      {{kComputed, "a"}, {kComputed, "b"}},
      {{kSegment, "abc"}},
      {{kSegment, EncodeSegment({0, "", profile::kSeriesBuckets, ""})}},
      {{kSegment, EncodeSegment({0, "", 1, ""})}, {kSegment, EncodeSegment({0, "", 1, ""})}},
      {{kReady, ""}},
      {{kJob, ""}},
      {{999, ""}},
  };
  for (const std::vector<Frame>& conversation : conversations) {
    ResultReader reader(input);
    absl::StatusOr<bool> last = false;
    for (const Frame& frame : conversation) last = reader.Take(frame);
    EXPECT_TRUE(absl::IsInternal(last.status())) << last.status();
    EXPECT_THAT(std::string(last.status().message()), HasSubstr("invalid response"));
  }
}

TEST(ResultReaderTest, ALongResultIsOutOfRange) {
  const AnalysisInput input = Input();
  ResultReader reader(input);
  EXPECT_EQ(reader.MostBytes(), kMostResultBytes);
  ASSERT_FALSE(Take(reader, {kComputed, std::string(kMostResultBytes - 10, 'x')}));
  EXPECT_LT(reader.MostBytes(), 100'000u);
  EXPECT_TRUE(absl::IsOutOfRange(
      reader.Take({kSegment, EncodeSegment({0, "", 1, "longer than that"})}).status()));
}

using ::testing::AllOf;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

// A sanitizer needs more memory and system calls than the limits allow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimited = false;
#else
constexpr bool kLimited = true;
#endif

ChildOptions Options() {
  ChildOptions options;
  options.program = "analyzer/testing/breaking_child";
  options.memory = uint64_t{128} << 20;
  options.cpu = absl::Seconds(1);
  return options;
}

store::NewExecution MakeExecution(const std::string& target) {
  const store::Blob bundle = store::MakeBlob(profile::SampleBundle(1));
  const store::Blob gmon = store::MakeBlob(profile::SampleGmon(100));
  const std::string build_id = profile::SampleSymbols(1).build_id;
  store::NewExecution added;
  added.run.project = "default";
  added.run.run_key = "run-1";
  added.run.commit = std::string(40, 'a');
  added.run.started = kNow;
  added.execution.target = target;
  added.execution.status = "PASSED";
  added.profiles = {{"gmon.17", build_id, gmon.name}};
  added.images = {{build_id, bundle.name}};
  added.blobs = {bundle, gmon};
  return added;
}

class AnalysisChildTest : public testing::Test {
 protected:
  void Record(const std::string& target) {
    const auto recorded = store_.ingest.RecordExecution(MakeExecution(target), kNow);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  absl::StatusOr<store::AnalysisResult> Analyze(AnalysisChild& child, const std::string& target) {
    return child.Analyze(Input(target), Reader(), [] { return false; });
  }

  AnalysisInput Input(const std::string& target) {
    Record(target);
    return {1, target, store::ProfileKind::kCounted, *store_.reading.ReadTargetData(1, target)};
  }

  ReadBlob Reader() {
    return [this](const store::BlobName& name) { return store_.blobs.Read(name); };
  }

  const std::string directory_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(directory_);
};

TEST_F(AnalysisChildTest, GivesWhatTheAnalysisItselfGives) {
  AnalysisChild child(Options());
  const AnalysisInput input = Input("//db:test");
  const auto here = AnalyzeTarget(input, Reader(), [] { return false; });
  ASSERT_TRUE(here.ok()) << here.status();
  ASSERT_FALSE(here->segments.empty());
  pid_t pid = -1;
  for (int i = 0; i < 3; ++i) {
    const auto there = child.Analyze(input, Reader(), [] { return false; });
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_EQ(there->computed.bytes, here->computed.bytes);
    EXPECT_EQ(there->computed.name, here->computed.name);
    ASSERT_EQ(there->segments.size(), here->segments.size());
    for (size_t at = 0; at < here->segments.size(); ++at) {
      EXPECT_EQ(there->segments[at].bucket, here->segments[at].bucket);
      EXPECT_EQ(there->segments[at].payload, here->segments[at].payload);
    }
    if (i > 0) {
      EXPECT_EQ(child.pid(), pid) << "one child does many jobs";
    }
    pid = child.pid();
  }
}

TEST_F(AnalysisChildTest, ErrorsOfTheDataAndOfTheStoreCostNoChild) {
  AnalysisChild child(Options());
  ASSERT_TRUE(child.Prepare([] { return false; }).ok());
  const pid_t pid = child.pid();
  const AnalysisInput input = Input("//db:test");
  const auto bad = child.Analyze(
      input, [](const store::BlobName&) { return "no bundle"; }, [] { return false; });
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(absl::IsAborted(bad.status()));
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("image "));
  absl::Status away = absl::UnavailableError("the database went away");
  away.SetPayload("told", absl::Cord("as it is"));
  const auto unread = child.Analyze(
      input, [&away](const store::BlobName&) { return away; }, [] { return false; });
  EXPECT_EQ(unread.status(), away);
  EXPECT_TRUE(child.Analyze(input, Reader(), [] { return false; }).ok());
  EXPECT_EQ(child.pid(), pid);
}

TEST_F(AnalysisChildTest, SaysHowAnAnalysisBrokeDown) {
  ChildOptions options = Options();
  options.longest = absl::Minutes(5);
  AnalysisChild child(options);
  std::map<std::string, std::string> ways = {
      {"//db:aborts", "crashed (signal 6"},
      {"//db:loops", "more than 1s of processor time"},
      {"//db:reads_another", "requested a blob that is not part of its job"},
      {"//db:speaks_nonsense", "frame too large"},
  };
  if (kLimited) {
    ways["//db:allocates"] = "more than 128 MiB of memory";
    ways["//db:opens_a_socket"] = "a system call that is not allowed";
    ways["//db:forks"] = "a system call that is not allowed";
  }
  for (const auto& [target, words] : ways) {
    const absl::Status status = Analyze(child, target).status();
    EXPECT_TRUE(absl::IsAborted(status)) << target << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words)) << target;
    EXPECT_EQ(child.pid(), -1);
  }
  EXPECT_TRUE(Analyze(child, "//db:test").ok());
}

TEST_F(AnalysisChildTest, OpensNoFile) {
  if (!kLimited) GTEST_SKIP() << "a sanitizer opens files";
  AnalysisChild child(Options());
  EXPECT_TRUE(Analyze(child, "//db:opens_a_file").ok());
}

TEST_F(AnalysisChildTest, OneThatDoesNothingIsEndedWhenItsTimeIsOver) {
  ChildOptions options = Options();
  options.longest = absl::Milliseconds(200);
  AnalysisChild child(options);
  ASSERT_TRUE(child.Prepare([] { return false; }).ok());
  const absl::Status status = Analyze(child, "//db:sleeps").status();
  EXPECT_TRUE(absl::IsAborted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("longer than 200ms"));
}

TEST_F(AnalysisChildTest, StopsWhenItIsTold) {
  AnalysisChild child(Options());
  const AnalysisInput input = Input("//db:sleeps");
  int asked = 0;
  const absl::Status status =
      child.Analyze(input, Reader(), [&asked] { return ++asked > 10; }).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(child.pid(), -1);
}

TEST_F(AnalysisChildTest, SaysThatItCannotBeStarted) {
  ChildOptions options = Options();
  options.program = "/no/such/program";
  const absl::Status missing = AnalysisChild(options).Prepare([] { return false; });
  EXPECT_TRUE(absl::IsUnavailable(missing));
  EXPECT_THAT(std::string(missing.message()),
              AllOf(HasSubstr("/no/such/program"), HasSubstr("No such file")));
  options.program = "/bin/false";
  const absl::Status failing = AnalysisChild(options).Prepare([] { return false; });
  EXPECT_TRUE(absl::IsUnavailable(failing));
  EXPECT_THAT(std::string(failing.message()), HasSubstr("exited with code 1"));
}

TEST_F(AnalysisChildTest, IsReplacedNowAndThenAndWhenItEndedByItself) {
  ChildOptions options = Options();
  options.jobs = 2;
  AnalysisChild child(options);
  const AnalysisInput input = Input("//db:test");
  std::vector<pid_t> pids;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(child.Analyze(input, Reader(), [] { return false; }).ok());
    pids.push_back(child.pid());
  }
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_NE(pids[1], pids[2]);
  kill(child.pid(), SIGKILL);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child.pid()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(child.Analyze(input, Reader(), [] { return false; }).ok());
}

// End to end: a worker and its queue.
TEST_F(AnalysisChildTest, PoisonIsSetAsideWithItsReasonAndTheOthersGoOn) {
  std::vector<std::string> poison = {"//db:aborts", "//db:loops"};
  if (kLimited) poison.push_back("//db:allocates");
  for (int i = 0; i < 20; ++i) {
    if (i % 8 == 1) Record(poison.at(i / 8 % poison.size()));
    Record(absl::StrCat("//db:test_", i));
  }
  WorkerOptions options;
  options.name = "w";
  options.now = [] { return kNow; };
  AnalysisChild child(Options());
  options.prepare = [&child](const auto& stopping) { return child.Prepare(stopping); };
  Worker worker(
      store_.jobs, store_.reading, store_.blobs,
      [&child](const auto& input, const auto& read, const auto& stopping) {
        return child.Analyze(input, read, stopping);
      },
      options);
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) more = worker.RunOnce();
  ASSERT_TRUE(more.ok()) << more.status();
  size_t done = 0;
  const auto targets = store_.reading.ListTargets(1);
  ASSERT_TRUE(targets.ok()) << targets.status();
  for (const store::TargetRecord& target : *targets) {
    if (target.state == store::TargetState::kAnalyzed) {
      ++done;
      continue;
    }
    EXPECT_EQ(target.state, store::TargetState::kFailed) << target.label;
    EXPECT_THAT(target.error, HasSubstr("gave up after 3 attempts")) << target.label;
    EXPECT_THAT(target.error, HasSubstr(target.label == "//db:aborts"  ? "signal 6"
                                        : target.label == "//db:loops" ? "processor time"
                                                                       : "MiB of memory"));
  }
  EXPECT_EQ(done, 20u);
  EXPECT_EQ(targets->size(), 20 + poison.size());
}

TEST_F(AnalysisChildTest, AWorkerThatCannotAnalyseTakesNoJob) {
  Record("//db:test");
  WorkerOptions options;
  options.name = "w";
  options.now = [] { return kNow; };
  options.prepare = [](const auto&) { return absl::UnavailableError("no child"); };
  Worker worker(store_.jobs, store_.reading, store_.blobs, AnalyzeTarget, options);
  EXPECT_TRUE(absl::IsUnavailable(worker.RunOnce().status()));
  const auto job = store_.jobs.Claim("other", kNow, absl::Minutes(1), 8);
  ASSERT_TRUE(job.ok() && job->has_value());
  EXPECT_EQ((*job)->attempts, 1u);
}

}  // namespace

}  // namespace gprofhub::analyzer
