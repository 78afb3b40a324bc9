// Whether a repair removed a finding: counts of a new run next to those of the finding's base and
// head.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/command/command.h"
#include "profile/computed.h"
#include "proto/query.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Parses the output of `gprofhub get`, only the fields that are needed here. INVALID_ARGUMENT, with
// `name`.
absl::StatusOr<v1::Explanation> ReadFindingJson(absl::string_view json, absl::string_view name);

enum class Answer { kFixed, kPartly, kNotFixed, kCannotCompare };

struct Verification {
  Answer answer = Answer::kCannotCompare;
  // A clause: why the runs cannot be compared, or what else decided. May be empty otherwise.
  std::string reason;
  // Of a finding about calls: its calls per execution, by run, and the part of the change that is
  // left, usually from 0 to 1.
  std::vector<double> now;
  double left = 0;
};

// Compares the runs of one tree, at least one, with the finding's sides. The essay is in verify.cc.
Verification Verify(const v1::Explanation& finding,
                    const std::vector<profile::ComputedProfile>& now);

// "fixed: main calls parse 10 times, as at the base (80 at the head)", with a line end.
std::string VerificationText(const v1::Explanation& finding, const Verification& verification);

// docs/verify.md has the fields.
nlohmann::ordered_json VerificationJson(const v1::Explanation& finding,
                                        const Verification& verification);

// `gprofhub verify`.

// Its exit codes; errors have the others of ExitCode.
enum VerifyExitCode : int {
  kVerifiedFixed = 0,
  kVerifiedNotFixed = 8,
  kVerifiedPartly = 5,
  kVerifyCannotCompare = 9,
};

// Registers the subcommand; choosing it sets `run` to its action.
void AddVerifyCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
