#include "collector/validate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "collector/fair_pool.h"
#include "profile/codec/message.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/reader.h"
#include "profile/raw_profile.h"
#include "proto/status_details.pb.h"
#include "store/records/run_columns.h"
#include "store/validation.h"

namespace gprofhub::collector {

namespace {

absl::Status MakeError(absl::StatusCode code, absl::string_view field, absl::string_view problem) {
  absl::Status status(code, absl::StrCat(field, ": ", problem));
  v1::BadRequest details;
  v1::BadRequest::FieldViolation* violation = details.add_field_violations();
  violation->set_field(std::string(field));
  violation->set_description(std::string(problem));
  status.SetPayload(kBadRequestUrl, absl::Cord(details.SerializeAsString()));
  return status;
}

}  // namespace

absl::Status FieldError(absl::string_view field, absl::string_view problem) {
  return MakeError(absl::StatusCode::kInvalidArgument, field, problem);
}

absl::Status FieldTooLarge(absl::string_view field, absl::string_view problem) {
  return MakeError(absl::StatusCode::kResourceExhausted, field, problem);
}

absl::StatusOr<profile::SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes,
                                                 const base::Decoding& decoding) {
  absl::StatusOr<profile::SymbolTable> symbols =
      profile::DecodeSymbolBundle(bytes, {.lines = false, .decoding = decoding});
  if (base::IsOfDecoding(symbols.status())) return OverloadedIfShort(symbols.status());
  if (!symbols.ok()) return FieldError(field, symbols.status().message());
  if (const auto options = profile::GmonOptionsFor(symbols->architecture); !options.ok()) {
    return FieldError(field, options.status().message());
  }
  return symbols;
}

absl::Status CheckCountedProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding) {
  const absl::StatusOr<profile::RawProfile> profile =
      profile::ReadImagePart(bytes, file_name, image, decoding);
  if (base::IsOfDecoding(profile.status())) return OverloadedIfShort(profile.status());
  if (!profile.ok()) {
    return FieldError(field, absl::StrCat("not a valid profile of ", image.image_name, " (",
                                          image.architecture, "): ", profile.status().message()));
  }
  const absl::Status belongs = profile::CheckBelongs(*profile, image, file_name, image.image_name);
  if (!belongs.ok()) return FieldError(field, belongs.message());
  return absl::OkStatus();
}

absl::Status CheckSampledProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding) {
  const absl::StatusOr<profile::ImageStacks> stacks =
      profile::DecodeStacks(bytes, file_name, image, decoding);
  if (base::IsOfDecoding(stacks.status())) return OverloadedIfShort(stacks.status());
  if (!stacks.ok()) return FieldError(field, stacks.status().message());
  return absl::OkStatus();
}

namespace {

constexpr int kMaxBlobsAsked = 10'000;
constexpr int kMaxProfiles = 10'000;
constexpr int kMaxImages = 1'000;
constexpr uint32_t kMaxOrdinal = 1'000'000;
constexpr int64_t kYear10000UnixMs = 253'402'300'800'000;

#define RETURN_IF_BAD(expression) \
  if (absl::Status status = (expression); !status.ok()) return status

absl::Status ValidateLength(absl::string_view field, absl::string_view text, size_t min,
                            size_t max) {
  if (text.size() < min && text.empty()) return FieldError(field, "is missing");
  if (text.size() >= min && text.size() <= max) return absl::OkStatus();
  return FieldError(field,
                    absl::StrCat("has ", text.size(), " bytes; allowed are ", min, " to ", max));
}

// ASCII letters, digits and characters of `extra`.
absl::Status ValidateCharacters(absl::string_view field, absl::string_view text,
                                absl::string_view extra) {
  for (char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        extra.find(c) == absl::string_view::npos) {
      return FieldError(field, absl::StrCat("may contain only letters, digits and ", extra));
    }
  }
  return absl::OkStatus();
}

// `min` to `max` of them.
absl::Status ValidateWord(absl::string_view field, absl::string_view text, size_t min, size_t max,
                          absl::string_view extra) {
  RETURN_IF_BAD(ValidateLength(field, text, min, max));
  return ValidateCharacters(field, text, extra);
}

absl::Status ValidateCommit(absl::string_view field, absl::string_view commit) {
  if (commit.empty()) return FieldError(field, "is missing");
  if ((commit.size() != 40 && commit.size() != 64) || !base::IsLowerHex(commit)) {
    return FieldError(field, "must be a full commit hash: 40 or 64 lower-case hexadecimal digits");
  }
  return absl::OkStatus();
}

absl::Status ValidateBuildId(absl::string_view field, absl::string_view build_id) {
  if (build_id.size() < 8 || build_id.size() > 128 || build_id.size() % 2 != 0 ||
      !base::IsLowerHex(build_id)) {
    return FieldError(field,
                      "must be a build-id: 8 to 128 lower-case hexadecimal digits, two per byte");
  }
  return absl::OkStatus();
}

absl::Status ValidateLink(absl::string_view field, absl::string_view link) {
  if (link.empty()) return absl::OkStatus();
  absl::string_view rest = link;
  if (!absl::ConsumePrefix(&rest, "https://") && !absl::ConsumePrefix(&rest, "http://")) {
    return FieldError(field, "must begin with https:// or http://");
  }
  const absl::string_view authority = rest.substr(0, rest.find_first_of("/?#\\"));
  if (authority.empty()) return FieldError(field, "has no host");
  if (absl::StrContains(authority, '@')) {
    return FieldError(field, "must not contain a user name or password");
  }
  if (link.find_first_of(" \"<>`\\") != absl::string_view::npos) {
    return FieldError(field, "contains a character that must be escaped in a URL");
  }
  return absl::OkStatus();
}

// "//package:name" or "@repository//package:name".
absl::Status ValidateLabel(absl::string_view field, absl::string_view label) {
  RETURN_IF_BAD(ValidateText(field, label, 1, 1000));
  const size_t root = label.find("//");
  const size_t colon = label.find(':', root == absl::string_view::npos ? 0 : root);
  const bool rooted = root == 0 || (root != absl::string_view::npos && root > 1 && label[0] == '@');
  if (!rooted || colon == absl::string_view::npos || colon + 1 == label.size()) {
    return FieldError(field, "must be a Bazel label such as //package:name");
  }
  return absl::OkStatus();
}

absl::Status ValidateTime(absl::string_view field, int64_t unix_ms, int64_t min) {
  if (unix_ms >= min && unix_ms < kYear10000UnixMs) return absl::OkStatus();
  return FieldError(field, unix_ms == 0 ? "is missing"
                                        : "must be milliseconds since 1970, before the year 10000");
}

absl::Status ValidateCount(absl::string_view field, int count, int max) {
  if (count <= max) return absl::OkStatus();
  return FieldError(field, absl::StrCat("has ", count, " entries; at most ", max, " are allowed"));
}

absl::Status ValidateBlob(absl::string_view field, const v1::BlobRef& blob, uint64_t max_size) {
  if (!base::IsSha256Hex(blob.sha256())) {
    return FieldError(absl::StrCat(field, ".sha256"), "must be 64 lower-case hexadecimal digits");
  }
  if (blob.size() == 0) return FieldError(absl::StrCat(field, ".size"), "must not be 0");
  if (blob.size() > max_size) {
    return FieldTooLarge(
        absl::StrCat(field, ".size"),
        absl::StrCat("is ", blob.size(), " bytes; at most ", max_size, " are allowed"));
  }
  return absl::OkStatus();
}

absl::Status ValidateRun(const v1::RunInfo& run) {
  const store::RunRecord record = store::ToRunRecord(run);
  for (const store::RunColumn& column : store::RunColumns()) {
    if (column.type != store::RunColumn::Type::kText) continue;
    RETURN_IF_BAD(ValidateText(absl::StrCat("header.run.", column.field),
                               std::get<absl::string_view>(column.read(record)), column.min_bytes,
                               column.max_bytes));
  }
  RETURN_IF_BAD(ValidateProject("header.run.project", run.project()));
  RETURN_IF_BAD(ValidateCommit("header.run.commit", run.commit()));
  if (!run.base_commit().empty()) {
    RETURN_IF_BAD(ValidateCommit("header.run.base_commit", run.base_commit()));
  }
  RETURN_IF_BAD(ValidateCount("header.run.ancestors", run.ancestors_size(), store::kMaxAncestors));
  for (int i = 0; i < run.ancestors_size(); ++i) {
    RETURN_IF_BAD(ValidateCommit(absl::StrCat("header.run.ancestors[", i, "]"), run.ancestors(i)));
  }
  RETURN_IF_BAD(ValidateCharacters("header.run.pull_request", run.pull_request(), "._/#!-"));
  RETURN_IF_BAD(ValidateLink("header.run.ci_link", run.ci_link()));
  if (!v1::ProfileKind_IsValid(run.profile_kind())) {
    return FieldError(
        "header.run.profile_kind",
        "is unknown to this server; use the gprofhub version of the server, or an older one");
  }
  if (!v1::RerunRole_IsValid(run.rerun())) {
    return FieldError(
        "header.run.rerun",
        "is unknown to this server; use the gprofhub version of the server, or an older one");
  }
  RETURN_IF_BAD(ValidateTime("header.run.started_unix_ms", run.started_unix_ms(), 1));
  return ValidateTime("header.run.commit_unix_ms", run.commit_unix_ms(), 0);
}

absl::Status ValidateOrdinal(absl::string_view field, uint32_t value) {
  if (value >= 1 && value <= kMaxOrdinal) return absl::OkStatus();
  return FieldError(field, absl::StrCat("is ", value, "; allowed are 1 to ", kMaxOrdinal));
}

absl::Status ValidateExecution(const v1::ExecutionInfo& execution) {
  RETURN_IF_BAD(ValidateLabel("header.execution.target", execution.target()));
  RETURN_IF_BAD(ValidateOrdinal("header.execution.run_number", execution.run_number()));
  RETURN_IF_BAD(ValidateOrdinal("header.execution.shard", execution.shard()));
  RETURN_IF_BAD(ValidateOrdinal("header.execution.attempt", execution.attempt()));
  RETURN_IF_BAD(ValidateWord("header.execution.status", execution.status(), 1, 50, "_"));
  return ValidateWord("header.execution.test_binary_digest", execution.test_binary_digest(), 0, 200,
                      ":/_+=.-");
}

// A blob must have the same size wherever it is named.
class BlobSizes {
 public:
  absl::Status Add(absl::string_view field, const v1::BlobRef& blob) {
    const auto [entry, is_new] = sizes_.try_emplace(blob.sha256(), blob.size());
    if (is_new || entry->second == blob.size()) return absl::OkStatus();
    return FieldError(
        absl::StrCat(field, ".size"),
        absl::StrCat("is ", blob.size(), " bytes, but the header gives the same blob ",
                     entry->second, " elsewhere"));
  }

 private:
  absl::flat_hash_map<std::string, uint64_t> sizes_;
};

}  // namespace

absl::Status ValidateText(absl::string_view field, absl::string_view text, size_t min, size_t max) {
  RETURN_IF_BAD(ValidateLength(field, text, min, max));
  for (size_t at = 0; at < text.size();) {
    const size_t length = base::FirstUtf8Character(text.substr(at)).bytes;
    if (length == 0) return FieldError(field, absl::StrCat("is not UTF-8 at byte ", at));
    if (length == 1 && absl::ascii_iscntrl(static_cast<unsigned char>(text[at]))) {
      return FieldError(field, absl::StrCat("has a control character at byte ", at));
    }
    at += length;
  }
  return absl::OkStatus();
}

absl::Status ValidateProject(absl::string_view field, absl::string_view project) {
  return ValidateWord(field, project, 1, 100, "._/-");
}

absl::Status ValidateFindMissing(const v1::FindMissingBlobsRequest& request,
                                 const UploadLimits& limits) {
  RETURN_IF_BAD(ValidateProject("project", request.project()));
  RETURN_IF_BAD(ValidateCount("blobs", request.blobs_size(), kMaxBlobsAsked));
  const uint64_t max_size = std::max(limits.profile, limits.bundle);
  for (int i = 0; i < request.blobs_size(); ++i) {
    RETURN_IF_BAD(ValidateBlob(absl::StrCat("blobs[", i, "]"), request.blobs(i), max_size));
  }
  return absl::OkStatus();
}

absl::Status ValidateHeader(const v1::UploadHeader& header, const UploadLimits& limits) {
  RETURN_IF_BAD(ValidateRun(header.run()));
  RETURN_IF_BAD(ValidateExecution(header.execution()));
  RETURN_IF_BAD(ValidateCount("header.profiles", header.profiles_size(), kMaxProfiles));
  RETURN_IF_BAD(ValidateCount("header.images", header.images_size(), kMaxImages));

  BlobSizes sizes;
  absl::flat_hash_set<std::string> build_ids;
  for (int i = 0; i < header.images_size(); ++i) {
    const v1::ImageRef& image = header.images(i);
    const std::string field = absl::StrCat("header.images[", i, "]");
    RETURN_IF_BAD(ValidateBuildId(field + ".build_id", image.build_id()));
    if (!build_ids.insert(image.build_id()).second) {
      return FieldError(field + ".build_id", "is in the header twice");
    }
    RETURN_IF_BAD(ValidateBlob(field + ".bundle", image.bundle(), limits.bundle));
    RETURN_IF_BAD(sizes.Add(field + ".bundle", image.bundle()));
  }

  absl::flat_hash_set<std::pair<std::string, std::string>> processes;
  for (int i = 0; i < header.profiles_size(); ++i) {
    const v1::ProfileRef& profile = header.profiles(i);
    const std::string field = absl::StrCat("header.profiles[", i, "]");
    RETURN_IF_BAD(ValidateText(field + ".process", profile.process(), 1, 1000));
    if (!build_ids.contains(profile.build_id())) {
      return FieldError(field + ".build_id", "is not in header.images");
    }
    if (!processes.emplace(profile.process(), profile.build_id()).second) {
      return FieldError(field + ".process", "is in the header twice for this image");
    }
    RETURN_IF_BAD(ValidateBlob(field + ".data", profile.data(), limits.profile));
    RETURN_IF_BAD(sizes.Add(field + ".data", profile.data()));
  }
  return absl::OkStatus();
}

#undef RETURN_IF_BAD

}  // namespace gprofhub::collector
