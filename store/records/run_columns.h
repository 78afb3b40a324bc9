// The columns of table run that have a field of v1.RunInfo, in one list. The schema, the statements
// that write and read runs, the limits of texts, and the conversions of a RunRecord from and to the
// message follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/collector.pb.h"
#include "store/records/records.h"

namespace gprofhub::store {

struct RunColumn {
  // As in the database. The text is part of the RunRecord or of the row.
  using Value = std::variant<int64_t, absl::string_view>;

  enum class Type { kText, kNumber, kName };

  absl::string_view name;
  Type type = Type::kText;
  // Of a text: the field of v1.RunInfo, and its limits in bytes.
  absl::string_view field = "";
  size_t min_bytes = 0;
  size_t max_bytes = 0;
  absl::Span<const absl::string_view> names = {};  // all values of a kName

  Value (*read)(const RunRecord& run) = nullptr;
  // The value has the column's type.
  void (*write)(const Value& value, RunRecord& run) = nullptr;
  void (*from_message)(const v1::RunInfo& message, RunRecord& run) = nullptr;
  void (*to_message)(const RunRecord& run, v1::RunInfo& message) = nullptr;
};

// In the order of the table.
absl::Span<const RunColumn> RunColumns();

// The columns' definitions in SQLite's SQL, each followed by a comma.
std::string RunColumnDefinitions();

// The column's value of a ProfileKind.
absl::string_view NameOf(ProfileKind kind);

// Fields that only the store sets keep their defaults.
RunRecord ToRunRecord(const v1::RunInfo& message);

// Without the ancestors.
v1::RunInfo ToRunInfo(const RunRecord& run);

}  // namespace gprofhub::store
