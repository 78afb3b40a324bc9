#include "graph.h"

#include <algorithm>

std::string Normalised(const std::string& path) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (at <= path.size()) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string normalised;
  for (const std::string& part : parts) {
    if (!normalised.empty()) normalised += '/';
    normalised += part;
  }
  return normalised;
}

bool Matches(const char* pattern, const char* text) {
  for (; *pattern != '\0'; ++pattern, ++text) {
    if (*pattern == '*') {
      while (pattern[1] == '*') ++pattern;
      if (pattern[1] == '\0') return true;
      for (; *text != '\0'; ++text) {
        if (Matches(pattern + 1, text)) return true;
      }
      return false;
    }
    if (*text == '\0' || (*pattern != '?' && *pattern != *text)) return false;
  }
  return *text == '\0';
}

std::string Expanded(const std::string& command, const Variables& variables) {
  std::string expanded;
  for (size_t at = 0; at < command.size(); ++at) {
    if (command[at] != '$') {
      expanded += command[at];
      continue;
    }
    size_t end = at + 1;
    while (end < command.size() && command[end] >= 'a' && command[end] <= 'z') ++end;
    const auto found = variables.find(command.substr(at + 1, end - at - 1));
    if (found != variables.end()) expanded += found->second;
    at = end - 1;
  }
  return expanded;
}

TargetPtr Graph::Add(const std::string& path) {
  const std::string name = Normalised(path);
  TargetPtr& target = by_name_[name];
  if (target == nullptr) {
    target = std::make_shared<Target>();
    target->name = name;
    targets_.push_back(target);
  }
  return target;
}
