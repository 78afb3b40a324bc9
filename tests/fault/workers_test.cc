// Worker processes side by side on one backlog.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

constexpr uint32_t kUploads = 50;

int LinesWith(const std::string& text, const std::string& words) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += absl::StrContains(line, words);
  return count;
}

class WorkersTest : public testing::TestWithParam<StoreMaker> {
 protected:
  // Uploads everything to a process that does not analyse. Returns the ids of the runs.
  std::set<std::string> MakeBacklog() {
    ServeProcess collector({"--store", place_->location(), "--role", "collector"});
    const auto channel = collector.Connect();
    std::set<std::string> run_ids;
    for (uint32_t i = 0; i < kUploads; ++i) {
      v1::UploadResponse response;
      const grpc::Status status = Send(
          channel, FaultTestUpload(i), "", [] {}, response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      run_ids.insert(response.run_id());
    }
    EXPECT_EQ(collector.Stop().exit_code, 0);
    return run_ids;
  }

  uint32_t CountAnalysed(const std::set<std::string>& run_ids) {
    ServeProcess query({"--store", place_->location(), "--role", "query"});
    uint32_t analysed = 0;
    for (const std::string& run_id : run_ids) {
      const v1::Run run = AwaitAnalysis(query.Connect(), run_id);
      for (const v1::Target& target : run.targets()) {
        EXPECT_EQ(target.state(), v1::Target::ANALYZED) << target.ShortDebugString();
        analysed += target.state() == v1::Target::ANALYZED;
      }
    }
    return analysed;
  }

  // After `lease_seconds` without a heartbeat, a worker counts as dead. A busy machine may delay a
  // living one for seconds.
  std::vector<std::string> WorkerArguments(int lease_seconds) {
    return {"--store", place_->location(), "--role",
            "worker",  "--lease",          std::to_string(lease_seconds)};
  }

  const std::unique_ptr<StorePlace> place_ = GetParam().make();
};

TEST_P(WorkersTest, TwoProcessesAnalyseEachTargetOnce) {
  const std::set<std::string> run_ids = MakeBacklog();
  ServeProcess one(WorkerArguments(3600));
  ServeProcess two(WorkerArguments(3600));
  EXPECT_EQ(CountAnalysed(run_ids), kUploads);
  const Ended one_ended = one.Stop();
  const Ended two_ended = two.Stop();
  EXPECT_EQ(one_ended.exit_code, 0);
  EXPECT_EQ(two_ended.exit_code, 0);
  const std::string log = one_ended.err + two_ended.err;
  for (uint32_t i = 0; i < kUploads; ++i) {
    EXPECT_EQ(LinesWith(log, absl::StrCat("analysed //db:test_", i, " ")), 1) << log;
  }
}

TEST_P(WorkersTest, OneProcessTakesOverWhenTheOtherIsKilled) {
  const std::set<std::string> run_ids = MakeBacklog();
  ServeProcess one(WorkerArguments(2));
  ServeProcess two(WorkerArguments(2));
  one.Kill();
  EXPECT_EQ(CountAnalysed(run_ids), kUploads);
  EXPECT_EQ(two.Stop().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Stores, WorkersTest, testing::Values(SharedStore()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
