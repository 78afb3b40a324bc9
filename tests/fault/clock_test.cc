// The machine's clock jumps while the server works: a year ahead, two years back, and home again.
// Uploads succeed, and no job waits for a time in the far future.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kYear = 365 * 24 * kHour;

class ClockTest : public testing::TestWithParam<StoreMaker> {
 protected:
  std::unique_ptr<ServeProcess> Start(const std::string& role) {
    return std::make_unique<ServeProcess>(
        std::vector<std::string>{"--store", place_->location(), "--lease", "2", "--role", role},
        Surroundings{0, clock_.Environment(), {}, /*may_die=*/true});
  }

  void UploadNext(const ServeProcess& server) {
    v1::UploadResponse response;
    const grpc::Status status = Send(
        server.Connect(), FaultTestUpload(next_++), "", [] {}, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    runs_.insert(response.run_id());
  }

  void ExpectAllAnalysed(const ServeProcess& server) {
    for (const std::string& run : runs_) {
      const v1::Run got = AwaitAnalysis(server.Connect(), run);
      EXPECT_EQ(got.jobs_failed(), 0u) << got.ShortDebugString();
    }
  }

  const std::unique_ptr<StorePlace> place_ = GetParam().make();
  FaultControl clock_ = place_->Faults();
  uint32_t next_ = 0;
  std::set<std::string> runs_;
};

TEST_P(ClockTest, WorkGoesOnWhileTheClockJumps) {
  const auto server = Start("all");
  for (const int64_t offset : {int64_t{0}, kYear, -kYear, 5 * kHour, -5 * kHour, kHour, -kHour}) {
    clock_.SetClockOffset(offset);
    ASSERT_NO_FATAL_FAILURE(UploadNext(*server));
    ExpectAllAnalysed(*server);
  }
  // The kernel's clock has not moved, so a deadline of the moved one has no effect. The end of the
  // process has a deadline.
  clock_.SetClockOffset(0);
  EXPECT_EQ(server->Stop().exit_code, 0);
}

// Workers whose clock is ahead take jobs and die, each at another of their operations. Some leases
// end hours or a year from now.
TEST_P(ClockTest, ALeaseFromTheFutureIsNotWaitedFor) {
  const auto collector = Start("collector");
  for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(UploadNext(*collector));
  EXPECT_EQ(collector->Stop().exit_code, 0);
  for (uint64_t place = 5; place < 200; place += 13) {
    clock_.SetClockOffset(place % 2 == 0 ? kYear : 3 * kHour);
    clock_.Plan(place, FAULT_KILL);
    const auto worker = Start("worker");
    for (int turns = 0; turns < 1'000'000 && !worker->HasEnded(); ++turns) {
    }
    worker->Kill();
  }
  clock_.PlanNothing();
  clock_.SetClockOffset(0);
  const auto server = Start("all");
  ExpectAllAnalysed(*server);
  EXPECT_EQ(server->Stop().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, ClockTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
