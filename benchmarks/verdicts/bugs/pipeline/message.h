#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Message {
  int kind = 0;
  std::string key;
  std::vector<int> values;
};

class Check {
 public:
  virtual ~Check() = default;
  virtual bool Accepts(const Message& message) const = 0;
};

using Checks = std::vector<std::unique_ptr<Check>>;
using Transform = std::function<void(Message&)>;

std::optional<Message> Parse(const std::string& text);
Checks ChecksOf(const std::string& names);
bool AcceptsAll(const Checks& checks, const Message& message);
void ApplyAll(const std::vector<Transform>& transforms, Message& message);
uint64_t Digest(const Message& message);
std::string Describe(const Message& message);
