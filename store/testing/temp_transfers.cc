#include "store/testing/temp_transfers.h"

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "store/open_store.h"

namespace gprofhub::store {

TransferBlobs OpenTempTransfers(const std::string& directory) {
  const absl::StatusOr<sql::Engine> engine = OpenEngine("sqlite:" + directory);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return TransferBlobs(engine->database);
}

}  // namespace gprofhub::store
