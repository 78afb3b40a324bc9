// Reloads a server's files while it serves.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace gprofhub::cli {

class Reloading {
 public:
  // `reload` changes all or, after an error, nothing.
  void Add(std::string what, std::function<absl::Status()> reload);
  // Reloads everything, and logs the result. A part with an error keeps its old state.
  void Run() const;

 private:
  std::vector<std::pair<std::string, std::function<absl::Status()>>> parts_;
};

}  // namespace gprofhub::cli
