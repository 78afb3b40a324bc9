// One execution of a test, found in Bazel's build events, in a bazel-testlogs tree or on the
// command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::ci {

// One attempt of one shard of one run of a test.
struct TestAttempt {
  std::string label;
  std::string configuration;  // mnemonic, such as "k8-opt"; may be empty
  uint32_t run = 1;
  uint32_t shard = 1;
  uint32_t attempt = 1;
  std::string status;           // "PASSED", "FAILED", …: Bazel's names
  bool cached = false;          // answered from a local or remote cache, not run
  int64_t started_unix_ms = 0;  // 0 if unknown
  uint32_t duration_ms = 0;     // 0 if unknown; for a cached result, of the original run

  // End of the build that ran it; 0 if unknown. Outputs written later are those of another build,
  // which Bazel puts in the same place.
  int64_t build_ended_unix_ms = 0;

  // Paths of its undeclared outputs: an outputs.zip or a folder.
  std::vector<std::string> outputs;
  // Outputs that are not on this machine, as URIs.
  std::vector<std::string> remote_outputs;
  // Its test.log, as a URI, if it did not pass; empty: not named.
  std::string log;
  // Candidates for the test's executable, the likeliest first.
  std::vector<std::string> executables;
  // Symbol bundles that the build made, of one image each (bazel/symbols.bzl), and those that are
  // not on this machine, as URIs.
  std::vector<std::string> symbol_bundles;
  std::vector<std::string> remote_symbol_bundles;
};

// For messages: "//pkg:test run 1 shard 2 attempt 1".
std::string Describe(const TestAttempt& attempt);

}  // namespace gprofhub::ci
