// What was gated, and what people said to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h says what holds for all of them.
class GateRecords {
 public:
  explicit GateRecords(std::shared_ptr<sql::Database> database);

  // Keeps the record, which `by` says, and returns its id. If the project has a record of this
  // source, nothing changes, and the id is that record's; it may be taken back.
  absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record,
                                             const Actor& by) const;

  // The record holds no longer. To take it back twice changes nothing. NOT_FOUND if the project has
  // none of this id.
  absl::Status TakeBackAcknowledgement(absl::string_view project, int64_t id, const Actor& by,
                                       absl::Time now) const;

  // Those of the project that were not taken back, oldest first.
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) const;

  // The same with those that were.
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAllAcknowledgements(
      absl::string_view project) const;

  // Of records that differ in the run alone, the first is kept.
  absl::Status AddGated(const std::vector<GatedRecord>& records) const;

  // All of the project, in the order of their first runs.
  absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
