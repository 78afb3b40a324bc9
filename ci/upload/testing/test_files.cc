#include "ci/upload/testing/test_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/file.h"

namespace gprofhub::ci {

std::string TestPath(const std::string& name) {
  return std::string(std::getenv("TEST_SRCDIR")) + "/" + std::getenv("TEST_WORKSPACE") +
         "/ci/upload/" + name;
}

std::string ReadTestFile(const std::string& name) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(TestPath("testdata/" + name));
  if (!bytes.ok()) {
    std::cerr << bytes.status() << "\n";
    std::abort();
  }
  return *bytes;
}

std::string MakeTestFolder(const std::string& name) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

void WriteTestFile(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace gprofhub::ci
