#include "store/records/run_columns.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace {

using v1::RunInfo;
using Value = RunColumn::Value;

// The makers of columns: kMember is of RunRecord, the others are RunInfo's accessors.

template <auto kMember, auto kGet, auto kMutable>
constexpr RunColumn Text(absl::string_view name, size_t min_bytes, size_t max_bytes,
                         absl::string_view field = "") {
  return {.name = name,
          .type = RunColumn::Type::kText,
          .field = field.empty() ? name : field,
          .min_bytes = min_bytes,
          .max_bytes = max_bytes,
          .read = [](const RunRecord& run) -> Value { return absl::string_view(run.*kMember); },
          .write =
              [](const Value& value, RunRecord& run) {
                run.*kMember = std::string(std::get<absl::string_view>(value));
              },
          .from_message = [](const RunInfo& message,
                             RunRecord& run) { run.*kMember = (message.*kGet)(); },
          .to_message = [](const RunRecord& run,
                           RunInfo& message) { *(message.*kMutable)() = run.*kMember; }};
}

template <auto kMember, auto kGet, auto kSet>
constexpr RunColumn Flag(absl::string_view name) {
  return {
      .name = name,
      .type = RunColumn::Type::kNumber,
      .read = [](const RunRecord& run) -> Value { return int64_t{run.*kMember}; },
      .write = [](const Value& value,
                  RunRecord& run) { run.*kMember = std::get<int64_t>(value) != 0; },
      .from_message = [](const RunInfo& message,
                         RunRecord& run) { run.*kMember = (message.*kGet)(); },
      .to_message = [](const RunRecord& run, RunInfo& message) { (message.*kSet)(run.*kMember); }};
}

// Microseconds in the database, milliseconds in the message.
template <auto kMember, auto kGet, auto kSet>
constexpr RunColumn Time(absl::string_view name) {
  return {
      .name = name,
      .type = RunColumn::Type::kNumber,
      .read = [](const RunRecord& run) -> Value { return absl::ToUnixMicros(run.*kMember); },
      .write =
          [](const Value& value, RunRecord& run) {
            run.*kMember = absl::FromUnixMicros(std::get<int64_t>(value));
          },
      .from_message =
          [](const RunInfo& message, RunRecord& run) {
            run.*kMember = absl::FromUnixMillis((message.*kGet)());
          },
      .to_message = [](const RunRecord& run,
                       RunInfo& message) { (message.*kSet)(absl::ToUnixMillis(run.*kMember)); }};
}

// The n-th name is that of the value n of both enums. An unknown value counts as the first one.
template <auto kMember, auto kGet, auto kSet, const auto& kNames>
constexpr RunColumn Name(absl::string_view name) {
  return {.name = name,
          .type = RunColumn::Type::kName,
          .names = kNames,
          .read = [](const RunRecord& run) -> Value {
            return kNames[static_cast<size_t>(run.*kMember)];
          },
          .write =
              [](const Value& value, RunRecord& run) {
                const auto* found = std::find(std::begin(kNames), std::end(kNames),
                                              std::get<absl::string_view>(value));
                if (found == std::end(kNames)) found = std::begin(kNames);
                run.*kMember = std::decay_t<decltype(run.*kMember)>(found - std::begin(kNames));
              },
          .from_message =
              [](const RunInfo& message, RunRecord& run) {
                const auto value = static_cast<size_t>((message.*kGet)());
                run.*kMember =
                    std::decay_t<decltype(run.*kMember)>(value < std::size(kNames) ? value : 0);
              },
          .to_message =
              [](const RunRecord& run, RunInfo& message) {
                using Enum = decltype((message.*kGet)());
                (message.*kSet)(static_cast<Enum>(run.*kMember));
              }};
}

constexpr absl::string_view kKinds[] = {"counted", "sampled", "window"};
static_assert(static_cast<int>(ProfileKind::kCounted) == v1::COUNTED &&
              static_cast<int>(ProfileKind::kSampled) == v1::SAMPLED &&
              static_cast<int>(ProfileKind::kWindow) == v1::WINDOW &&
              v1::ProfileKind_ARRAYSIZE == std::size(kKinds));

constexpr absl::string_view kRoles[] = {"none", "expected", "is"};
static_assert(static_cast<int>(RerunRole::kNone) == v1::NO_RERUN &&
              static_cast<int>(RerunRole::kExpected) == v1::EXPECTS_RERUN &&
              static_cast<int>(RerunRole::kRerun) == v1::IS_RERUN &&
              v1::RerunRole_ARRAYSIZE == std::size(kRoles));

// proto/collector.proto explains the fields.
constexpr RunColumn kColumns[] = {
    Text<&RunRecord::project, &RunInfo::project, &RunInfo::mutable_project>("project", 1, 100),
    Text<&RunRecord::run_key, &RunInfo::run_key, &RunInfo::mutable_run_key>("run_key", 1, 200),
    Text<&RunRecord::commit, &RunInfo::commit, &RunInfo::mutable_commit>("commit_hash", 1, 64,
                                                                         "commit"),
    Text<&RunRecord::branch, &RunInfo::branch, &RunInfo::mutable_branch>("branch", 0, 500),
    Text<&RunRecord::base_commit, &RunInfo::base_commit, &RunInfo::mutable_base_commit>(
        "base_commit", 0, 64),
    Text<&RunRecord::pull_request, &RunInfo::pull_request, &RunInfo::mutable_pull_request>(
        "pull_request", 0, 50),
    Text<&RunRecord::ci_link, &RunInfo::ci_link, &RunInfo::mutable_ci_link>("ci_link", 0, 2000),
    Text<&RunRecord::configuration, &RunInfo::configuration, &RunInfo::mutable_configuration>(
        "configuration", 0, 200),
    Text<&RunRecord::machine, &RunInfo::machine, &RunInfo::mutable_machine>("machine", 0, 200),
    Text<&RunRecord::commit_subject, &RunInfo::commit_subject, &RunInfo::mutable_commit_subject>(
        "commit_subject", 0, 500),
    Text<&RunRecord::title, &RunInfo::title, &RunInfo::mutable_title>("title", 0, 500),
    Text<&RunRecord::author, &RunInfo::author, &RunInfo::mutable_author>("author", 0, 500),
    Flag<&RunRecord::from_fork, &RunInfo::from_fork, &RunInfo::set_from_fork>("from_fork"),
    Time<&RunRecord::started, &RunInfo::started_unix_ms, &RunInfo::set_started_unix_ms>(
        "started_us"),
    Time<&RunRecord::committed, &RunInfo::commit_unix_ms, &RunInfo::set_commit_unix_ms>(
        "committed_us"),
    Name<&RunRecord::profile_kind, &RunInfo::profile_kind, &RunInfo::set_profile_kind, kKinds>(
        "profile_kind"),
    Name<&RunRecord::rerun, &RunInfo::rerun, &RunInfo::set_rerun, kRoles>("rerun"),
};

}  // namespace

absl::Span<const RunColumn> RunColumns() { return kColumns; }

std::string RunColumnDefinitions() {
  std::string text;
  for (const RunColumn& column : kColumns) {
    absl::StrAppend(&text, "  ", column.name,
                    column.type == RunColumn::Type::kNumber ? " INTEGER" : " TEXT", " NOT NULL");
    if (column.type == RunColumn::Type::kName) {
      absl::StrAppend(&text, " CHECK (", column.name, " IN ('", absl::StrJoin(column.names, "', '"),
                      "'))");
    }
    text += ",\n";
  }
  return text;
}

absl::string_view NameOf(ProfileKind kind) { return kKinds[static_cast<size_t>(kind)]; }

RunRecord ToRunRecord(const v1::RunInfo& message) {
  RunRecord run;
  for (const RunColumn& column : kColumns) column.from_message(message, run);
  run.ancestors.assign(message.ancestors().begin(), message.ancestors().end());
  return run;
}

v1::RunInfo ToRunInfo(const RunRecord& run) {
  v1::RunInfo message;
  for (const RunColumn& column : kColumns) column.to_message(run, message);
  return message;
}

}  // namespace gprofhub::store
