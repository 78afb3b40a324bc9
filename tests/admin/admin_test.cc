// `gprofhub admin` as a program, concurrent with a real server that takes uploads, and killed at
// random points. The points are numbers of turns of an idle loop, drawn from a seed; after every
// point the store must be consistent. GPROFHUB_FAULT_SEED repeats the draw of a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;

constexpr int kDamaged = 7;  // cli::kExitDamaged

std::mt19937 Random() {
  const char* given = std::getenv("GPROFHUB_FAULT_SEED");
  const auto seed =
      given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 20261123u;
  std::cout << "GPROFHUB_FAULT_SEED=" << seed << std::endl;
  return std::mt19937(seed);
}

Ended Admin(const std::string& location, std::vector<std::string> words) {
  words.insert(words.begin(), "admin");
  words.insert(words.end(), {"--store", location});
  return RunGprofhub(words);
}

void ExpectInOrder(const std::string& location) {
  const Ended ended = Admin(location, {"fsck"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("no damage"));
}

// A backup is the database of an embedded store.
void ExpectBackupInOrder(const std::string& backup) {
  const std::string folder = store::MakeTempDir();
  std::filesystem::copy_file(backup, folder + "/gprofhub.db");
  ExpectInOrder("sqlite:" + folder);
}

// Sends uploads until destroyed.
class Uploader {
 public:
  explicit Uploader(const ServeProcess& server) : channel_(server.Connect()) {
    thread_ = std::thread([this] {
      for (uint32_t i = 0; !stop_; ++i) {
        v1::UploadResponse response;
        const grpc::Status status = Send(
            channel_, FaultTestUpload(i), "", [] {}, response);
        EXPECT_TRUE(status.ok()) << "upload " << i << ": " << status.error_message();
        if (status.ok()) ++acknowledged_;
      }
    });
  }
  ~Uploader() { Stop(); }
  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // Returns once `uploads` are acknowledged.
  void Await(uint32_t uploads) const {
    while (acknowledged_ < uploads) std::this_thread::yield();
  }
  uint32_t acknowledged() const { return acknowledged_; }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> acknowledged_{0};
  std::thread thread_;
};

// The server has these uploads. Returns the run of each after all analyses.
std::map<std::string, std::string> Answers(const ServeProcess& server, uint32_t uploads) {
  std::map<std::string, std::string> answers;
  const auto channel = server.Connect();
  for (uint32_t i = 0; i < uploads; ++i) {
    v1::UploadResponse response;
    const grpc::Status status = Send(
        channel, FaultTestUpload(i), "", [] {}, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(response.already_present()) << "upload " << i << " is not there";
    if (answers.count(response.run_id()) == 0) {
      answers[response.run_id()] = AwaitAnalysis(channel, response.run_id()).DebugString();
    }
  }
  return answers;
}

class AdminTest : public testing::TestWithParam<StoreMaker> {
 protected:
  const std::unique_ptr<StorePlace> place_ = GetParam().make();
  const std::string location_ = place_->location();
  const std::string folder_ = store::MakeTempDir();
};

TEST_P(AdminTest, ABackupBesideUploadsIsRestoredAndGivesTheSameAnswers) {
  constexpr uint32_t kBefore = 10;
  const std::string backup = folder_ + "/backup";
  std::map<std::string, std::string> before;
  {
    ServeProcess server({"--store", location_});
    {
      Uploader uploader(server);
      uploader.Await(kBefore);
      const Ended made = Admin(location_, {"backup", backup});
      EXPECT_EQ(made.exit_code, 0) << made.err;
      EXPECT_THAT(made.out, HasSubstr("complete and verified"));
      uploader.Await(uploader.acknowledged() + 2);
    }
    before = Answers(server, kBefore);
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
  ExpectInOrder(location_);
  ExpectBackupInOrder(backup);
  const std::unique_ptr<StorePlace> other = GetParam().make();
  const Ended restored = Admin(other->location(), {"restore", backup});
  ASSERT_EQ(restored.exit_code, 0) << restored.err;
  ExpectInOrder(other->location());
  ServeProcess server({"--store", other->location()});
  std::map<std::string, std::string> after = Answers(server, kBefore);
  for (uint32_t run = 1; run <= kBefore / 5; ++run) {
    EXPECT_EQ(after[absl::StrCat(run)], before[absl::StrCat(run)]);
  }
  EXPECT_EQ(server.Stop().exit_code, 0);
}

TEST_P(AdminTest, CollectionsAndDeletionsBesideUploadsLoseNothing) {
  {
    ServeProcess server({"--store", location_});
    Uploader uploader(server);
    for (uint32_t run = 1; run <= 3; ++run) {
      uploader.Await(5 * run + 1);
      EXPECT_EQ(Admin(location_, {"delete-run", absl::StrCat(run)}).exit_code, 0);
      const Ended collected = Admin(location_, {"gc", "--format=json"});
      EXPECT_EQ(collected.exit_code, 0) << collected.err;
      EXPECT_EQ(nlohmann::json::parse(collected.out)["blobs"], 0) << "they have their time";
    }
    uploader.Stop();
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
  ExpectInOrder(location_);
}

TEST_P(AdminTest, WhatIsKilledLeavesAStoreInOrder) {
  std::mt19937 random = Random();
  {
    ServeProcess server({"--store", location_});
    Uploader uploader(server);
    uploader.Await(20);
    uploader.Stop();
    Answers(server, 20);
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
  ASSERT_EQ(Admin(location_, {"retention", "set", "default", "--raw-days", "1", "--full-days", "2"})
                .exit_code,
            0);
  const std::string backup = folder_ + "/backup";
  std::uniform_int_distribution<uint32_t> turns(0, 300'000'000);
  const auto killed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "admin");
    words.insert(words.end(), {"--store", location_});
    return RunAndKillGprofhub(words, turns(random));
  };
  for (int round = 0; round < 4; ++round) {
    const bool made = killed({"backup", backup});
    EXPECT_TRUE(!made || std::filesystem::exists(backup));
    if (std::filesystem::exists(backup)) {
      ExpectBackupInOrder(backup);
      std::filesystem::remove(backup);
    }
    killed({"retention", "run"});
    killed({"delta-encode", "--older-than", "0"});
    killed({"gc"});
    ExpectInOrder(location_);
  }
  const Ended again = Admin(location_, {"backup", backup});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  ExpectBackupInOrder(backup);
}

INSTANTIATE_TEST_SUITE_P(Stores, AdminTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

TEST(AdminFsckTest, DamageHasAnExitCodeOfItsOwn) {
  const std::string folder = store::MakeTempDir();
  {
    ServeProcess server({"--data-dir", folder});
    Uploader uploader(server);
    uploader.Await(1);
    uploader.Stop();
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
  // All of them: one may be of an upload that was cut off, and nobody's.
  std::vector<std::filesystem::path> blobs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/blobs")) {
    if (entry.is_regular_file()) blobs.push_back(entry.path());
  }
  for (const std::filesystem::path& blob : blobs) std::filesystem::remove(blob);
  const Ended ended = Admin("sqlite:" + folder, {"fsck", "--format=json"});
  EXPECT_EQ(ended.exit_code, kDamaged) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_GE(json["damages"], 1);
  EXPECT_EQ(json["findings"][0]["kind"], "blob.missing");
}

}  // namespace
}  // namespace gprofhub::tests
