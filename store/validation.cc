#include "store/validation.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/archive/held_blob.h"
#include "store/records/run_columns.h"
#include "store/sql/database.h"

namespace gprofhub::store {

BlobName NameBlob(absl::string_view bytes) { return base::Sha256Hex(bytes); }

bool IsBlobName(absl::string_view name) { return base::IsSha256Hex(name); }

namespace {

absl::Status EmptyError(absl::string_view field) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": must not be empty"));
}

absl::Status CheckLong(absl::string_view field, absl::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: %d bytes exceed the limit of %d bytes",
                                                      field, text.size(), max_bytes));
  }
  for (size_t at = 0; at < text.size();) {
    const size_t length = sql::StorableCharacter(text.substr(at));
    if (length == 0) {
      return absl::InvalidArgumentError(absl::StrFormat("%s: byte %d (0x%02x) is not UTF-8 text",
                                                        field, at, static_cast<uint8_t>(text[at])));
    }
    at += length;
  }
  return absl::OkStatus();
}

absl::Status CheckNumber(absl::string_view field, uint32_t number) {
  if (number >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, ": must be 1 or more"));
}

absl::Status CheckBlobName(absl::string_view field, absl::string_view name) {
  if (IsBlobName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": '", absl::CHexEscape(name.substr(0, 80)),
                   "' is not a SHA-256 of 64 lower-case hexadecimal digits"));
}

absl::Status CheckRun(const RunRecord& run) {
  for (const RunColumn& column : RunColumns()) {
    if (column.type != RunColumn::Type::kText) continue;
    const std::string field = absl::StrCat("run.", column.field);
    const auto text = std::get<absl::string_view>(column.read(run));
    if (text.size() < column.min_bytes) return EmptyError(field);
    RETURN_IF_ERROR(CheckLong(field, text, column.max_bytes));
  }
  if (run.ancestors.size() > kMaxAncestors) {
    return absl::InvalidArgumentError(absl::StrCat("run.ancestors: ", run.ancestors.size(),
                                                   " exceed the limit of ", kMaxAncestors,
                                                   " entries"));
  }
  for (const std::string& ancestor : run.ancestors) {
    RETURN_IF_ERROR(CheckKey("run.ancestors", ancestor));
  }
  return absl::OkStatus();
}

absl::Status CheckExecution(const ExecutionRecord& execution) {
  RETURN_IF_ERROR(CheckKey("execution.target", execution.target));
  for (const auto& [field, text] :
       {std::pair("execution.status", &execution.status),
        std::pair("execution.test_binary_digest", &execution.test_binary_digest)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  for (const auto& [field, number] : {std::pair("execution.run_number", execution.run_number),
                                      std::pair("execution.shard", execution.shard),
                                      std::pair("execution.attempt", execution.attempt)}) {
    RETURN_IF_ERROR(CheckNumber(field, number));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckText(absl::string_view field, absl::string_view text) {
  return CheckLong(field, text, kMaxTextBytes);
}

absl::Status CheckKey(absl::string_view field, absl::string_view text) {
  if (text.empty()) return EmptyError(field);
  return CheckText(field, text);
}

absl::Status CheckNewExecution(const NewExecution& execution) {
  RETURN_IF_ERROR(CheckRun(execution.run));
  RETURN_IF_ERROR(CheckExecution(execution.execution));
  RETURN_IF_ERROR(CheckText("request", execution.request));

  absl::flat_hash_set<absl::string_view> referred;
  absl::flat_hash_set<absl::string_view> images;
  for (const ImageRecord& image : execution.images) {
    RETURN_IF_ERROR(CheckKey("image.build_id", image.build_id));
    RETURN_IF_ERROR(CheckBlobName("image.bundle", image.bundle));
    if (!images.insert(image.build_id).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("image.build_id: ", image.build_id, " is given twice"));
    }
    referred.insert(image.bundle);
  }
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> profiles;
  for (const ProfileRecord& profile : execution.profiles) {
    RETURN_IF_ERROR(CheckKey("profile.process", profile.process));
    RETURN_IF_ERROR(CheckBlobName("profile.data", profile.data));
    if (!images.contains(profile.build_id)) {
      return absl::InvalidArgumentError(
          absl::StrCat("profile.build_id: '", absl::CHexEscape(profile.build_id.substr(0, 80)),
                       "' of process '", profile.process, "' is not in the images"));
    }
    if (!profiles.insert({profile.process, profile.build_id}).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "profile.process: '", profile.process, "' is given twice for image ", profile.build_id));
    }
    referred.insert(profile.data);
  }
  for (const Blob& blob : execution.blobs) {
    RETURN_IF_ERROR(CheckBlobName("blob.name", blob.name));
    if (!referred.contains(blob.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("blob.name: ", blob.name, " is not referenced by a profile or an image"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRunFilter(const RunFilter& filter) {
  RETURN_IF_ERROR(CheckKey("filter.project", filter.project));
  for (const auto& [field, text] :
       {std::pair("filter.branch", &filter.branch), std::pair("filter.commit", &filter.commit),
        std::pair("filter.pull_request", &filter.pull_request),
        std::pair("filter.configuration", &filter.configuration)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  if (!filter.by_parts && !filter.commit.empty() && filter.commit.size() < 7) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter.commit: '", filter.commit, "' is too short; use at least 7 digits of the hash"));
  }
  return absl::OkStatus();
}

absl::Status CheckBranchKey(const BranchKey& branch) {
  RETURN_IF_ERROR(CheckKey("project", branch.project));
  RETURN_IF_ERROR(CheckText("branch", branch.branch));
  return CheckText("configuration", branch.configuration);
}

absl::Status CheckResult(const Job& job, const AnalysisResult& result) {
  RETURN_IF_ERROR(CheckBlobName("result.computed", result.computed.name));
  absl::flat_hash_set<uint32_t> buckets;
  for (const PointSegment& segment : result.segments) {
    if (segment.run_id != job.run_id || segment.target != job.target) {
      return absl::InvalidArgumentError(absl::StrCat("result.segments: one is of run ",
                                                     segment.run_id, ", the job is of run ",
                                                     job.run_id, " (or their targets differ)"));
    }
    if (!buckets.insert(segment.bucket).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("result.segments: bucket ", segment.bucket, " is given twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAcknowledgement(const AcknowledgementRecord& record) {
  for (const auto& [field, text] : {std::pair("acknowledgement.project", &record.project),
                                    std::pair("acknowledgement.function", &record.function),
                                    std::pair("acknowledgement.author", &record.author),
                                    std::pair("acknowledgement.reason", &record.reason),
                                    std::pair("acknowledgement.source", &record.source)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  for (const auto& [field, text] : {std::pair("acknowledgement.pull_request", &record.pull_request),
                                    std::pair("acknowledgement.target", &record.target)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  return absl::OkStatus();
}

absl::Status CheckGated(const GatedRecord& record) {
  for (const auto& [field, text] :
       {std::pair("gated.project", &record.project), std::pair("gated.rule", &record.rule),
        std::pair("gated.target", &record.target), std::pair("gated.function", &record.function)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  for (const auto& [field, text] :
       {std::pair("gated.pull_request", &record.pull_request),
        std::pair("gated.function_display", &record.function_display)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  return absl::OkStatus();
}

absl::Status CheckRerunRequest(const RerunRequestRecord& record) {
  for (const auto& [field, text] : {std::pair("rerun_request.project", &record.project),
                                    std::pair("rerun_request.pull_request", &record.pull_request),
                                    std::pair("rerun_request.commit", &record.commit),
                                    std::pair("rerun_request.author", &record.author),
                                    std::pair("rerun_request.source", &record.source)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  return absl::OkStatus();
}

absl::Status CheckCulprit(const CulpritRecord& record) {
  for (const auto& [field, text] :
       {std::pair("culprit.project", &record.project), std::pair("culprit.target", &record.target),
        std::pair("culprit.function", &record.function),
        std::pair("culprit.base_commit", &record.base_commit),
        std::pair("culprit.head_commit", &record.head_commit),
        std::pair("culprit.commit", &record.commit)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  for (const auto& [field, text] :
       {std::pair("culprit.caller", &record.caller), std::pair("culprit.author", &record.author),
        std::pair("culprit.date", &record.date), std::pair("culprit.subject", &record.subject)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  return absl::OkStatus();
}

absl::Status CheckNotification(const NotificationRecord& record) {
  for (const auto& [field, text] : {std::pair("notification.key", &record.key),
                                    std::pair("notification.channel", &record.channel),
                                    std::pair("notification.project", &record.project)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  for (const auto& [field, text] : {std::pair("notification.series", &record.series),
                                    std::pair("notification.request", &record.request)}) {
    RETURN_IF_ERROR(CheckText(field, *text));
  }
  if (record.content.empty() || record.content.size() > kMaxContentBytes ||
      sql::CleanText(record.content, kMaxContentBytes) != record.content) {
    return absl::InvalidArgumentError(
        absl::StrCat("notification.content: must be UTF-8 of 1 to ", kMaxContentBytes, " bytes"));
  }
  return absl::OkStatus();
}

namespace {

absl::Status NotABlobName() {
  return absl::InvalidArgumentError(
      "a blob's name is a SHA-256 of 64 lower-case hexadecimal digits");
}

absl::Status CheckQuestion(absl::string_view project, const std::vector<BlobName>& names) {
  RETURN_IF_ERROR(CheckKey("project", project));
  for (const BlobName& name : names) {
    if (!IsBlobName(name)) return NotABlobName();
  }
  return absl::OkStatus();
}

}  // namespace

Blobs::Blobs(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)),
      bytes_(std::move(bytes)),
      bases_(std::make_shared<KeptBases>()) {}

absl::StatusOr<std::vector<BlobName>> Blobs::FindMissing(absl::string_view project,
                                                         const std::vector<BlobName>& names) const {
  RETURN_IF_ERROR(CheckQuestion(project, names));
  return sql::ReadIn(*database_, [&](sql::Session& session) {
    return sql::FindMissingBlobs(session, database_->dialect(), project, names);
  });
}

absl::StatusOr<std::vector<BlobName>> Blobs::FindToSend(absl::string_view project,
                                                        const std::vector<BlobName>& names) const {
  RETURN_IF_ERROR(CheckQuestion(project, names));
  return sql::ReadIn(*database_, [&](sql::Session& session) {
    return sql::FindBlobsToSend(session, database_->dialect(), project, names);
  });
}

absl::StatusOr<std::string> Blobs::Read(const BlobName& name) const {
  if (!IsBlobName(name)) return NotABlobName();
  ASSIGN_OR_RETURN(HeldBlob held, ReadSoundBlob(*database_, *bytes_, name, bases_.get()));
  return std::move(held.bytes);
}

absl::StatusOr<uint64_t> Blobs::SizeOf(const BlobName& name) const {
  if (!IsBlobName(name)) return NotABlobName();
  return sql::ReadIn(*database_, [&](sql::Session& session) -> absl::StatusOr<uint64_t> {
    ASSIGN_OR_RETURN(const sql::Rows rows,
                     session.Query("SELECT size FROM blob WHERE name = $1", {name}));
    if (rows.empty()) return absl::NotFoundError(absl::StrCat("blob ", name, " is not stored"));
    return static_cast<uint64_t>(rows.front().Number(0));
  });
}

}  // namespace gprofhub::store
