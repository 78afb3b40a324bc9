// The stores that the fault tests run on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/fault/shim/fault_control.h"

namespace gprofhub::tests {

// An empty store, for as long as this lives.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  // For --store.
  virtual std::string location() const = 0;
  // Possible faults between a server and this store: of its files, or of its connections.
  virtual FaultControl Faults() const = 0;
  // Advances leases and due times of reports by this time, where they are of the database's clock
  // and not of the server's own.
  virtual void AgeReports(int64_t seconds) const = 0;
};

struct StoreMaker {
  std::string name;
  std::function<std::unique_ptr<StorePlace>()> make;
};

// PostgreSQL on a server that the test starts; several processes may serve it.
StoreMaker SharedStore();

// SQLite and the shared store.
std::vector<StoreMaker> AllStores();

}  // namespace gprofhub::tests
