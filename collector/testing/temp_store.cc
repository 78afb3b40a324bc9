#include "collector/testing/temp_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace gprofhub {

std::string MakeTempDir() {
  std::string path = testing::TempDir() + "/store-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
  return path;
}

Store MakeTempStore(const std::string& directory) {
  absl::StatusOr<Store> store = OpenStore("sqlite:" + directory);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

std::vector<RunRecord> RunsIn(const Reading& reading) {
  RunFilter filter;
  filter.project = "default";
  absl::StatusOr<std::vector<RunRecord>> runs = reading.ListRuns(filter);
  EXPECT_TRUE(runs.ok()) << runs.status();
  return *std::move(runs);
}

}  // namespace gprofhub
