// The machine loses power, again and again, at random places of the server's work on its disk.
// Afterwards the disk has one of the states that a disk may have (power_loss/disk.h). The server
// must start on it, and acknowledged uploads must exist and get analysed.
//
// This is the SQLite store. With PostgreSQL the server keeps nothing on its own disk.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/power_loss/disk.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"

namespace gprofhub::tests {
namespace {

constexpr uint32_t kUploadsOfACycle = 4;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class PowerLossTest : public testing::Test {
 protected:
  PowerLossTest() : directory_(std::filesystem::canonical(store::MakeTempDir())) {}

  Surroundings With(const FaultControl& control) const {
    return {0, control.Environment(), {}, /*may_die=*/true};
  }

  // Sends the next uploads until one fails.
  void SendSome(const ServeProcess& server) {
    if (server.address().empty()) return;
    const auto channel = server.Connect();
    for (uint32_t n = 0; n < kUploadsOfACycle; ++n, ++next_) {
      v1::UploadResponse response;
      const grpc::Status status = Send(
          channel, FaultTestUpload(next_), "", [] {}, response);
      if (!status.ok()) break;
      acknowledged_[next_] = response.run_id();
      runs_.insert(response.run_id());
    }
  }

  // How many operations a cycle has from its start to its end.
  uint64_t OperationsOfACycle() {
    FaultControl control = FaultControl::OfFiles(directory_);
    ServeProcess server({"--data-dir", directory_}, With(control));
    SendSome(server);
    for (const std::string& run : runs_) AwaitAnalysis(server.Connect(), run);
    EXPECT_EQ(server.Stop().exit_code, 0);
    return control.Operations();
  }

  // The `place`-th operation does not happen: the power is gone.
  void Cycle(uint64_t place, std::mt19937& random) {
    const std::string journal = absl::StrCat(testing::TempDir(), "/journal");
    std::filesystem::remove(journal);
    Disk disk(ReadContents(directory_));
    FaultControl control = FaultControl::OfFiles(directory_);
    control.KeepJournal(journal);
    control.Plan(place, FAULT_KILL);
    {
      ServeProcess server({"--data-dir", directory_, "--lease", "2"}, With(control));
      SendSome(server);
      // Unless the place was reached, it may be one of the end. A kill from outside could fall
      // between an operation and its record in the journal.
      server.Stop();
    }
    const absl::Status applied = disk.Apply(ReadFile(journal), directory_);
    ASSERT_TRUE(applied.ok()) << applied;
    ASSERT_TRUE(disk.Now() == ReadContents(directory_)) << "the shim has missed an operation";
    WriteContents(disk.AfterPowerLoss(random), directory_);
  }

  void ExpectAllThere() {
    ServeProcess server({"--data-dir", directory_, "--lease", "2"});
    const auto channel = server.Connect();
    for (const auto& [i, run] : acknowledged_) {
      v1::UploadResponse response;
      const grpc::Status status = Send(
          channel, FaultTestUpload(i), "", [] {}, response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_TRUE(response.already_present()) << "upload " << i << " was acknowledged and is gone";
    }
    for (const std::string& run : runs_) {
      const v1::Run got = AwaitAnalysis(channel, run);
      EXPECT_EQ(got.jobs_failed(), 0u) << got.ShortDebugString();
    }
    EXPECT_EQ(server.Stop().exit_code, 0);
  }

  const std::string directory_;
  uint32_t next_ = 0;
  std::map<uint32_t, std::string> acknowledged_;
  std::set<std::string> runs_;
};

TEST_F(PowerLossTest, WhatWasAcknowledgedSurvives) {
  const int cycles = Scaled(40, 1000);
  std::mt19937 random(Seed());
  const uint64_t operations = OperationsOfACycle();
  std::cout << operations << " operations in a cycle" << std::endl;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_NO_FATAL_FAILURE(Cycle(1 + random() % operations, random)) << "cycle " << cycle;
    if (cycle % (cycles / 4) == 0) ExpectAllThere();
  }
  ExpectAllThere();
  std::cout << cycles << " power losses, " << acknowledged_.size() << " uploads acknowledged"
            << std::endl;
}

// A store is made only once, so its making gets a test of its own: a power loss at each place.
TEST_F(PowerLossTest, AStoreThatIsBeingMadeIsMadeAgain) {
  std::mt19937 random(Seed());
  const auto make = [&](uint64_t place) {
    FaultControl control = FaultControl::OfFiles(directory_);
    control.KeepJournal(absl::StrCat(testing::TempDir(), "/making"));
    std::filesystem::remove(absl::StrCat(testing::TempDir(), "/making"));
    control.Plan(place, FAULT_KILL);
    ServeProcess server({"--data-dir", directory_}, With(control));
    server.Stop();
    return control.Operations();
  };
  const uint64_t operations = make(1'000'000'000);
  const uint64_t step = static_cast<uint64_t>(Scaled(9, 1));
  for (uint64_t place = 1 + random() % step; place <= operations; place += step) {
    WriteContents({}, directory_);
    make(place);
    Disk disk{Contents()};
    const absl::Status applied =
        disk.Apply(ReadFile(absl::StrCat(testing::TempDir(), "/making")), directory_);
    ASSERT_TRUE(applied.ok()) << applied;
    WriteContents(disk.AfterPowerLoss(random), directory_);
    ServeProcess server({"--data-dir", directory_});
    ASSERT_NE(server.address(), "") << "place " << place;
    EXPECT_EQ(server.Stop().exit_code, 0);
  }
}

}  // namespace
}  // namespace gprofhub::tests
