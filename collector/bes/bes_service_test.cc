// Streams of build events over real gRPC connections to a real store. A map of the test stands in
// for the files that Bazel would upload.
#include "collector/bes/bes_service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/hash.h"
#include "ci/upload/results/test_events.h"
#include "collector/access/authorizer.h"
#include "collector/bes/invocation.h"
#include "collector/bes/record_attempt.h"
#include "collector/call_server.h"
#include "collector/upload_session.h"
#include "profile/testing/sample_profile.h"
#include "proto/build_events.pb.h"
#include "proto/publish_build_event.grpc.pb.h"
#include "store/invocations.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {

namespace {

namespace build = google::devtools::build::v1;
using build_events::BuildEvent;

constexpr char kCommit[] = "1111111111111111111111111111111111111111";
constexpr char kOtherCommit[] = "2222222222222222222222222222222222222222";
constexpr char kInvocation[] = "24655241-a967-4e47-9b92-65e6b453d655";
constexpr uint32_t kSeed = 7;

// An outputs.zip with files of these names, each with these bytes.
std::string ZipOf(const std::vector<std::string>& names, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/outputs.zip";
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const std::string& name : names) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    zip_file_add(archive, name.c_str(), source, 0);
  }
  zip_close(archive);
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class BuildEventServiceTest : public testing::Test {
 protected:
  using Stream = grpc::ClientReaderWriter<build::PublishBuildToolEventStreamRequest,
                                          build::PublishBuildToolEventStreamResponse>;
  struct Client {
    grpc::ClientContext call;
    std::unique_ptr<Stream> stream;
  };

  BuildEventServiceTest() { Start(); }
  ~BuildEventServiceTest() override { Stop(); }

  void Start() {
    collector_ = std::make_unique<CollectorService>(store_.blobs, store_.ingest, store_.reading,
                                                    CollectorService::Options());
    BuildEventService::Options options;
    options.look_every = absl::Milliseconds(1);
    options.on_finished = [this] {
      const auto found = store_.invocations.Find(kInvocation);
      finished_ += found.ok() && found->front().state == store::InvocationState::kEnded;
    };
    options.recheck = [this](const Caller& caller) { return authorizer_.Recheck(caller); };
    service_ = std::make_unique<BuildEventService>(
        store_.invocations, collector_->uploads(),
        [this](const std::string& project,
               const HandedOverFile& file) -> absl::StatusOr<std::string> {
          const auto found = handed_over_.find(project + " " + file.sha256);
          if (found == handed_over_.end()) return absl::NotFoundError("it was not handed over");
          return found->second;
        },
        options);
    calls_ = std::make_unique<CallServer>(service_->Methods(), AccessOf(authorizer_),
                                          CallServer::Options());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(calls_.get());
    server_ = builder.BuildAndStart();
    stub_ = build::PublishBuildEvent::NewStub(grpc::CreateChannel(
        "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  }
  void Stop() {
    service_->Stop();
    server_->Shutdown();
    server_.reset();
    calls_.reset();
    service_.reset();
  }

  // Uploads bytes; returns their URI.
  std::string HandOver(const std::string& bytes, const std::string& project = "default") {
    handed_over_[project + " " + base::Sha256Hex(bytes)] = bytes;
    return AddressOf(bytes);
  }

  std::unique_ptr<Client> Open(const std::string& token = "") {
    auto client = std::make_unique<Client>();
    if (!token.empty()) client->call.AddMetadata("authorization", "Bearer " + token);
    client->stream = stub_->PublishBuildToolEventStream(&client->call);
    return client;
  }
  // An empty event marks the end of the stream.
  static build::PublishBuildToolEventStreamRequest Request(int64_t sequence,
                                                           const BuildEvent& event) {
    build::PublishBuildToolEventStreamRequest request;
    build::OrderedBuildEvent& ordered = *request.mutable_ordered_build_event();
    ordered.mutable_stream_id()->set_invocation_id(kInvocation);
    ordered.mutable_stream_id()->set_build_id("b");
    ordered.set_sequence_number(sequence);
    if (event.ByteSizeLong() == 0) {
      ordered.mutable_event()->mutable_component_stream_finished();
      return request;
    }
    auto& any = *ordered.mutable_event()->mutable_bazel_event();
    any.set_type_url("type.googleapis.com/build_event_stream.BuildEvent");
    any.set_value(event.SerializeAsString());
    return request;
  }
  // Sends events[from..to) with their numbers, and returns the acknowledged numbers.
  static std::vector<int64_t> Send(Client& client, const std::vector<BuildEvent>& events,
                                   size_t from, size_t to, grpc::Status& status) {
    std::thread writer([&] {
      for (size_t i = from; i < to; ++i) {
        if (!client.stream->Write(Request(static_cast<int64_t>(i) + 1, events[i]))) break;
      }
      client.stream->WritesDone();
    });
    std::vector<int64_t> acknowledged;
    build::PublishBuildToolEventStreamResponse response;
    while (client.stream->Read(&response)) acknowledged.push_back(response.sequence_number());
    writer.join();
    status = client.stream->Finish();
    return acknowledged;
  }
  void SendAll(const std::vector<BuildEvent>& events) {
    grpc::Status status;
    const std::vector<int64_t> acknowledged = Send(*Open(), events, 0, events.size(), status);
    EXPECT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(acknowledged.size(), events.size());
    for (size_t i = 0; i < acknowledged.size(); ++i) {
      ASSERT_EQ(acknowledged[i], static_cast<int64_t>(i) + 1) << "in order";
    }
  }

  static BuildEvent Started(int64_t unix_ms = 1'700'000'000'000) {
    BuildEvent event;
    event.mutable_id();
    event.mutable_started()->set_uuid(kInvocation);
    event.mutable_started()->set_start_time_millis(unix_ms);
    return event;
  }
  static BuildEvent Status(const std::string& commit = kCommit) {
    BuildEvent event;
    auto& items = *event.mutable_workspace_status();
    for (const auto& [key, value] : {std::pair<std::string, std::string>("GPROFHUB_COMMIT", commit),
                                     {"GPROFHUB_BRANCH", "main"}}) {
      auto& item = *items.add_item();
      item.set_key(key);
      item.set_value(value);
    }
    return event;
  }
  static BuildEvent Files(const std::string& set, const std::string& uri) {
    BuildEvent event;
    event.mutable_id()->mutable_named_set()->set_id(set);
    auto& file = *event.mutable_named_set_of_files()->add_files();
    file.set_name("db/test.gprofhub-symbols");
    file.set_uri(uri);
    return event;
  }
  static BuildEvent Symbols(const std::string& label, const std::string& set) {
    BuildEvent event;
    auto& id = *event.mutable_id()->mutable_target_completed();
    id.set_label(label);
    id.set_aspect("symbols");
    auto& group = *event.mutable_completed()->add_output_group();
    group.set_name("gprofhub_symbols");
    group.add_file_sets()->set_id(set);
    return event;
  }
  static BuildEvent Result(const std::string& label, const std::string& uri) {
    BuildEvent event;
    auto& id = *event.mutable_id()->mutable_test_result();
    id.set_label(label);
    id.set_run(1);
    id.set_shard(1);
    id.set_attempt(1);
    event.mutable_test_result()->set_status(build_events::PASSED);
    event.mutable_test_result()->mutable_test_attempt_duration()->set_seconds(2);
    if (!uri.empty()) {
      auto& file = *event.mutable_test_result()->add_test_action_output();
      file.set_name("test.outputs__outputs.zip");
      file.set_uri(uri);
    }
    return event;
  }
  static std::string AddressOf(const std::string& bytes) {
    return absl::StrCat("bytestream://host:7070/blobs/", base::Sha256Hex(bytes), "/", bytes.size());
  }
  static BuildEvent Failed(const std::string& label, int attempt, const std::string& log) {
    BuildEvent event = Result(label, "");
    event.mutable_id()->mutable_test_result()->set_attempt(attempt);
    event.mutable_test_result()->set_status(build_events::FAILED);
    auto& file = *event.mutable_test_result()->add_test_action_output();
    file.set_name("test.log");
    file.set_uri(log);
    return event;
  }
  static BuildEvent TestLogs(const std::string& which) {
    BuildEvent event;
    (*event.mutable_build_metadata()->mutable_metadata())["GPROFHUB_TEST_LOGS"] = which;
    return event;
  }
  static BuildEvent Last() {
    BuildEvent event;
    event.set_last_message(true);
    return event;
  }
  // The events of a complete invocation of one test.
  std::vector<BuildEvent> OneTest(const std::string& archive, bool with_symbols = true) {
    std::vector<BuildEvent> events = {Started(), Status()};
    if (with_symbols) {
      events.push_back(Files("0", HandOver(profile::SampleBundle(kSeed))));
      events.push_back(Symbols("//db:test", "0"));
    }
    events.push_back(Result("//db:test", HandOver(archive)));
    events.push_back(Last());
    return events;
  }
  // As Bazel 8 names outputs: each file on its own.
  BuildEvent ResultWithFiles(const std::string& label,
                             const std::vector<std::pair<std::string, std::string>>& files) {
    BuildEvent event = Result(label, "");
    for (const auto& [name, bytes] : files) {
      auto& file = *event.mutable_test_result()->add_test_action_output();
      file.set_name("test.outputs/" + name);
      file.set_uri(HandOver(bytes));
    }
    return event;
  }
  std::vector<BuildEvent> OneTestWithFiles(
      const std::vector<std::pair<std::string, std::string>>& files) {
    std::vector<BuildEvent> events = OneTest("");
    events[4] = ResultWithFiles("//db:test", files);
    return events;
  }
  static std::string GmonName(int pid) {
    return absl::StrCat("test.", profile::SampleSymbols(kSeed).build_id, ".gmon.", pid);
  }
  static std::string Archive(uint32_t seed = 5) {
    return ZipOf({absl::StrCat("test.", profile::SampleSymbols(kSeed).build_id, ".gmon.1")},
                 profile::SampleGmon(seed));
  }
  // The events of another build of one test with the same id.
  std::vector<BuildEvent> AnotherBuild(const std::string& commit = kOtherCommit) {
    std::vector<BuildEvent> events = OneTest(Archive(6));
    events[0] = Started(1'700'000'900'000);
    events[1] = Status(commit);
    return events;
  }
  void ExpectUsed(const std::vector<BuildEvent>& events) {
    grpc::Status status;
    EXPECT_TRUE(Send(*Open(), events, 0, events.size(), status).empty());
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << "not retried by Bazel";
    EXPECT_TRUE(absl::StrContains(
        status.error_message(),
        absl::StrCat("invocation id ", kInvocation, " of project default was already used")))
        << status.error_message();
    EXPECT_TRUE(absl::StrContains(status.error_message(), "a new id for each build"));
    const std::string note = store_.invocations.Find(kInvocation)->front().note;
    EXPECT_TRUE(absl::StrContains(note, "another build with this id were refused")) << note;
  }

  store::InvocationRecord AwaitEnd() {
    for (;;) {
      const auto found = store_.invocations.Find(kInvocation);
      EXPECT_TRUE(found.ok()) << found.status();
      if (!found.ok() || found->empty()) return {};
      if (found->front().state == store::InvocationState::kEnded) return found->front();
      std::this_thread::yield();
    }
  }
  store::InvocationTarget OnlyTarget() {
    const auto targets = store_.invocations.ListTargets(AwaitEnd().id);
    EXPECT_TRUE(targets.ok() && targets->size() == 1);
    return targets.ok() && targets->size() == 1 ? targets->front() : store::InvocationTarget();
  }

  const store::Store store_ = store::MakeTempStore();
  std::atomic<int> finished_ = 0;  // calls of on_finished that found the end durable
  Authorizer authorizer_{store_.tokens, store_.audit};
  std::map<std::string, std::string> handed_over_;
  std::unique_ptr<CollectorService> collector_;
  std::unique_ptr<BuildEventService> service_;
  std::unique_ptr<CallServer> calls_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<build::PublishBuildEvent::Stub> stub_;
};

TEST_F(BuildEventServiceTest, AnInvocationBecomesARun) {
  SendAll(OneTest(Archive()));
  const store::InvocationTarget target = OnlyTarget();
  EXPECT_EQ(target.label, "//db:test");
  EXPECT_EQ(target.status, "PASSED");
  EXPECT_EQ(target.attempts, 1u);
  EXPECT_EQ(target.recorded, 1u) << target.note;
  EXPECT_EQ(target.note, "");
  const std::vector<store::RunRecord> runs = store::RunsIn(store_.reading);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].run_key, kInvocation);
  EXPECT_EQ(runs[0].commit, kCommit);
  EXPECT_EQ(runs[0].branch, "main");
  EXPECT_EQ(AwaitEnd().run_id, runs[0].id);
  EXPECT_EQ(store_.reading.ListTargets(runs[0].id)->at(0).profiles, 1u);
  EXPECT_EQ(store_.reading.ListExecutions(runs[0].id)->at(0).duration_ms, 2000u);
}

TEST_F(BuildEventServiceTest, AnInvocationHasItsCommandLineAndTheTimesOfTests) {
  BuildEvent line;
  for (const char* word : {"test", "--client_env=HOME=/home/ann", "--config=gprof", "//db/..."}) {
    line.mutable_unstructured_command_line()->add_args(word);
  }
  BuildEvent second = Failed("//db:test", 2, "");
  for (BuildEvent* event : {&line, &second}) event->mutable_id();
  BuildEvent first = Failed("//db:test", 1, "");
  first.mutable_test_result()->set_test_attempt_start_millis_epoch(1'700'000'005'000);
  second.mutable_test_result()->set_test_attempt_start_millis_epoch(1'700'000'008'000);
  BuildEvent cached = Result("//db:test", "");
  cached.mutable_test_result()->set_cached_locally(true);
  cached.mutable_test_result()->set_test_attempt_start_millis_epoch(1'600'000'000'000);
  SendAll({Started(), line, Status(), second, first, cached, Last()});
  EXPECT_EQ(AwaitEnd().command_line, "bazel test --config=gprof //db/...");
  const store::InvocationTarget target = OnlyTarget();
  EXPECT_EQ(target.started, absl::FromUnixMillis(1'700'000'005'000));
  EXPECT_EQ(target.duration_ms, 4000u);
}

// Bazel marks the end of its stream again, in an event that is not a Bazel event.
TEST_F(BuildEventServiceTest, WhatFollowsTheLastEventIsAcknowledged) {
  std::vector<BuildEvent> events = OneTest(Archive());
  const size_t all = events.size();
  events.emplace_back();
  grpc::Status status;
  EXPECT_EQ(Send(*Open(), events, 0, all, status).size(), all);
  EXPECT_TRUE(status.ok()) << status.error_message();
  AwaitEnd();
  for (int times = 0; times < 2; ++times) {
    const std::vector<int64_t> acknowledged = Send(*Open(), events, all, all + 1, status);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(acknowledged, std::vector<int64_t>{static_cast<int64_t>(all) + 1});
  }
}

TEST_F(BuildEventServiceTest, EachCaseOfABenchmarkIsATarget) {
  const std::string file = absl::StrCat("test.", profile::SampleSymbols(kSeed).build_id, ".gmon.1");
  SendAll(OneTest(ZipOf({"gprofhub.cases/BM_Insert%2F8/" + file, "gprofhub.cases/BM_Find/" + file},
                        profile::SampleGmon(5))));
  const store::InvocationTarget target = OnlyTarget();
  EXPECT_EQ(target.label, "//db:test") << "as Bazel knows it";
  EXPECT_EQ(target.recorded, 1u) << target.note;
  const auto targets = store_.reading.ListTargets(AwaitEnd().run_id);
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_EQ(targets->size(), 2u);
  EXPECT_EQ(targets->at(0).label, "//db:test#BM_Find");
  EXPECT_EQ(targets->at(1).label, "//db:test#BM_Insert/8");
  EXPECT_EQ(store_.reading.ListExecutions(AwaitEnd().run_id)->at(0).duration_ms, 0u)
      << "Bazel knows the time of all cases together";
}

// `gprofhub upload` takes an archive; each sends what the other has not.
TEST_F(BuildEventServiceTest, FilesNamedOneByOneAreTheExecutionsOfTheirArchive) {
  const std::vector<std::string> names = {GmonName(1), "sub/" + GmonName(2),
                                          "gprofhub.cases/BM_Insert%2F8/" + GmonName(3)};
  std::vector<std::pair<std::string, std::string>> files = {{"a picture.png", "never read"}};
  for (const std::string& name : names) files.emplace_back(name, profile::SampleGmon(5));
  std::vector<BuildEvent> events = OneTestWithFiles(files);
  events[4].mutable_test_result()->mutable_test_action_output(0)->set_uri("bytestream://gone");
  SendAll(events);
  EXPECT_EQ(OnlyTarget().note, "");
  EXPECT_EQ(OnlyTarget().recorded, 1u);
  const auto targets = store_.reading.ListTargets(AwaitEnd().run_id);
  ASSERT_TRUE(targets.ok() && targets->size() == 2);
  EXPECT_EQ(targets->at(0).profiles, 2u);
  EXPECT_EQ(targets->at(1).label, "//db:test#BM_Insert/8");

  ci::TestEvents archived;
  for (const BuildEvent& event : OneTest(ZipOf(names, profile::SampleGmon(5)))) {
    archived.Take(event);
  }
  InvocationState state("default");
  for (const BuildEvent& event : events) state.Take(event, absl::Now());
  const ci::TestAttempt attempt = archived.Attempt(0);
  const absl::StatusOr<v1::RunInfo> run = state.RunOf(attempt);
  ASSERT_TRUE(run.ok()) << run.status();
  const AttemptRecorder recorder = {
      collector_->uploads(), [this](const std::string& project, const HandedOverFile& file) {
        return absl::StatusOr<std::string>(handed_over_.at(project + " " + file.sha256));
      }};
  Caller caller;
  caller.anonymous = true;
  caller.scopes = Scopes::All();
  const RecordedAttempt again = RecordAttempt(recorder, {caller, ""}, *run, attempt,
                                              /*may_wait=*/false, absl::Now());
  EXPECT_TRUE(again.status.ok()) << again.status;
  EXPECT_EQ(again.run_id, AwaitEnd().run_id);
  EXPECT_FALSE(again.is_new);
}

TEST_F(BuildEventServiceTest, ExecutionWithoutOneOfItsFilesIsNotRecorded) {
  const std::vector<BuildEvent> events = OneTestWithFiles(
      {{GmonName(1), profile::SampleGmon(5)}, {GmonName(2), profile::SampleGmon(6)}});
  handed_over_.erase("default " + base::Sha256Hex(profile::SampleGmon(6)));
  SendAll(events);
  EXPECT_EQ(OnlyTarget().recorded, 0u);
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, GmonName(2) + ": it was not handed over"))
      << OnlyTarget().note;
}

TEST_F(BuildEventServiceTest, HostileNamesOfFilesAreRefused) {
  SendAll(OneTestWithFiles({{"../" + GmonName(1), profile::SampleGmon(5)}}));
  EXPECT_EQ(OnlyTarget().recorded, 0u);
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "not a plain relative path"))
      << OnlyTarget().note;
}

TEST_F(BuildEventServiceTest, LimitsHoldOverTheSumOfATestsFiles) {
  std::vector<BuildEvent> events = OneTestWithFiles({});
  for (int i = 0; i < 9; ++i) {
    auto& file = *events[4].mutable_test_result()->add_test_action_output();
    file.set_name("test.outputs/" + GmonName(i));
    // Never read.
    file.set_uri(
        absl::StrCat("bytestream://host/blobs/", base::Sha256Hex(absl::StrCat(i)), "/", 64 << 20));
  }
  SendAll(events);
  EXPECT_EQ(OnlyTarget().recorded, 0u);
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "profiles of one execution too large"))
      << OnlyTarget().note;
}

TEST_F(BuildEventServiceTest, TestOfAnExternalRepositoryHasOneName) {
  std::vector<BuildEvent> events = OneTest(Archive());
  events[3] = Symbols("@@lib+//db:test", "0");
  events[4] = Result("@@lib+//db:test", HandOver(Archive()));
  SendAll(events);
  EXPECT_EQ(OnlyTarget().label, "@lib//db:test");
  EXPECT_EQ(store_.reading.ListTargets(AwaitEnd().run_id)->at(0).label, "@lib//db:test");
}

TEST_F(BuildEventServiceTest, TheEndIsToldOnceItIsDurable) {
  SendAll(OneTest(Archive()));
  AwaitEnd();
  while (finished_ == 0) std::this_thread::yield();
  EXPECT_EQ(finished_, 1);
}

TEST_F(BuildEventServiceTest, SymbolsThatAreNamedAfterTheResultAreWaitedFor) {
  const std::string bundle = HandOver(profile::SampleBundle(kSeed));
  SendAll({Started(), Status(), Result("//db:test", HandOver(Archive())), Files("0", bundle),
           Symbols("//db:test", "0"), Last()});
  EXPECT_EQ(OnlyTarget().recorded, 1u);
}

TEST_F(BuildEventServiceTest, AThousandTargetsAreAcknowledgedInOrder) {
  std::vector<BuildEvent> events = {Started(), Status()};
  for (int i = 0; i < 1000; ++i) events.push_back(Result(absl::StrCat("//db:test", i), ""));
  events.push_back(Last());
  SendAll(events);
  EXPECT_EQ(store_.invocations.ListTargets(AwaitEnd().id)->size(), 1000u);
}

TEST_F(BuildEventServiceTest, AStreamGoesOnAfterARestart) {
  const std::vector<BuildEvent> events = OneTest(Archive());
  grpc::Status status;
  EXPECT_EQ(Send(*Open(), events, 0, 3, status).size(), 3u);
  Stop();
  Start();
  // The third event is sent again: the client may have missed its acknowledgement.
  const std::vector<int64_t> acknowledged = Send(*Open(), events, 2, events.size(), status);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(acknowledged, (std::vector<int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(OnlyTarget().recorded, 1u);
  EXPECT_EQ(Send(*Open(), events, 0, events.size(), status).size(), events.size())
      << "what has ended is acknowledged once more";
  EXPECT_EQ(store::RunsIn(store_.reading).size(), 1u);
}

TEST_F(BuildEventServiceTest, IdOfAnEndedBuildIsRefused) {
  SendAll(OneTest(Archive()));
  EXPECT_EQ(AwaitEnd().commit, kCommit);
  ExpectUsed(AnotherBuild());
  ExpectUsed(AnotherBuild(kCommit));
  std::vector<BuildEvent> longer = AnotherBuild();
  longer.insert(longer.end() - 1, Result("//db:other_test", ""));
  ExpectUsed(longer);
  grpc::Status status;
  Send(*Open(), AnotherBuild(), 0, 1, status);
  EXPECT_TRUE(absl::StrContains(status.error_message(), absl::StrCat("of commit ", kCommit)))
      << status.error_message();
  EXPECT_EQ(OnlyTarget().recorded, 1u);
  EXPECT_EQ(store::RunsIn(store_.reading).size(), 1u);
}

TEST_F(BuildEventServiceTest, IdOfARunningBuildIsRefusedAndTheBuildContinues) {
  const std::vector<BuildEvent> events = OneTest(Archive());
  const std::unique_ptr<Client> running = Open();
  build::PublishBuildToolEventStreamResponse response;
  for (int64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(running->stream->Write(Request(i + 1, events[i])));
    ASSERT_TRUE(running->stream->Read(&response));
  }
  ExpectUsed(AnotherBuild());
  grpc::Status status;
  EXPECT_EQ(Send(*running, events, 3, events.size(), status).size(), events.size() - 3);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(AwaitEnd().commit, kCommit);
  EXPECT_EQ(OnlyTarget().recorded, 1u);
}

TEST_F(BuildEventServiceTest, InterruptedBuildIsRefused) {
  const std::vector<BuildEvent> events = OneTest(Archive());
  grpc::Status status;
  EXPECT_EQ(Send(*Open(), events, 0, 3, status).size(), 3u);
  Stop();
  EXPECT_TRUE(store_.invocations
                  .Finish(store_.invocations.Find(kInvocation)->front().id,
                          store::InvocationState::kInterrupted, absl::Now())
                  .ok());
  Start();
  ExpectUsed(AnotherBuild());
  EXPECT_EQ(store_.invocations.Find(kInvocation)->front().state,
            store::InvocationState::kInterrupted);
  // Its events are gone.
  EXPECT_TRUE(Send(*Open(), events, 0, events.size(), status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << "not retried by Bazel";
  EXPECT_TRUE(absl::StrContains(status.error_message(), "was interrupted at"));
}

TEST_F(BuildEventServiceTest, IdsOfTwoProjectsAreKeptApart) {
  grpc::Status status;
  for (const int64_t started : {1, 2}) {
    const auto token =
        MakeToken(store_.tokens, {absl::StrCat("project", started), "", *Scopes::Parse("upload")},
                  {}, absl::Now());
    ASSERT_TRUE(token.ok());
    EXPECT_EQ(Send(*Open(token->token), {Started(started), Status(), Last()}, 0, 3, status).size(),
              3u);
    EXPECT_TRUE(status.ok()) << status.error_message();
    AwaitEnd();
  }
  EXPECT_EQ(store_.invocations.Find(kInvocation)->size(), 2u);
}

// The store forgets invocations after a month, and keeps their runs.
TEST_F(BuildEventServiceTest, IdOfAForgottenBuildIsNamedInTheTargetsNote) {
  SendAll(OneTest(Archive()));
  AwaitEnd();
  const auto forget = [&] {
    // The service keeps it in memory while its stream ends.
    Stop();
    EXPECT_EQ(*store_.invocations.RemoveOld(absl::Now(), 10), 1);
    Start();
  };
  forget();
  SendAll(AnotherBuild());
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "already exists with commit"))
      << OnlyTarget().note;
  forget();
  SendAll(AnotherBuild(kCommit));
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "already exists with other profiles"))
      << OnlyTarget().note;
  EXPECT_EQ(OnlyTarget().recorded, 0u);
}

TEST_F(BuildEventServiceTest, WhereTheProjectWantsItAFailingTestsLastLinesAreKept) {
  const std::string log = HandOver("expected 3, is 4\n");
  SendAll({Started(), TestLogs("failed"), Status(), Failed("//db:a", 1, HandOver("first\n")),
           Failed("//db:a", 2, log), Failed("//db:gone", 1, AddressOf("never handed over")),
           Result("//db:b", ""), Last()});
  const auto targets = store_.invocations.ListTargets(AwaitEnd().id);
  ASSERT_TRUE(targets.ok() && targets->size() == 3);
  EXPECT_EQ(targets->at(0).log_end, "expected 3, is 4\n") << "of the attempt that failed last";
  EXPECT_EQ(targets->at(1).log_end, "") << "it passed";
  EXPECT_TRUE(absl::StrContains(targets->at(2).log_end, "not handed over"));
}

TEST_F(BuildEventServiceTest, NobodyGetsLogsThatTheProjectDoesNotWant) {
  SendAll({Started(), Status(), Failed("//db:a", 1, HandOver("a secret\n")), Last()});
  EXPECT_EQ(OnlyTarget().log_end, "");
}

TEST_F(BuildEventServiceTest, AnInvocationHasTheLogsOfAHundredTargetsAtMost) {
  const std::string log = HandOver("expected 3, is 4\n");
  std::vector<BuildEvent> events = {Started(), TestLogs("failed"), Status()};
  for (int i = 0; i < 150; ++i) events.push_back(Failed(absl::StrCat("//db:test", i), 1, log));
  events.push_back(Last());
  SendAll(events);
  const auto targets = store_.invocations.ListTargets(AwaitEnd().id);
  ASSERT_TRUE(targets.ok());
  EXPECT_EQ(targets->size(), 150u);
  EXPECT_EQ(std::count_if(targets->begin(), targets->end(),
                          [](const store::InvocationTarget& one) { return !one.log_end.empty(); }),
            100);
}

TEST_F(BuildEventServiceTest, ASettingOfLogsThatMakesNoSenseIsSaid) {
  SendAll({Started(), TestLogs("all"), Status(), Last()});
  EXPECT_TRUE(absl::StrContains(AwaitEnd().note, "GPROFHUB_TEST_LOGS: must be failed"));
}

TEST_F(BuildEventServiceTest, AGapBetweenNumbersIsRefused) {
  grpc::Status status;
  const std::vector<BuildEvent> events = OneTest(Archive());
  EXPECT_TRUE(Send(*Open(), events, 1, 2, status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::StrContains(status.error_message(), "the next event of this invocation is 1"))
      << status.error_message();
}

TEST_F(BuildEventServiceTest, WithoutSymbolsTheTargetSaysWhatToDo) {
  SendAll(OneTest(Archive(), /*with_symbols=*/false));
  const store::InvocationTarget target = OnlyTarget();
  EXPECT_EQ(target.recorded, 0u);
  EXPECT_TRUE(absl::StrContains(target.note, "has no symbol bundle")) << target.note;
  EXPECT_TRUE(store::RunsIn(store_.reading).empty());
}

TEST_F(BuildEventServiceTest, ABombInThePlaceOfOutputsIsNotUnpacked) {
  SendAll(OneTest(ZipOf({"gmon.out"}, std::string(65 << 20, '\0'))));
  const store::InvocationTarget target = OnlyTarget();
  EXPECT_EQ(target.recorded, 0u);
  EXPECT_TRUE(absl::StrContains(target.note, "the limit for a profile is")) << target.note;
}

TEST_F(BuildEventServiceTest, OutputsThatWereNotHandedOverAreNamed) {
  std::vector<BuildEvent> events = OneTest(Archive());
  handed_over_.clear();
  SendAll(events);
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "was not handed over"));
}

TEST_F(BuildEventServiceTest, WithoutACommitTheInvocationSaysWhatToDo) {
  std::vector<BuildEvent> events = OneTest(Archive());
  events[1] = Status("");
  SendAll(events);
  EXPECT_TRUE(absl::StrContains(AwaitEnd().note, "GPROFHUB_COMMIT")) << AwaitEnd().note;
  EXPECT_TRUE(store::RunsIn(store_.reading).empty());
}

// The CI system's variables, which would name one, are about another commit.
TEST_F(BuildEventServiceTest, RunThatTheClientRefusesIsNotRecorded) {
  std::vector<BuildEvent> events = OneTest(Archive());
  events[1] = Status("");
  auto& refused = *events[1].mutable_workspace_status()->add_item();
  refused.set_key("GPROFHUB_NO_COMMIT");
  refused.set_value("the pull request was not measured");
  SendAll(events);
  EXPECT_TRUE(absl::StrContains(AwaitEnd().note, "was not measured")) << AwaitEnd().note;
  EXPECT_TRUE(store::RunsIn(store_.reading).empty());
}

TEST_F(BuildEventServiceTest, ATokenOpensItsOwnProjectOnly) {
  const auto token =
      MakeToken(store_.tokens, {"mine", "", *Scopes::Parse("upload")}, {}, absl::Now());
  ASSERT_TRUE(token.ok());
  grpc::Status status;
  const std::vector<BuildEvent> events = {Started(), Status(), Last()};
  Send(*Open(), events, 0, 3, status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Send(*Open(token->token), events, 0, 3, status).size(), 3u);
  EXPECT_EQ(AwaitEnd().project, "mine");
  auto other = Open(token->token);
  auto request = Request(1, events[0]);
  request.set_project_id("yours");
  other->stream->Write(request);
  EXPECT_EQ(other->stream->Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(BuildEventServiceTest, WithOtherRightsAnInvocationDoesNotGoOn) {
  const auto one =
      MakeToken(store_.tokens, {"mine", "", *Scopes::Parse("upload")}, {}, absl::Now());
  const auto main =
      MakeToken(store_.tokens, {"mine", "", *Scopes::Parse("upload-main")}, {}, absl::Now());
  ASSERT_TRUE(one.ok() && main.ok());
  const std::vector<BuildEvent> events = {Started(), Status(), Last()};
  grpc::Status status;
  EXPECT_EQ(Send(*Open(one->token), events, 0, 1, status).size(), 1u);
  EXPECT_TRUE(Send(*Open(main->token), events, 1, 3, status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(BuildEventServiceTest, NothingIsRecordedAfterTheTokenWasRevoked) {
  const auto token =
      MakeToken(store_.tokens, {"mine", "", *Scopes::Parse("upload-main")}, {}, absl::Now());
  ASSERT_TRUE(token.ok());
  HandOver(profile::SampleBundle(kSeed), "mine");
  HandOver(Archive(), "mine");
  const std::vector<BuildEvent> events = OneTest(Archive());
  const auto client = Open(token->token);
  build::PublishBuildToolEventStreamResponse response;
  client->stream->Write(Request(1, events[0]));
  ASSERT_TRUE(client->stream->Read(&response));
  ASSERT_TRUE(store_.tokens.Revoke(token->record.id, {}, absl::Now()).ok());
  for (size_t i = 1; i < events.size(); ++i) {
    client->stream->Write(Request(static_cast<int64_t>(i) + 1, events[i]));
  }
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "revoked")) << OnlyTarget().note;
  EXPECT_EQ(OnlyTarget().recorded, 0u);
  EXPECT_EQ(AwaitEnd().run_id, 0);
}

TEST_F(BuildEventServiceTest, AnotherSenderLeavesNoNoteOnAnInvocation) {
  std::vector<std::string> tokens;
  for (const char* label : {"main", "pull"}) {
    const auto token =
        MakeToken(store_.tokens, {"default", label, *Scopes::Parse("upload")}, {}, absl::Now());
    ASSERT_TRUE(token.ok());
    tokens.push_back(token->token);
  }
  grpc::Status status;
  const std::vector<BuildEvent> events = {Started(), Status(), Last()};
  EXPECT_EQ(Send(*Open(tokens[0]), events, 0, 3, status).size(), 3u);
  const std::string note = AwaitEnd().note;
  EXPECT_TRUE(Send(*Open(tokens[1]), AnotherBuild(), 0, 1, status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(AwaitEnd().note, note);
}

TEST_F(BuildEventServiceTest, WithoutTheScopeForTheMainLineItSaysSo) {
  const auto token =
      MakeToken(store_.tokens, {"mine", "", *Scopes::Parse("upload")}, {}, absl::Now());
  ASSERT_TRUE(token.ok());
  std::vector<BuildEvent> events = {Started(),
                                    Status(),
                                    Files("0", HandOver(profile::SampleBundle(kSeed), "mine")),
                                    Symbols("//db:test", "0"),
                                    Result("//db:test", HandOver(Archive(), "mine")),
                                    Last()};
  grpc::Status status;
  EXPECT_EQ(Send(*Open(token->token), events, 0, events.size(), status).size(), events.size());
  EXPECT_TRUE(absl::StrContains(OnlyTarget().note, "upload-main")) << OnlyTarget().note;
}

}  // namespace

}  // namespace gprofhub::collector
