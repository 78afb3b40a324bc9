// A store from before points were grouped in lines (schema version 14), and its expected form after
// the migration.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "store/store.h"
#include "store/testing/temp_store.h"

namespace gprofhub::store {

inline constexpr int64_t kBeforeLines = 14;
inline constexpr char kOldTarget[] = "//db:query_test";

// Two runs. The first one is analysed, with points in two buckets, as older programs left it.
inline void RecordOldPoints(const Store& store) {
  for (const char* key : {"analysed", "waiting"}) {
    NewExecution execution;
    execution.run.project = "sqlite";
    execution.run.run_key = key;
    execution.run.commit = "1111111";
    execution.run.branch = "main";
    execution.run.ancestors = {"c2", "c1"};
    execution.execution.target = kOldTarget;
    const auto recorded = store.ingest.RecordExecution(execution, absl::UnixEpoch());
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }
  const auto job = store.jobs.Claim("worker", absl::UnixEpoch(), absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
  AnalysisResult result;
  result.computed = MakeBlob("computed");
  result.segments = {{(*job)->run_id, kOldTarget, 0, "zero"}, {(*job)->run_id, kOldTarget, 7, "7"}};
  const absl::Status status = store.jobs.Complete(**job, result, absl::UnixEpoch());
  ASSERT_TRUE(status.ok()) << status;
}

// Buckets without points show that the run was analysed. The other run is in none of them.
inline void ExpectPointsInLines(const Store& store) {
  const std::string empty("\1\0\0\0\0\0\0\0\0\1\0", 11);
  for (uint32_t bucket = 0; bucket < 16; ++bucket) {
    const auto lines = store.reading.ReadPoints({"sqlite", {"main"}, "", bucket, 1, 1000});
    ASSERT_TRUE(lines.ok()) << lines.status();
    ASSERT_EQ(lines->size(), 1u);
    EXPECT_EQ(lines->front().target, kOldTarget);
    ASSERT_EQ(lines->front().open.size(), 1u) << bucket;
    EXPECT_EQ(lines->front().open.front().payload, bucket == 0   ? "zero"
                                                   : bucket == 7 ? "7"
                                                                 : empty);
  }
  for (const int64_t run : {1, 2}) {
    EXPECT_THAT(store.reading.ReadRun(run)->ancestors, testing::ElementsAre("c2", "c1"));
  }
}

}  // namespace gprofhub::store
