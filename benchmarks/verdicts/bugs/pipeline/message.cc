#include "message.h"

#include <sstream>
#include <stdexcept>

namespace {

std::optional<int> ParseNumber(const std::string& text, size_t& at) {
  if (at >= text.size() || text[at] < '0' || text[at] > '9') return std::nullopt;
  int value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9')
    value = value * 10 + (text[at++] - '0');
  return value;
}

class LengthCheck : public Check {
 public:
  bool Accepts(const Message& message) const override { return message.values.size() < 64; }
};

class RangeCheck : public Check {
 public:
  bool Accepts(const Message& message) const override {
    for (int value : message.values) {
      if (value > 100000) return false;
    }
    return true;
  }
};

uint64_t Mix(uint64_t state, uint64_t value) {
  state ^= value * 0x9E3779B97F4A7C15ull;
  return (state << 13 | state >> 51) * 5 + 0x52DCE729;
}

}  // namespace

std::optional<Message> Parse(const std::string& text) {
  Message message;
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  message.key = text.substr(0, colon);
  message.kind = static_cast<int>(message.key.size() % 5);
  message.values.reserve(16);
  size_t at = colon;
  while (++at < text.size()) {
    const std::optional<int> value = ParseNumber(text, at);
    if (!value.has_value()) return std::nullopt;
    message.values.push_back(*value);
  }
  return message;
}

Checks ChecksOf(const std::string& names) {
  Checks checks;
  std::istringstream stream(names);
  for (std::string name; stream >> name;) {
    if (name == "length") {
      checks.push_back(std::make_unique<LengthCheck>());
    } else if (name == "range") {
      checks.push_back(std::make_unique<RangeCheck>());
    } else {
      throw std::invalid_argument("no such check: " + name);
    }
  }
  return checks;
}

bool AcceptsAll(const Checks& checks, const Message& message) {
  for (const auto& check : checks) {
    if (!check->Accepts(message)) return false;
  }
  return true;
}

void ApplyAll(const std::vector<Transform>& transforms, Message& message) {
  for (const Transform& transform : transforms) transform(message);
}

uint64_t Digest(const Message& message) {
  uint64_t state = message.key.size();
  for (int round = 0; round < 2; ++round) {
    for (int value : message.values) state = Mix(state, value);
  }
  return state;
}

std::string Describe(const Message& message) {
  std::string text = message.key;
  for (int value : message.values) text += ' ' + std::to_string(value);
  return text;
}
