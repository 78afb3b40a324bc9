// What was gated, and what people said to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h says what holds for all of them.
class GateRecords {
 public:
  explicit GateRecords(std::shared_ptr<sql::Database> database);

  // Keeps the record and returns its id. If the project has a record of this source,
  // nothing changes, and the id is that record's.
  absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record) const;

  // All of the project, oldest first.
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) const;

  // Of records that differ in the run alone, the first is kept.
  absl::Status AddGated(const std::vector<GatedRecord>& records) const;

  // All of the project, in the order of their first runs.
  absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
