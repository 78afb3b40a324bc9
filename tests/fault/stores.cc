#include "tests/fault/stores.h"

#include "collector/testing/temp_store.h"

namespace gprofhub {
namespace {

class SqlitePlace final : public StorePlace {
 public:
  std::string location() const override { return "sqlite:" + dir_; }

 private:
  const std::string dir_ = MakeTempDir();
};

}  // namespace

std::vector<StoreMaker> AllStores() {
  return {{"Sqlite", [] { return std::make_unique<SqlitePlace>(); }}};
}

}  // namespace gprofhub
