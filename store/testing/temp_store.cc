#include "store/testing/temp_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <utility>

#include "absl/status/statusor.h"
#include "store/open_store.h"
#include "store/validation.h"

namespace gprofhub::store {

std::string MakeTempDir() {
  std::string path = testing::TempDir() + "/store-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
  return path;
}

Store MakeTempStore(const std::string& directory) {
  absl::StatusOr<Store> store = OpenStore("sqlite:" + directory, OpenMode::kCreate);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

Blob MakeBlob(std::string bytes) {
  BlobName name = NameBlob(bytes);
  return {std::move(name), std::move(bytes)};
}

std::vector<RunRecord> RunsIn(const Reading& reading) {
  RunFilter filter;
  filter.project = "default";
  absl::StatusOr<std::vector<RunRecord>> runs = reading.ListRuns(filter);
  EXPECT_TRUE(runs.ok()) << runs.status();
  return *std::move(runs);
}

TransferBlobs OpenTempTransfers(const std::string& directory) {
  const absl::StatusOr<sql::Engine> engine = OpenEngine("sqlite:" + directory, OpenMode::kCreate);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return TransferBlobs(engine->database);
}

}  // namespace gprofhub::store
