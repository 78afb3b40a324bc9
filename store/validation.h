// Input validation that runs before the database is touched. It is the same for every engine, so no
// engine's own reaction to bad input shows.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::store {

// Longest text of one field, in bytes. An index entry of PostgreSQL holds two
// such texts and a number (its limit is 2,704 bytes).
inline constexpr size_t kMaxTextBytes = 1000;
inline constexpr size_t kMaxAncestors = 1000;
// Longest address of a page, in bytes. No index holds it.
inline constexpr size_t kMaxLinkBytes = 2000;
// Longest content of a notification, in bytes.
inline constexpr size_t kMaxContentBytes = 64 << 10;
// Longest message of an attempt that failed, in bytes; longer ones are cut.
inline constexpr size_t kMaxMessageBytes = 10000;

// INVALID_ARGUMENT naming `field` unless `text` is UTF-8 without NUL bytes of
// at most kMaxTextBytes.
absl::Status CheckText(absl::string_view field, absl::string_view text);

// As CheckText, and not empty.
absl::Status CheckKey(absl::string_view field, absl::string_view text);

// INVALID_ARGUMENT naming the first field that cannot be stored: texts as above, numbers from 1,
// blob names of the right form, each process at most once per image, every profile's image
// included, no unreferenced blob.
absl::Status CheckNewExecution(const NewExecution& execution);

// INVALID_ARGUMENT unless the project is named, the texts are as above and the
// commit is empty or a prefix of at least 7 bytes.
absl::Status CheckRunFilter(const RunFilter& filter);

// INVALID_ARGUMENT unless the project is named and the texts are as above.
absl::Status CheckBranchKey(const BranchKey& branch);

// INVALID_ARGUMENT unless the result is the job's: segments of its run and
// target, each bucket once, and a well-named blob.
absl::Status CheckResult(const Job& job, const AnalysisResult& result);

// INVALID_ARGUMENT naming the first field that cannot be stored.
absl::Status CheckAcknowledgement(const AcknowledgementRecord& record);
absl::Status CheckGated(const GatedRecord& record);
absl::Status CheckRerunRequest(const RerunRequestRecord& record);
absl::Status CheckCulprit(const CulpritRecord& record);
absl::Status CheckNotification(const NotificationRecord& record);

}  // namespace gprofhub::store
