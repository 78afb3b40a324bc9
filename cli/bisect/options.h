// Shared options of `gprofhub bisect` and `gprofhub bisect-judge`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/bisect/find_question.h"
#include "cli/bisect/repository.h"
#include "cli/bisect/state.h"
#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct SoughtOptions {
  ServerOptions server;
  std::string finding;  // an id
  std::string report;   // file
  Question question;
  std::string configuration;  // of Bazel; empty: the finding's, else gprof
  std::vector<std::string> bazel_options;
  std::string bazel = "bazel";
};

// Adds --finding, --report, --function, --caller, --target, --config, --bazel-option, --bazel and
// the server's options.
void AddSoughtOptions(CLI::App& command, SoughtOptions& options);

// Throws CLI::ValidationError unless exactly one of the ways to name the question is used.
void CheckSoughtOptions(const SoughtOptions& options);

// The question: named by the options, or found in the report file, or in the server's report on the
// head of `range` against its base. NOT_FOUND; INVALID_ARGUMENT where the server is needed and
// there is no range; the server's errors.
absl::StatusOr<Sought> FindSought(const SoughtOptions& options, const std::optional<Range>& range);

// How Bazel runs its test.
Setting SettingOf(const SoughtOptions& options, const Sought& sought);

}  // namespace gprofhub::cli
