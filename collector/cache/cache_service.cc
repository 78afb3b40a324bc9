#include "collector/cache/cache_service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "collector/fair_pool.h"
#include "collector/validate.h"
#include "proto/remote_cache.pb.h"

namespace gprofhub::collector {

absl::StatusOr<std::string> ProjectOf(const Caller& caller, absl::string_view instance,
                                      Scope scope) {
  std::string project(instance);
  if (project.empty()) project = caller.anonymous ? "default" : caller.project;
  RETURN_IF_ERROR(ValidateProject("instance_name", project));
  RETURN_IF_ERROR(Permit(caller, project, scope));
  return project;
}

bool IsOfBuildEvents(const CallContext& call) {
  build::bazel::remote::execution::v2::RequestMetadata metadata;
  if (call.request_metadata.empty() || !ParseBounded(call.request_metadata, metadata).ok() ||
      metadata.action_id().empty()) {
    return true;
  }
  return metadata.action_id() == "bes-upload";
}

absl::Status ToClient(const absl::Status& status) {
  // A full disk: retry until space is available or the client gives up.
  constexpr absl::Duration kComeBackWhenFull = absl::Seconds(30);
  if (absl::IsResourceExhausted(status)) {
    return base::WithPublicMessage(Overloaded(status.message(), kComeBackWhenFull, "DISK_FULL"),
                                   base::PublicMessageOf(status));
  }
  // The client's offset is wrong: it queries the committed offset and resumes.
  if (absl::IsFailedPrecondition(status)) {
    return base::WithPublicMessage(absl::AbortedError(status.message()),
                                   base::PublicMessageOf(status));
  }
  return status;
}

void NoteNotTaken(CacheContext& cache, std::atomic<uint64_t> NotTaken::*count,
                  absl::string_view project, const store::TransferDigest& digest,
                  absl::string_view why) {
  ++(cache.not_taken.*count);
  const std::optional<uint64_t> untold = cache.not_taken.lines.Take(cache.options.now());
  if (!untold.has_value()) return;
  spdlog::info("blob {} of {} bytes, offered by Bazel for {}, is rejected: {}{}", digest.sha256,
               digest.size, std::string(project), std::string(why),
               base::LineBudget::Untold(*untold));
}

namespace {

using Parts = std::vector<absl::string_view>;

constexpr size_t kMostNameBytes = 1000;
constexpr size_t kMostUploadBytes = 100;
constexpr size_t kShownBytes = 200;
// Bound on sizes, so that their sums do not overflow.
constexpr uint64_t kMostSize = uint64_t{1} << 50;

absl::Status BadName(absl::string_view name, absl::string_view form) {
  return FieldError("resource_name",
                    absl::StrCat("is \"", base::Shortened(base::Printable(name), kShownBytes),
                                 "\"; must be of the form ", form));
}

// Digits without a sign or leading zeros.
bool IsSize(absl::string_view text, uint64_t& size) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos &&
         (text.size() == 1 || text[0] != '0') && absl::SimpleAtoi(text, &size) && size <= kMostSize;
}

// "blobs/HASH/SIZE", starting at part `at`.
bool ReadDigest(const Parts& parts, size_t at, store::TransferDigest& digest) {
  if (parts.size() < at + 3 || parts[at] != "blobs" || !base::IsSha256Hex(parts[at + 1]))
    return false;
  digest.sha256 = std::string(parts[at + 1]);
  return IsSize(parts[at + 2], digest.size);
}

bool IsText(absl::string_view name) {
  return name.size() <= kMostNameBytes && base::IsUtf8(name) &&
         std::none_of(name.begin(), name.end(), [](char c) { return c == '\0'; });
}

}  // namespace

absl::StatusOr<BlobResource> ParseReadName(absl::string_view name) {
  constexpr absl::string_view kForm = "[INSTANCE/]blobs/SHA256/SIZE";
  if (!IsText(name)) return BadName(name, kForm);
  const Parts parts = absl::StrSplit(name, '/');
  BlobResource resource;
  if (parts.size() < 3 || !ReadDigest(parts, parts.size() - 3, resource.digest)) {
    return BadName(name, kForm);
  }
  resource.instance = absl::StrJoin(parts.begin(), parts.end() - 3, "/");
  return resource;
}

absl::StatusOr<BlobResource> ParseWriteName(absl::string_view name) {
  constexpr absl::string_view kForm = "[INSTANCE/]uploads/UUID/blobs/SHA256/SIZE";
  if (!IsText(name)) return BadName(name, kForm);
  const Parts parts = absl::StrSplit(name, '/');
  // An instance's name contains none of the keywords that follow it.
  const auto uploads = std::find(parts.begin(), parts.end(), "uploads");
  const size_t at = uploads - parts.begin();
  BlobResource resource;
  if (parts.size() < at + 5 || !ReadDigest(parts, at + 2, resource.digest)) {
    return BadName(name, kForm);
  }
  resource.upload = std::string(parts[at + 1]);
  if (resource.upload.empty() || resource.upload.size() > kMostUploadBytes) {
    return BadName(name, kForm);
  }
  resource.instance = absl::StrJoin(parts.begin(), uploads, "/");
  return resource;
}

absl::StatusOr<store::TransferDigest> ToDigest(
    absl::string_view field, const build::bazel::remote::execution::v2::Digest& digest) {
  if (!base::IsSha256Hex(digest.hash())) {
    return FieldError(absl::StrCat(field, ".hash"),
                      "not a SHA-256 of 64 lower-case hexadecimal digits");
  }
  if (digest.size_bytes() < 0 || static_cast<uint64_t>(digest.size_bytes()) > kMostSize) {
    return FieldError(absl::StrCat(field, ".size_bytes"), absl::StrCat("is ", digest.size_bytes()));
  }
  return store::TransferDigest{digest.hash(), static_cast<uint64_t>(digest.size_bytes())};
}

namespace {

namespace reapi = build::bazel::remote::execution::v2;

// Of one batch call. A message has at most 4 MiB.
constexpr uint64_t kMostBatchBytes = 3 << 20;
constexpr absl::Duration kComeBack = absl::Seconds(2);

// Memory overhead of each entry of a batch response.
constexpr uint64_t kRowBytes = 256;

void SetStatus(const absl::Status& status, reapi::BlobStatus& answer) {
  answer.set_code(static_cast<int>(status.code()));
  answer.set_message(base::PublicMessageOf(status));
}

absl::StatusOr<std::string> GetCapabilities(const reapi::GetCapabilitiesRequest& request,
                                            const CallContext& call) {
  RETURN_IF_ERROR(ProjectOf(call.caller, request.instance_name(), Scope::kUpload).status());
  reapi::ServerCapabilities capabilities;
  reapi::CacheCapabilities& cache = *capabilities.mutable_cache_capabilities();
  cache.add_digest_function(reapi::DigestFunction::SHA256);
  cache.mutable_action_cache_update_capabilities()->set_update_enabled(true);
  cache.set_max_batch_total_size_bytes(kMostBatchBytes);
  cache.set_symlink_absolute_path_strategy(reapi::SymlinkAbsolutePathStrategy::DISALLOWED);
  capabilities.mutable_deprecated_api_version()->set_major(2);
  capabilities.mutable_low_api_version()->set_major(2);
  capabilities.mutable_high_api_version()->set_major(2);
  return capabilities.SerializeAsString();
}

absl::StatusOr<std::string> GetActionResult(const reapi::GetActionResultRequest& request,
                                            const CallContext& call) {
  RETURN_IF_ERROR(ProjectOf(call.caller, request.instance_name(), Scope::kUpload).status());
  return absl::NotFoundError("this server does not store action results");
}

absl::StatusOr<std::string> UpdateActionResult(const reapi::UpdateActionResultRequest& request,
                                               const CallContext& call) {
  RETURN_IF_ERROR(ProjectOf(call.caller, request.instance_name(), Scope::kUpload).status());
  return reapi::ActionResult().SerializeAsString();
}

}  // namespace

absl::StatusOr<std::string> CacheService::FindMissingBlobs(
    const reapi::FindMissingBlobsRequest& request, const CallContext& call) {
  ASSIGN_OR_RETURN(const auto project,
                   ProjectOf(call.caller, request.instance_name(), Scope::kUpload));
  std::vector<store::TransferDigest> digests;
  for (int i = 0; i < request.blob_digests_size(); ++i) {
    ASSIGN_OR_RETURN(store::TransferDigest digest,
                     ToDigest(absl::StrCat("blob_digests[", i, "]"), request.blob_digests(i)));
    digests.push_back(std::move(digest));
  }
  reapi::FindMissingBlobsResponse response;
  if (!IsOfBuildEvents(call)) {
    context_.not_taken.of_actions += digests.size();
    return response.SerializeAsString();
  }
  ASSIGN_OR_RETURN(const auto missing,
                   context_.blobs.FindMissing(project, digests, context_.options.now()));
  ASSIGN_OR_RETURN(const store::HeldTransfers held, context_.blobs.HeldOf(project));
  const store::TransferLimits& limits = context_.options.limits;
  uint64_t free = limits.project_bytes - std::min(limits.project_bytes, held.bytes);
  absl::flat_hash_set<std::string> asked;
  for (const store::TransferDigest& digest : missing) {
    if (!asked.insert(digest.sha256).second) continue;
    const uint64_t needs = std::max(digest.size, store::TransferLimits::kRowBytes);
    if (digest.size > limits.blob_bytes) {
      NoteNotTaken(context_, &NotTaken::too_large, project, digest,
                   absl::StrCat("at most ", limits.blob_bytes, " bytes are allowed"));
    } else if (needs > free) {
      NoteNotTaken(context_, &NotTaken::no_room, project, digest,
                   absl::StrCat("the project has ", held.bytes, " of ", limits.project_bytes,
                                " bytes of such files"));
    } else {
      free -= needs;
      reapi::Digest& answer = *response.add_missing_blob_digests();
      answer.set_hash(digest.sha256);
      answer.set_size_bytes(static_cast<int64_t>(digest.size));
    }
  }
  return response.SerializeAsString();
}

absl::StatusOr<std::string> CacheService::BatchUpdateBlobs(
    const reapi::BatchUpdateBlobsRequest& request, const CallContext& call) {
  ASSIGN_OR_RETURN(const auto project,
                   ProjectOf(call.caller, request.instance_name(), Scope::kUpload));
  const bool wanted = IsOfBuildEvents(call);
  reapi::BatchUpdateBlobsResponse response;
  for (int i = 0; i < request.requests_size(); ++i) {
    const reapi::BatchUpdateBlobsRequest::Request& one = request.requests(i);
    ASSIGN_OR_RETURN(const auto digest,
                     ToDigest(absl::StrCat("requests[", i, "].digest"), one.digest()));
    reapi::BatchUpdateBlobsResponse::Response& answer = *response.add_responses();
    *answer.mutable_digest() = one.digest();
    absl::Status status;
    if (!wanted) {
      ++context_.not_taken.of_actions;
    } else if (absl::Status paid = context_.options.quotas == nullptr
                                       ? absl::OkStatus()
                                       : context_.options.quotas->TakeBytes(project, digest.size);
               !paid.ok()) {
      NoteNotTaken(context_, &NotTaken::quota, project, digest, paid.message());
    } else {
      status = context_.blobs.Put(project, digest, one.data(), context_.options.limits,
                                  context_.options.now());
      if (absl::IsOutOfRange(status)) {
        NoteNotTaken(context_, &NotTaken::no_room, project, digest, status.message());
        status = absl::OkStatus();
      }
    }
    SetStatus(ToClient(status), *answer.mutable_status());
  }
  return response.SerializeAsString();
}

absl::StatusOr<std::string> CacheService::BatchReadBlobs(
    const reapi::BatchReadBlobsRequest& request, const CallContext& call) {
  ASSIGN_OR_RETURN(const auto project,
                   ProjectOf(call.caller, request.instance_name(), Scope::kRead));
  std::vector<store::TransferDigest> digests;
  uint64_t bytes = 0;
  for (int i = 0; i < request.digests_size(); ++i) {
    ASSIGN_OR_RETURN(store::TransferDigest digest,
                     ToDigest(absl::StrCat("digests[", i, "]"), request.digests(i)));
    bytes += std::min(digest.size, kMostBatchBytes + 1) + kRowBytes;
    if (bytes > kMostBatchBytes) {
      return FieldError(absl::StrCat("digests[", i, "]"),
                        absl::StrCat("makes the response longer than ", kMostBatchBytes, " bytes"));
    }
    digests.push_back(std::move(digest));
  }
  Holding held(context_.answers);
  if (!held.Take(project, bytes)) {
    return Overloaded("the responses in progress use all memory available to this project",
                      kComeBack, "ANSWER_MEMORY");
  }
  reapi::BatchReadBlobsResponse response;
  for (const store::TransferDigest& digest : digests) {
    reapi::BatchReadBlobsResponse::Response& answer = *response.add_responses();
    answer.mutable_digest()->set_hash(digest.sha256);
    answer.mutable_digest()->set_size_bytes(static_cast<int64_t>(digest.size));
    absl::StatusOr<std::string> read = context_.blobs.Read(project, digest, digest.size);
    SetStatus(read.status(), *answer.mutable_status());
    if (read.ok()) answer.set_data(*std::move(read));
  }
  return response.SerializeAsString();
}

std::vector<Method> CacheService::StorageMethods() {
  const std::string storage = "/build.bazel.remote.execution.v2.ContentAddressableStorage/";
  return {UnaryCallTo<reapi::FindMissingBlobsRequest>(
              storage + "FindMissingBlobs",
              [this](const reapi::FindMissingBlobsRequest& request, const CallContext& call) {
                return FindMissingBlobs(request, call);
              }),
          UnaryCallTo<reapi::BatchUpdateBlobsRequest>(
              storage + "BatchUpdateBlobs",
              [this](const reapi::BatchUpdateBlobsRequest& request, const CallContext& call) {
                return BatchUpdateBlobs(request, call);
              }),
          UnaryCallTo<reapi::BatchReadBlobsRequest>(
              storage + "BatchReadBlobs",
              [this](const reapi::BatchReadBlobsRequest& request, const CallContext& call) {
                return BatchReadBlobs(request, call);
              })};
}

std::vector<Method> CacheService::Methods() {
  std::vector<Method> methods = StorageMethods();
  for (Method& method : ByteStreamMethods()) methods.push_back(std::move(method));
  methods.push_back(UnaryCallTo<reapi::GetCapabilitiesRequest>(
      "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities", GetCapabilities));
  methods.push_back(UnaryCallTo<reapi::GetActionResultRequest>(
      "/build.bazel.remote.execution.v2.ActionCache/GetActionResult", GetActionResult));
  methods.push_back(UnaryCallTo<reapi::UpdateActionResultRequest>(
      "/build.bazel.remote.execution.v2.ActionCache/UpdateActionResult", UpdateActionResult));
  return methods;
}

}  // namespace gprofhub::collector
