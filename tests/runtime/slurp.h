#ifndef GPROFHUB_TESTS_RUNTIME_SLURP_H_
#define GPROFHUB_TESTS_RUNTIME_SLURP_H_

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gprofhub::tests {

// The file's bytes; empty if it cannot be read.
inline std::string Slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace gprofhub::tests

#endif
