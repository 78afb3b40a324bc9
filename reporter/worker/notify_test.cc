// From runs of the main branch to the messages of channels, with recording receivers.
#include <gmock/gmock.h>
#include <httplib.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/hash.h"
#include "base/http/http.h"
#include "base/stop_token.h"
#include "base/work_loop.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/notify/channels.h"
#include "reporter/queries/changes.h"
#include "reporter/testing/fake_forge.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/worker/delivery_worker.h"
#include "store/testing/temp_store.h"

namespace gprofhub::reporter {

namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kProject[] = "acme/db";
constexpr char kSecret[] = "the webhook's secret";

// A webhook receiver. It accepts a message once, if it is signed and fresh.
class Receiver {
 public:
  explicit Receiver(std::function<absl::Time()> now) : now_(std::move(now)) {
    server_.Post("/hook", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++requests;
      response.status = status;
      if (status != 200) return;
      const std::string timestamp = request.get_header_value("X-Gprofhub-Timestamp");
      const std::string expected =
          absl::StrCat("sha256=", base::HmacSha256Hex(kSecret, timestamp + "." + request.body));
      EXPECT_EQ(request.get_header_value("X-Gprofhub-Signature"), expected);
      EXPECT_EQ(timestamp, absl::StrCat(absl::ToUnixSeconds(now_())));
      const Json body = Json::parse(request.body);
      EXPECT_EQ(request.get_header_value("Idempotency-Key"), body.at("id"));
      messages.push_back(body);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Receiver() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_, "/hook"); }

  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const Json& message : messages) kinds.push_back(message.at("kind"));
    return kinds;
  }

  int status = 200;
  int requests = 0;
  std::vector<Json> messages;

 private:
  const std::function<absl::Time()> now_;
  httplib::Server server_;
  std::thread thread_;
  std::mutex mutex_;
  int port_ = 0;
};

// main → parse, `calls` times.
profile::ComputedProfile Profile(uint64_t calls) {
  ProfileBuilder builder;
  builder.Function("main", 10, 500).Function("_Z5parsei", 500);
  builder.Arc("", "main", 1).Arc("main", "_Z5parsei", calls, 34);
  return builder.Build();
}

std::string Commit(int number) { return std::string(38, 'a') + absl::StrCat(10 + number); }

class NotifyTest : public testing::Test {
 protected:
  NotifyTest() {
    ChannelConfig hook, issues;
    hook.name = "hook";
    issues.name = "issues";
    issues.kind = ChannelKind::kIssue;
    config_.channels = {hook, issues};
    RouteConfig route;
    route.channels = {"hook", "issues"};
    route.verdicts = {v1::Finding::REGRESSED};
    config_.routes = {route};
    for (int i = 0; i < 60; ++i) github_->commits_on_main.push_back(Commit(i));
  }

  // Starts the workers, like a new process.
  void Start(const std::string& name = "reporter") {
    ReportWorkerOptions options;
    options.name = name;
    options.now = [this] { return now_; };
    const ForgeByProject forges = {{kProject, std::shared_ptr<Forge>(github_->Client())}};
    events_ = std::make_unique<EventWorker>(store_.reports, store_.reading, store_.blobs,
                                            store_.gate, store_.notifications, forges, config_,
                                            OwnersFrom(config_), options);
    deliveries_.clear();
    const auto deliver = [&](std::unique_ptr<Channel> channel, const ChannelConfig& config) {
      deliveries_.push_back(std::make_unique<DeliveryWorker>(store_.notifications,
                                                             std::move(channel), config, options));
    };
    deliver(MakeWebhookChannel(receiver_.url(), kSecret, base::MakeCurlClient({}),
                               [this] { return now_; }),
            config_.channels[0]);
    deliver(MakeIssueChannel(forges), config_.channels[1]);
  }

  // Records and analyses a run of the next commit, an hour later.
  void Upload(uint64_t calls, const std::string& branch = "main") {
    now_ += absl::Hours(1);
    const store::Blob gmon = store::MakeBlob("gmon"), bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = kProject;
    execution.run.run_key = absl::StrCat("run-", commits_);
    execution.run.commit = Commit(commits_);
    for (int i = commits_; i-- > 0;) execution.run.ancestors.push_back(Commit(i));
    execution.run.branch = branch;
    execution.run.configuration = "k8-opt";
    execution.run.started = execution.run.committed = now_;
    execution.execution.target = "//db:query_test";
    execution.execution.status = "PASSED";
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    ASSERT_TRUE(store_.ingest.RecordExecution(execution, now_).ok());
    const auto job = store_.jobs.Claim("worker", now_, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    const profile::ComputedProfile profile = Profile(calls);
    store::AnalysisResult result;
    result.computed = store::MakeBlob(profile::EncodeComputedProfile(profile));
    for (const std::string& payload : profile::EncodeSeries(profile)) {
      const auto bucket = static_cast<uint32_t>(result.segments.size());
      result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
    }
    ASSERT_TRUE(store_.jobs.Complete(**job, result, now_).ok());
    ++commits_;
  }

  // Lets the workers do all due work.
  void Work(absl::Duration after = store::kReportDelay) {
    now_ += after;
    if (events_ == nullptr) Start();
    for (bool worked = true; worked;) {
      const auto events = events_->RunOnce();
      EXPECT_TRUE(events.ok()) << events.status();
      worked = events.ok() && *events;
      for (const auto& delivery : deliveries_) {
        const auto delivered = delivery->RunOnce();
        EXPECT_TRUE(delivered.ok()) << delivered.status();
        worked = worked || (delivered.ok() && *delivered);
      }
    }
  }

  void UploadAndWork(const std::vector<uint64_t>& calls) {
    for (const uint64_t one : calls) {
      Upload(one);
      Work();
    }
  }

  absl::Time now_ = absl::FromUnixSeconds(1795420800);  // Monday, 2026-11-23 08:00 UTC
  int commits_ = 0;
  NotifyConfig config_;
  const std::unique_ptr<FakeForge> github_ = MakeFakeGitHub(/*app=*/true);
  const store::Store store_ = store::MakeTempStore();
  Receiver receiver_{[this] { return now_; }};
  std::unique_ptr<EventWorker> events_;
  std::vector<std::unique_ptr<DeliveryWorker>> deliveries_;
};

TEST_F(NotifyTest, ChangesAreKeptForThoseWhoAskAlsoOfABranchThatNobodyIsToldOf) {
  UploadAndWork({10, 10, 10, 20});
  Upload(20, "topic");
  Work();
  for (const char* branch : {"main", "topic"}) {
    v1::GetChangesRequest request;
    request.set_project(kProject);
    request.set_branch(branch);
    // Unreadable profiles.
    const store::Blobs nothing = store::MakeTempStore().blobs;
    const auto changes = GetChanges(store_.reading, nothing, request);
    ASSERT_TRUE(changes.ok()) << changes.status();
    const auto found = FindChanges(store_.reading, store_.blobs, request);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_FALSE(found->to_keep.has_value()) << branch;
    EXPECT_EQ(changes->events_size(), branch == std::string("main") ? 1 : 0);
  }
}

TEST_F(NotifyTest, AnEventOpensOneIssueAndOneMessageAndItsRecoveryClosesThem) {
  UploadAndWork({10, 10, 10, 20});
  EXPECT_THAT(receiver_.messages, IsEmpty()) << "no run has confirmed it";
  UploadAndWork({20});
  ASSERT_THAT(receiver_.Kinds(), ElementsAre("opened"));
  const Json& change = receiver_.messages[0].at("change");
  EXPECT_EQ(change.at("status"), "open");
  const Json& event = change.at("event");
  EXPECT_EQ(event.at("at").at("commit"), Commit(3));
  EXPECT_EQ(event.at("cause").at("function"), "_Z5parsei");
  EXPECT_EQ(event.at("cause").at("before"), 10);
  EXPECT_EQ(event.at("cause").at("after"), 20);
  ASSERT_THAT(github_->issues, SizeIs(1));
  EXPECT_THAT(github_->issues[0].title, HasSubstr("parse(int) is called more since aaaaaaaaaaaa"));
  EXPECT_THAT(github_->issues[0].body, HasSubstr("main calls parse(int) 20×, was 10 (+100%)"));
  EXPECT_TRUE(github_->issues[0].open);

  UploadAndWork({20, 20, 20, 20});
  EXPECT_THAT(github_->issues, SizeIs(1));
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened")) << "nothing more is known";

  UploadAndWork({10});
  EXPECT_TRUE(github_->issues[0].open) << "one run is not enough";
  UploadAndWork({10});
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened", "closed"));
  EXPECT_EQ(receiver_.messages[1].at("change").at("status"), "recovered");
  EXPECT_EQ(receiver_.messages[1].at("key"), receiver_.messages[0].at("key"));
  ASSERT_THAT(github_->issues, SizeIs(1));
  EXPECT_FALSE(github_->issues[0].open);
  EXPECT_THAT(github_->issues[0].body, HasSubstr("recovered: back at the old level since"));
  UploadAndWork({10, 10});
  EXPECT_THAT(receiver_.messages, SizeIs(2));
}

TEST_F(NotifyTest, ARestartAndASecondReporterTellNothingTwice) {
  UploadAndWork({10, 10, 10, 20, 20});
  for (const char* name : {"restarted", "second"}) {
    Start(name);
    Work();
    UploadAndWork({20});
  }
  EXPECT_THAT(receiver_.messages, SizeIs(1));
  EXPECT_THAT(github_->issues, SizeIs(1));
}

TEST_F(NotifyTest, AnIssueWhoseAnswerWasLostIsFoundAgain) {
  github_->hook = [](const std::string& request) {
    return request == "POST /repos/acme/db/issues" ? Trouble{502, {}, true} : Trouble{};
  };
  UploadAndWork({10, 10, 10, 20, 20});
  ASSERT_THAT(github_->issues, SizeIs(1));
  github_->hook = nullptr;
  github_->issues.insert(github_->issues.begin(), github_->issues[0]);
  github_->issues[0].number = 99;
  github_->issues[0].author = "mallory";  // copies the marker
  Work(absl::Minutes(5));
  UploadAndWork({10, 10});
  ASSERT_THAT(github_->issues, SizeIs(2)) << "none was made again";
  EXPECT_TRUE(github_->issues[0].open);
  EXPECT_FALSE(github_->issues[1].open);
}

TEST_F(NotifyTest, AReceiverThatIsDownGetsItLater) {
  receiver_.status = 503;
  UploadAndWork({10, 10, 10, 20, 20});
  Work(absl::Minutes(10));
  EXPECT_THAT(receiver_.messages, IsEmpty());
  EXPECT_THAT(github_->issues, SizeIs(1)) << "other channels do not wait";
  receiver_.status = 200;
  Work(absl::Minutes(20));
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened"));
}

TEST_F(NotifyTest, AReceiverThatRefusesIsNotAskedAgain) {
  receiver_.status = 422;
  UploadAndWork({10, 10, 10, 20, 20});
  const int requests = receiver_.requests;
  Work(absl::Hours(5));
  EXPECT_EQ(receiver_.requests, requests);
}

TEST_F(NotifyTest, QuietHoursHoldBackAndWhatIsOverByThenIsNotTold) {
  config_.channels[0].quiet = QuietHours{9 * 60, 23 * 60, false};
  UploadAndWork({10, 10, 10, 20, 20});  // until 13:00
  EXPECT_THAT(receiver_.messages, IsEmpty());
  EXPECT_THAT(github_->issues, SizeIs(1)) << "of that channel only";
  Work(absl::Hours(9));  // 22:00
  EXPECT_THAT(receiver_.messages, IsEmpty());
  Work(absl::Hours(1) + absl::Minutes(1));
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened"));
}

TEST_F(NotifyTest, WhatRecoversInQuietHoursIsNotTold) {
  config_.channels[0].quiet = QuietHours{0, 23 * 60, false};
  UploadAndWork({10, 10, 10, 20, 20, 10, 10});  // until 15:00
  Work(absl::Hours(9));
  EXPECT_THAT(receiver_.messages, IsEmpty());
}

TEST_F(NotifyTest, TheDigestComesOnceAWeekAlsoAfterARestart) {
  config_.channels[0].events = false;
  config_.channels[0].digest = DigestHour{absl::Weekday::friday, 9};
  UploadAndWork({10, 10, 10, 20, 20});
  EXPECT_THAT(receiver_.messages, IsEmpty()) << "it is Monday";
  Work(absl::Hours(24 * 3));
  EXPECT_THAT(receiver_.messages, IsEmpty()) << "it is Thursday";
  Work(absl::Hours(24));
  ASSERT_THAT(receiver_.Kinds(), ElementsAre("digest"));
  EXPECT_EQ(receiver_.messages[0].at("project"), kProject);
  EXPECT_THAT(receiver_.messages[0].at("changes"), SizeIs(1));
  Start("restarted");
  Work(absl::Hours(24 * 6));
  EXPECT_THAT(receiver_.messages, SizeIs(1));
  Work(absl::Hours(24));
  EXPECT_THAT(receiver_.messages, SizeIs(1)) << "a week without a change has no digest";
}

TEST_F(NotifyTest, AnAcknowledgementClosesIt) {
  UploadAndWork({10, 10, 10, 20, 20});
  store::AcknowledgementRecord said;
  said.project = kProject;
  said.function = "parse*";
  said.author = "maintainer";
  said.reason = "the new syntax";
  said.created = now_;
  said.source = "command/1";
  ASSERT_TRUE(store_.gate.AddAcknowledgement(said, {}).ok());
  UploadAndWork({20});
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened", "closed"));
  EXPECT_FALSE(github_->issues[0].open);
  EXPECT_THAT(github_->issues[0].body, HasSubstr("maintainer says that it is all right"));
}

TEST_F(NotifyTest, TheCommitThatASearchFoundIsToldAtOnceAndOnce) {
  UploadAndWork({10, 10, 10, 20, 20});
  store::CulpritRecord found;
  found.project = kProject;
  found.target = "//db:query_test";
  found.function = "_Z5parsei";
  found.caller = "main";
  found.base_commit = Commit(2);
  found.head_commit = Commit(3);
  found.commit = Commit(3);
  found.author = "A. Uthor";
  found.date = "2026-11-23";
  found.subject = "Parse each word twice @all";
  found.found = now_;
  ASSERT_TRUE(store_.gate.AddCulprit(found, {}).ok());
  Work();
  ASSERT_THAT(receiver_.Kinds(), ElementsAre("opened", "updated"));
  const Json& culprit = receiver_.messages[1].at("change").at("event").at("culprit");
  EXPECT_EQ(culprit.at("commit"), Commit(3));
  EXPECT_EQ(culprit.at("author"), "A. Uthor");
  ASSERT_THAT(github_->issues, SizeIs(1));
  EXPECT_THAT(
      github_->issues[0].body,
      HasSubstr("introduced in aaaaaaaaaaaa: Parse each word twice @all (A. Uthor, 2026-11-23)"));
  ASSERT_TRUE(store_.gate.AddCulprit(found, {}).ok());
  Work();
  UploadAndWork({20});
  EXPECT_THAT(receiver_.messages, SizeIs(2));
}

// A channel that records messages. Its first Send blocks until `go`.
class KeepingChannel final : public Channel {
 public:
  KeepingChannel(std::function<void()> go, std::vector<std::string>& titles, bool wants_updates)
      : go_(std::move(go)), titles_(titles), wants_updates_(wants_updates) {}
  bool WantsUpdates() const override { return wants_updates_; }
  absl::StatusOr<std::string> Send(const Message& message) override {
    titles_.push_back(std::string(KindName(message.kind)));
    go_();
    return std::string();
  }

 private:
  const std::function<void()> go_;
  std::vector<std::string>& titles_;
  const bool wants_updates_;
};

store::NotificationRecord Record(const Notification& notification, const std::string& channel) {
  store::NotificationRecord record;
  record.key = "event";
  record.channel = channel;
  record.project = kProject;
  record.series = "main";
  record.content = EncodeNotification(notification);
  return record;
}

TEST(DeliveryWorkerTest, AChannelThatWantsNoUpdatesStillHearsWhichCommitItWas) {
  const store::Store store = store::MakeTempStore();
  const absl::Time now = absl::FromUnixSeconds(1795420800);
  ReportWorkerOptions options;
  options.name = "reporter";
  options.now = [now] { return now; };
  ChannelConfig config;
  config.name = "chat";
  std::vector<std::string> told;
  DeliveryWorker worker(store.notifications,
                        std::make_unique<KeepingChannel>([] {}, told, /*wants_updates=*/false),
                        config, options);
  const auto tell = [&](const Notification& notification) {
    ASSERT_TRUE(store.notifications.Put({Record(notification, "chat")}, true, now).ok());
    EXPECT_TRUE(*worker.RunOnce());
  };
  Notification notification;
  notification.project = kProject;
  tell(notification);
  notification.event.set_commits(3);
  tell(notification);
  EXPECT_THAT(told, ElementsAre("opened"));
  notification.event.mutable_culprit()->set_commit(Commit(1));
  tell(notification);
  EXPECT_THAT(told, ElementsAre("opened", "updated"));
  notification.event.set_commits(2);
  tell(notification);
  EXPECT_THAT(told, SizeIs(2)) << "it was named before";
}

// The slow channel's message ends only after the other channel has received its own: if one waited
// for the other, this test would hang.
TEST(DeliveryWorkerTest, ASlowChannelHoldsUpNoOther) {
  const store::Store store = store::MakeTempStore();
  absl::Notification slow_began, quick_told;
  std::vector<std::string> slow_messages, quick_messages;
  ReportWorkerOptions options;
  options.name = "reporter";
  ChannelConfig slow, quick;
  slow.name = "slow";
  quick.name = "quick";
  DeliveryWorker slow_worker(store.notifications,
                             std::make_unique<KeepingChannel>(
                                 [&] {
                                   slow_began.Notify();
                                   quick_told.WaitForNotification();
                                 },
                                 slow_messages, true),
                             slow, options);
  DeliveryWorker quick_worker(
      store.notifications,
      std::make_unique<KeepingChannel>([&] { quick_told.Notify(); }, quick_messages, true), quick,
      options);
  Notification notification;
  notification.project = kProject;
  const absl::Status put = store.notifications.Put(
      {Record(notification, "slow"), Record(notification, "quick")}, true, absl::Now());
  ASSERT_TRUE(put.ok()) << put;
  {
    const base::WorkLoop first({}, [&](const base::StopToken&) { return slow_worker.RunOnce(); });
    slow_began.WaitForNotification();
    const base::WorkLoop second({}, [&](const base::StopToken&) { return quick_worker.RunOnce(); });
    quick_told.WaitForNotification();
  }
  EXPECT_THAT(slow_messages, ElementsAre("opened"));
  EXPECT_THAT(quick_messages, ElementsAre("opened"));
}

TEST_F(NotifyTest, WhatSomebodyClosedStaysClosed) {
  UploadAndWork({10, 10, 10, 20, 20});
  github_->issues[0].open = false;
  UploadAndWork({20, 20});
  EXPECT_FALSE(github_->issues[0].open);
}

TEST_F(NotifyTest, OnlyTheNamedBranchesAreTold) {
  for (const uint64_t calls : {10, 10, 10, 20, 20, 20}) {
    Upload(calls, "topic");
    Work();
  }
  EXPECT_THAT(receiver_.messages, IsEmpty());
}

TEST_F(NotifyTest, ACommitThatTheForgeDoesNotKnowIsNotTold) {
  github_->commits_on_main.clear();
  UploadAndWork({10, 10, 10, 20, 20});
  EXPECT_THAT(receiver_.messages, IsEmpty());
  EXPECT_THAT(github_->issues, IsEmpty());
}

TEST_F(NotifyTest, OldRunsTellNoOldStories) {
  for (const uint64_t calls : {10, 10, 10, 20, 20, 20}) Upload(calls);
  Work(absl::Hours(24 * 15));
  EXPECT_THAT(receiver_.messages, IsEmpty());
}

TEST_F(NotifyTest, ManyRunsAtOnceAreLookedAtOnce) {
  for (const uint64_t calls : {10, 10, 10, 20, 20, 20}) Upload(calls);
  Work();
  EXPECT_THAT(receiver_.Kinds(), ElementsAre("opened"));
  size_t asked = 0;
  for (const std::string& request : github_->requests) {
    asked += request.find("/compare/") != std::string::npos;
  }
  EXPECT_EQ(asked, 1u) << "the older runs' jobs leave it to the newest";
}

}  // namespace

}  // namespace gprofhub::reporter
