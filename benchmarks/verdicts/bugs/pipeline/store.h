#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using Batch = std::vector<std::pair<std::string, uint64_t>>;

class Store {
 public:
  void AddAll(const Batch& batch);
  uint64_t Sum() const;

 private:
  void Add(const std::string& key, uint64_t digest);
  std::mutex mutex_;
  std::unordered_map<std::string, uint64_t> digests_;
};
