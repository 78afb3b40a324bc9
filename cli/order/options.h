// The command line of `gprofhub order`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/order/replay.h"
#include "cli/order/source.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct OrderArguments {
  OrderSource source;
  std::vector<std::string> weights;
  std::vector<std::string> exclude;
  bool with_tests = false;
  std::optional<uint32_t> history;
  std::optional<double> half_life_days;
  std::string policy_file;
  std::string map_file;
  std::string format = "lld";
  std::string output;
  std::string label;  // of the output file
  std::string verify;
  std::string report;
  std::string store_trace;
  std::vector<std::string> max_drift;
  ReplayArguments replay;
};

// Declares the command's options and examples.
void AddOrderOptions(CLI::App& command, OrderArguments& arguments);

}  // namespace gprofhub::cli
