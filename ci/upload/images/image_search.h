// Finds the ELF file that a profile's addresses refer to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ci/upload/results/test_attempt.h"

namespace gprofhub::ci {

// Caches the files it has read: a test's files are searched once per profile.
class ImageSearch {
 public:
  // `images`: files named by the user (--image), searched first.
  explicit ImageSearch(std::vector<std::string> images) : images_(std::move(images)) {}

  // The file with this build-id among the user's images, the test's executable and its runfiles.
  // `file_name` is the file's name when it ran, or empty. NOT_FOUND lists the places searched;
  // FAILED_PRECONDITION if the test has another build of a file with that name.
  absl::StatusOr<std::string> FindByBuildId(const std::string& build_id,
                                            const std::string& file_name,
                                            const TestAttempt& attempt);

  // Whether the file exists and has this build-id.
  bool IsBuild(const std::string& path, const std::string& build_id) {
    return BuildIdOf(path) == build_id;
  }

  // The test's own program, for profiles that do not name their program:
  // the test's executable if it is an ELF file, else the only user's image.
  absl::StatusOr<std::string> TestBinary(const TestAttempt& attempt);

  // The build-id of the test's own program; empty if it is absent, or if a later build overwrote
  // it.
  std::string TestBuildId(const TestAttempt& attempt);

 private:
  // Empty for a file that is absent, not an ELF file or without a build-id.
  const std::string& BuildIdOf(const std::string& path);

  std::vector<std::string> images_;
  std::map<std::string, std::string> build_ids_;              // by path
  std::map<std::string, std::vector<std::string>> runfiles_;  // by executable
};

}  // namespace gprofhub::ci
