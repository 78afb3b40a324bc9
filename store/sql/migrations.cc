#include "store/sql/migrations.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {

absl::StatusOr<const Migration*> NextMigration(int64_t version, absl::Span<const Migration> steps) {
  const int64_t newest = static_cast<int64_t>(steps.size());
  if (version > newest) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the database has schema version ", version, ", but this gprofhub knows no version after ",
        newest, ": use the gprofhub that wrote the database, or a newer one"));
  }
  if (version < 0) {
    return absl::DataLossError(
        absl::StrCat("the database has schema version ", version, ", which never existed"));
  }
  return version == newest ? nullptr : &steps[version];
}

}  // namespace gprofhub::store
