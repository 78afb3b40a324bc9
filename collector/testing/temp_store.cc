#include "collector/testing/temp_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace gprofhub::collector {

std::string MakeTempDir() {
  std::string path = testing::TempDir() + "/store-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
  return path;
}

store::Store MakeTempStore(const std::string& directory) {
  absl::StatusOr<store::Store> store = store::OpenStore("sqlite:" + directory);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

std::vector<store::RunRecord> RunsIn(const store::Reading& reading) {
  store::RunFilter filter;
  filter.project = "default";
  absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  EXPECT_TRUE(runs.ok()) << runs.status();
  return *std::move(runs);
}

}  // namespace gprofhub::collector
