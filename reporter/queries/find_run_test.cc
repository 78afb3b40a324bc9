#include "reporter/queries/find_run.h"

#include <gtest/gtest.h>

#include <string>

#include "reporter/testing/stored_runs.h"

namespace gprofhub::reporter {
namespace {

using FindRunTest = StoredRunsTest;

TEST_F(FindRunTest, FindsARunByIdCommitPrefixAndLatest) {
  const int64_t first = Upload('a');
  const int64_t second = Upload('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, std::to_string(first))->id, first);
  EXPECT_EQ(FindRun(store_.reading, kProject, "aaaaaaa")->id, first);
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, second);
  EXPECT_EQ(FindRun(store_.reading, kProject, "")->id, second);
}

TEST_F(FindRunTest, SampledRunsAreTheLatestOnlyWhereThereAreNoOthers) {
  const int64_t sampled = UploadSampled('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, sampled);
  EXPECT_EQ(FindRun(store_.reading, kProject, Commit('b'))->id, sampled);
  const int64_t counted = Upload('a');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, counted);
  EXPECT_EQ(FindRun(store_.reading, kProject, std::to_string(sampled))->id, sampled);
}

TEST_F(FindRunTest, TheLatestIsWhatCameInLast) {
  Upload('c');
  const int64_t first = Upload('b');
  EXPECT_EQ(FindRun(store_.reading, kProject, "latest")->id, first) << "though 'c' is newer";
  UploadedRun again{.commit = 'b'};
  again.key = " again";
  const int64_t second = Upload(again);
  EXPECT_EQ(FindRun(store_.reading, kProject, Commit('b'))->id, second);
}

TEST_F(FindRunTest, RunsOfOtherProjectsAreNotFound) {
  const int64_t run = Upload('a');
  for (const std::string& text : {std::to_string(run), Commit('a'), std::string("latest")}) {
    EXPECT_EQ(FindRun(store_.reading, "other", text).status().code(), absl::StatusCode::kNotFound)
        << text;
  }
}

TEST_F(FindRunTest, WhatNamesNoRunIsRefused) {
  Upload('a');
  EXPECT_EQ(FindRun(store_.reading, kProject, "99").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRun(store_.reading, kProject, "abcdef0").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRun(store_.reading, kProject, "abc").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FindRun(store_.reading, kProject, "main'; --").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gprofhub::reporter
