// Command lines and environments as exec and posix_spawn take them.
#pragma once

#include <string>
#include <vector>

namespace gprofhub::base {

// Pointers to the words, then null. They are valid as long as the words are unchanged.
inline std::vector<char*> WordPointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace gprofhub::base
