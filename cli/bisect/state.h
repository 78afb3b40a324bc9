// State of a bisection in a file, so that an interrupted one can be resumed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/bisect/question.h"
#include "cli/bisect/search/bisect.h"

namespace gprofhub::cli {

// All inputs that determine a commit's counts.
struct Setting {
  Question question;
  std::string configuration;               // of Bazel: --config=…
  std::vector<std::string> bazel_options;  // as given

  friend bool operator==(const Setting&, const Setting&) = default;
};

struct State {
  Setting setting;
  std::map<std::string, Measurement> measured;  // by full commit hash
};

// One JSON document, "schema": 1.
std::string StateJson(const State& state);

// INVALID_ARGUMENT, with `name`, for anything but the output of StateJson.
absl::StatusOr<State> ParseState(absl::string_view json, absl::string_view name);

// The file's name for a setting; unique per setting.
std::string StateFileName(const Setting& setting);

// The file's state; an empty one of this setting if the file does not exist. Errors: ParseState's,
// and FAILED_PRECONDITION if the file has another setting.
absl::StatusOr<State> ReadState(const std::string& path, const Setting& setting);

// Replaces the file as a whole: a reader finds the old one or the new one.
absl::Status WriteState(const std::string& path, const State& state);

// A cache in front of `measure`: looks into `state` first, and adds results of `measure` to it and
// to the file. A commit that was measured with fewer runs than requested is measured again. `state`
// and `measure` must outlive the result.
Measure Remembered(const std::string& path, State& state, const Measure& measure);

}  // namespace gprofhub::cli
