#include "collector/cache/cache_service.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "collector/cache/resource_name.h"
#include "collector/cache/unary_call.h"
#include "collector/calls/overloaded.h"
#include "collector/field_error.h"

namespace gprofhub::collector {
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
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kUpload);
  if (!project.ok()) return project.status();
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
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kUpload);
  if (!project.ok()) return project.status();
  return absl::NotFoundError("this server keeps no results of actions");
}

absl::StatusOr<std::string> UpdateActionResult(const reapi::UpdateActionResultRequest& request,
                                               const CallContext& call) {
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kUpload);
  if (!project.ok()) return project.status();
  return reapi::ActionResult().SerializeAsString();
}

}  // namespace

absl::StatusOr<std::string> CacheService::FindMissingBlobs(
    const reapi::FindMissingBlobsRequest& request, const CallContext& call) {
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kUpload);
  if (!project.ok()) return project.status();
  std::vector<store::TransferDigest> digests;
  for (int i = 0; i < request.blob_digests_size(); ++i) {
    absl::StatusOr<store::TransferDigest> digest =
        ToDigest(absl::StrCat("blob_digests[", i, "]"), request.blob_digests(i));
    if (!digest.ok()) return digest.status();
    digests.push_back(*std::move(digest));
  }
  reapi::FindMissingBlobsResponse response;
  if (!IsOfBuildEvents(call)) {
    context_.not_taken.of_actions += digests.size();
    return response.SerializeAsString();
  }
  const auto missing = context_.blobs.FindMissing(*project, digests, context_.options.now());
  if (!missing.ok()) return missing.status();
  const absl::StatusOr<store::HeldTransfers> held = context_.blobs.HeldOf(*project);
  if (!held.ok()) return held.status();
  const store::TransferLimits& limits = context_.options.limits;
  uint64_t free = limits.project_bytes - std::min(limits.project_bytes, held->bytes);
  absl::flat_hash_set<std::string> asked;
  for (const store::TransferDigest& digest : *missing) {
    if (!asked.insert(digest.sha256).second) continue;
    const uint64_t needs = std::max(digest.size, store::TransferLimits::kRowBytes);
    if (digest.size > limits.blob_bytes) {
      NoteNotTaken(context_.not_taken.too_large, *project, digest,
                   absl::StrCat("at most ", limits.blob_bytes, " bytes are"));
    } else if (needs > free) {
      NoteNotTaken(context_.not_taken.no_room, *project, digest,
                   absl::StrCat("the project has ", held->bytes, " of ", limits.project_bytes,
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
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kUpload);
  if (!project.ok()) return project.status();
  const bool wanted = IsOfBuildEvents(call);
  reapi::BatchUpdateBlobsResponse response;
  for (int i = 0; i < request.requests_size(); ++i) {
    const reapi::BatchUpdateBlobsRequest::Request& one = request.requests(i);
    const auto digest = ToDigest(absl::StrCat("requests[", i, "].digest"), one.digest());
    if (!digest.ok()) return digest.status();
    reapi::BatchUpdateBlobsResponse::Response& answer = *response.add_responses();
    *answer.mutable_digest() = one.digest();
    absl::Status status;
    if (!wanted) {
      ++context_.not_taken.of_actions;
    } else if (absl::Status paid = context_.options.quotas == nullptr
                                       ? absl::OkStatus()
                                       : context_.options.quotas->TakeBytes(*project, digest->size);
               !paid.ok()) {
      NoteNotTaken(context_.not_taken.quota, *project, *digest, paid.message());
    } else {
      status = context_.blobs.Put(*project, *digest, one.data(), context_.options.limits,
                                  context_.options.now());
      if (absl::IsOutOfRange(status)) {
        NoteNotTaken(context_.not_taken.no_room, *project, *digest, status.message());
        status = absl::OkStatus();
      }
    }
    SetStatus(ToClient(status), *answer.mutable_status());
  }
  return response.SerializeAsString();
}

absl::StatusOr<std::string> CacheService::BatchReadBlobs(
    const reapi::BatchReadBlobsRequest& request, const CallContext& call) {
  const auto project = ProjectOf(call.caller, request.instance_name(), Scope::kRead);
  if (!project.ok()) return project.status();
  std::vector<store::TransferDigest> digests;
  uint64_t bytes = 0;
  for (int i = 0; i < request.digests_size(); ++i) {
    absl::StatusOr<store::TransferDigest> digest =
        ToDigest(absl::StrCat("digests[", i, "]"), request.digests(i));
    if (!digest.ok()) return digest.status();
    bytes += std::min(digest->size, kMostBatchBytes + 1) + kRowBytes;
    if (bytes > kMostBatchBytes) {
      return FieldError(absl::StrCat("digests[", i, "]"),
                        absl::StrCat("makes the answer longer than ", kMostBatchBytes, " bytes"));
    }
    digests.push_back(*std::move(digest));
  }
  Holding held(context_.answers);
  if (!held.Take(*project, bytes)) {
    return Overloaded("answers under way hold all the memory that there is for this project's",
                      kComeBack, "ANSWER_MEMORY");
  }
  reapi::BatchReadBlobsResponse response;
  for (const store::TransferDigest& digest : digests) {
    reapi::BatchReadBlobsResponse::Response& answer = *response.add_responses();
    answer.mutable_digest()->set_hash(digest.sha256);
    answer.mutable_digest()->set_size_bytes(static_cast<int64_t>(digest.size));
    absl::StatusOr<std::string> read = context_.blobs.Read(*project, digest, digest.size);
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
