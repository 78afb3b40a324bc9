// Derives the question of a bisection from a report.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/bisect/question.h"
#include "cli/bisect/search/levels.h"
#include "proto/findings.pb.h"

namespace gprofhub::cli {

// A finding to search for, and how its test was built.
struct Sought {
  Question question;
  std::string configuration;  // of the report, such as "k8-opt-gprof"; may be empty
  Levels levels;              // as the report has them
};

// The calls of a finding. INVALID_ARGUMENT for findings about other quantities: only calls can be
// judged by one run.
absl::StatusOr<Question> QuestionOf(const v1::Finding& finding);

// The finding with this id (reporter/findings/finding_id.h), of which the first four digits or more
// will do. NOT_FOUND; INVALID_ARGUMENT for several, and as QuestionOf.
absl::StatusOr<Sought> FindQuestion(const v1::Report& report, absl::string_view id);

// Parses the output of `gprofhub report --format=json`, only the fields that are needed here: names
// and counts of findings, and the configuration. INVALID_ARGUMENT, with `name`.
absl::StatusOr<v1::Report> ReadReportJson(absl::string_view json, absl::string_view name);

// The options of Bazel for a configuration such as "k8-opt-gprof_lines": the suffix of "--config="
// ("gprof" unless the name implies another mode) and "--compilation_mode=opt" (empty if the name
// does not include it).
struct ModeOptions {
  std::string configuration;
  std::string compilation_mode;
};
ModeOptions OptionsOf(absl::string_view configuration);

}  // namespace gprofhub::cli
