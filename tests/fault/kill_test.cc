// kill -9 of the real server at random points of many uploads. Afterwards every acknowledged
// upload must be there and get analysed. Every other upload must be accepted when it is sent
// again.
//
// The points are drawn from a seed. A point is a number of client events (a message sent, the end
// of a stream, an answer awaited) and, after that, a number of turns of an idle loop.
// GPROFHUB_FAULT_SEED repeats the draw of a failure.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

constexpr int kClients = 4;
// Of both stores together, these are 500 and 10,000.
const int kKills = Scaled(250, 5000);
// Enough for the kills: one comes after 13 events on average, and an upload is 6 or more.
const uint32_t kUploads = static_cast<uint32_t>(4 * kKills);
const uint32_t kMaxTries = 20 * kUploads;

// A server that is killed when the clients' events trigger it, and then started again.
class MortalServer {
 public:
  MortalServer(std::vector<std::string> arguments, uint32_t seed)
      : arguments_(std::move(arguments)), random_(seed) {
    absl::MutexLock lock(&mutex_);
    Start();
  }

  // One event of a client. The event that was drawn kills the server.
  void Event() {
    absl::MutexLock lock(&mutex_);
    if (!events_to_live_.has_value() || --*events_to_live_ > 0) return;
    // The other clients' calls continue in the server meanwhile.
    volatile uint32_t turns = std::uniform_int_distribution<uint32_t>(0, 3'000'000)(random_);
    while (turns > 0) turns = turns - 1;
    process_->Kill();
    ++kills_;
    Start();
  }

  std::shared_ptr<grpc::Channel> Channel() {
    absl::MutexLock lock(&mutex_);
    return channel_;
  }
  int kills() {
    absl::MutexLock lock(&mutex_);
    return kills_;
  }

 private:
  void Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    process_ = std::make_unique<ServeProcess>(arguments_);
    channel_ = process_->Connect();
    events_to_live_.reset();
    if (kills_ < kKills) events_to_live_ = std::uniform_int_distribution<int>(1, 25)(random_);
  }

  const std::vector<std::string> arguments_;
  absl::Mutex mutex_;
  std::mt19937 random_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ServeProcess> process_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
  std::optional<int> events_to_live_ ABSL_GUARDED_BY(mutex_);
  int kills_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Uploads to do, taken and given back by the clients.
class Backlog {
 public:
  Backlog() {
    for (uint32_t i = 0; i < kUploads; ++i) waiting_.push_back(i);
  }
  // nullopt at the end, and after kMaxTries: then the server does not come back.
  std::optional<uint32_t> Take() {
    absl::MutexLock lock(&mutex_);
    if (waiting_.empty() || taken_ == kMaxTries) return std::nullopt;
    ++taken_;
    const uint32_t i = waiting_.front();
    waiting_.pop_front();
    return i;
  }
  void GiveBack(uint32_t i) {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(i);
  }
  void Acknowledged(uint32_t i, const std::string& run_id) {
    absl::MutexLock lock(&mutex_);
    run_ids_[i] = run_id;
  }
  std::map<uint32_t, std::string> run_ids() {
    absl::MutexLock lock(&mutex_);
    return run_ids_;
  }

 private:
  absl::Mutex mutex_;
  uint32_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<uint32_t> waiting_ ABSL_GUARDED_BY(mutex_);
  std::map<uint32_t, std::string> run_ids_ ABSL_GUARDED_BY(mutex_);
};

void Upload(MortalServer& server, Backlog& backlog) {
  while (const std::optional<uint32_t> i = backlog.Take()) {
    v1::UploadResponse response;
    const grpc::Status status = Send(
        server.Channel(), FaultTestUpload(*i), "", [&server] { server.Event(); }, response);
    if (status.ok()) {
      backlog.Acknowledged(*i, response.run_id());
    } else {
      // The server died under it; anything else is a defect.
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
      backlog.GiveBack(*i);
    }
  }
}

class KillTest : public testing::TestWithParam<StoreMaker> {};

TEST_P(KillTest, WhatWasAcknowledgedIsThereAndGetsAnalysed) {
  const std::unique_ptr<StorePlace> place = GetParam().make();
  const uint32_t seed = Seed();
  MortalServer server({"--store", place->location(), "--lease", "2"}, seed);
  Backlog backlog;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] { Upload(server, backlog); });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(server.kills(), kKills);

  const std::map<uint32_t, std::string> run_ids = backlog.run_ids();
  ASSERT_EQ(run_ids.size(), kUploads);
  const std::shared_ptr<grpc::Channel> channel = server.Channel();
  for (const auto& [i, run_id] : run_ids) {
    v1::UploadResponse response;
    const grpc::Status status = Send(
        channel, FaultTestUpload(i), "", [] {}, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(response.already_present()) << "upload " << i << " was acknowledged and is gone";
    EXPECT_EQ(response.run_id(), run_id);
  }
  std::set<std::string> runs;
  for (const auto& [i, run_id] : run_ids) runs.insert(run_id);
  uint32_t analysed = 0;
  for (const std::string& run_id : runs) {
    const v1::Run run = AwaitAnalysis(channel, run_id);
    EXPECT_EQ(run.jobs_failed(), 0u) << run.ShortDebugString();
    for (const v1::Target& target : run.targets()) {
      EXPECT_EQ(target.executions(), 1u) << target.label();
      analysed += target.state() == v1::Target::ANALYZED;
    }
  }
  EXPECT_EQ(analysed, kUploads);
}

INSTANTIATE_TEST_SUITE_P(Stores, KillTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
