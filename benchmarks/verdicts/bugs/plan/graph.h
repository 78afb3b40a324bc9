#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Target {
  std::string name;
  std::string command;
  std::vector<std::shared_ptr<Target>> inputs;
  int64_t changed = 0;
  int mark = 0;
};

using TargetPtr = std::shared_ptr<Target>;
using Variables = std::map<std::string, std::string>;

class Graph {
 public:
  TargetPtr Add(const std::string& path);
  const std::vector<TargetPtr>& targets() const { return targets_; }

 private:
  std::unordered_map<std::string, TargetPtr> by_name_;
  std::vector<TargetPtr> targets_;
};

std::string Normalised(const std::string& path);
bool Matches(const char* pattern, const char* text);
std::string Expanded(const std::string& command, const Variables& variables);
