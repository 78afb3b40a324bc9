#include "collector/cache/cache_context.h"

#include <spdlog/spdlog.h>

#include "base/public_message.h"
#include "collector/calls/overloaded.h"
#include "collector/validate.h"
#include "proto/remote_cache.pb.h"

namespace gprofhub::collector {

absl::StatusOr<std::string> ProjectOf(const Caller& caller, absl::string_view instance,
                                      Scope scope) {
  std::string project(instance);
  if (project.empty()) project = caller.anonymous ? "default" : caller.project;
  if (absl::Status status = ValidateProject("instance_name", project); !status.ok()) return status;
  if (absl::Status status = Permit(caller, project, scope); !status.ok()) return status;
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

void NoteNotTaken(std::atomic<uint64_t>& count, absl::string_view project,
                  const store::TransferDigest& digest, absl::string_view why) {
  ++count;
  spdlog::info("blob {} of {} bytes, which Bazel would hand over for {}, is not taken: {}",
               digest.sha256, digest.size, std::string(project), std::string(why));
}

}  // namespace gprofhub::collector
