#include "store/testing/temp_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace gprofhub::store {

std::string MakeTempDir() {
  std::string path = testing::TempDir() + "/store-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr) << path;
  return path;
}

}  // namespace gprofhub::store
