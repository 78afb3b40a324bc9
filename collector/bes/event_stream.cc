#include "collector/bes/event_stream.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "collector/access/caller.h"
#include "collector/bes/kept_event.h"
#include "collector/calls/bounded_parse.h"
#include "collector/calls/overloaded.h"
#include "collector/field_error.h"
#include "collector/validate.h"

namespace gprofhub::collector {
namespace {

namespace build = google::devtools::build::v1;

constexpr absl::Duration kComeBack = absl::Seconds(10);
constexpr size_t kLongestInvocationId = 190;  // a run's key may have 200
constexpr size_t kLongestBuildId = 200;
constexpr absl::string_view kBazelEvent = "/build_event_stream.BuildEvent";
// Project of callers that have no token and name no project, as in cli/command.
constexpr absl::string_view kDefaultProject = "default";

// The project of the call, if the caller may upload to it.
absl::StatusOr<std::string> ProjectOf(const Caller& caller, const std::string& named) {
  std::string project = named.empty() ? caller.project : named;
  if (project.empty()) project = std::string(kDefaultProject);
  if (absl::Status status = ValidateProject("project_id", project); !status.ok()) return status;
  if (absl::Status status = Permit(caller, project, Scope::kUpload); !status.ok()) return status;
  return project;
}

NextMessage NoMoreMessages() {
  return []() -> std::optional<std::string> { return std::nullopt; };
}

// The event reduced to its kept fields; nullopt if it has none.
absl::StatusOr<std::optional<build_events::BuildEvent>> Kept(const build::BuildEvent& event) {
  if (!event.has_bazel_event()) return std::nullopt;
  if (!absl::EndsWith(event.bazel_event().type_url(), kBazelEvent)) return std::nullopt;
  return KeptEvent(event.bazel_event().value());
}

EventForwarder* ForwarderIn(const EventStreamOffice& office, const std::string& project) {
  return office.forwarder_of ? office.forwarder_of(project) : nullptr;
}

}  // namespace

EventStream::EventStream(const EventStreamOffice& office, CallContext context)
    : office_(office), context_(std::move(context)), place_(office.streams) {}

EventStream::~EventStream() {
  if (relay_ != nullptr) relay_->Detach(is_whole_);
  if (invocation_ == nullptr) return;
  invocation_->Detach(number_);
  office_.changed(invocation_);
}

absl::Status EventStream::Begin(const build::PublishBuildToolEventStreamRequest& request) {
  const build::StreamId& id = request.ordered_build_event().stream_id();
  const absl::StatusOr<std::string> project = ProjectOf(context_.caller, request.project_id());
  if (!project.ok()) return project.status();
  absl::Status status = ValidateText("ordered_build_event.stream_id.invocation_id",
                                     id.invocation_id(), 1, kLongestInvocationId);
  if (!status.ok()) return status;
  status =
      ValidateText("ordered_build_event.stream_id.build_id", id.build_id(), 0, kLongestBuildId);
  if (!status.ok()) return status;
  if (!place_.Take(*project, 1)) {
    return Overloaded(absl::StrCat("project ", *project, " has too many event streams open"),
                      kComeBack, "EVENT_STREAMS");
  }
  absl::StatusOr<std::shared_ptr<Invocation>> invocation =
      office_.open(*project, id.invocation_id(), {context_.caller, context_.request});
  if (!invocation.ok()) return invocation.status();
  id_ = id;
  EventStreamEnd end;
  end.acknowledge = [send = context_.send, id](int64_t sequence) {
    build::PublishBuildToolEventStreamResponse response;
    *response.mutable_stream_id() = id;
    response.set_sequence_number(sequence);
    send(response.SerializeAsString());
  };
  end.fail = context_.fail;
  number_ = (*invocation)->Attach(std::move(end));
  invocation_ = *std::move(invocation);
  EventForwarder* const forwarder = ForwarderIn(office_, *project);
  if (forwarder != nullptr) {
    relay_ = forwarder->Begin(*project, id.invocation_id(), id.build_id());
  }
  return absl::OkStatus();
}

absl::Status EventStream::Receive(absl::string_view bytes) {
  build::PublishBuildToolEventStreamRequest request;
  if (absl::Status status = ParseBounded(bytes, request); !status.ok()) return status;
  if (invocation_ == nullptr) {
    if (absl::Status status = Begin(request); !status.ok()) return status;
  }
  const build::OrderedBuildEvent& ordered = request.ordered_build_event();
  if (ordered.stream_id().invocation_id() != id_.invocation_id() ||
      ordered.stream_id().build_id() != id_.build_id()) {
    return FieldError("ordered_build_event.stream_id",
                      "is another than that of the stream's first event");
  }
  absl::StatusOr<std::optional<build_events::BuildEvent>> kept = Kept(ordered.event());
  if (!kept.ok()) {
    return absl::Status(kept.status().code(), absl::StrCat("event ", ordered.sequence_number(),
                                                           ": ", kept.status().message()));
  }
  absl::Status status = invocation_->Receive(number_, ordered.sequence_number(), *std::move(kept));
  if (!status.ok()) return status;
  office_.changed(invocation_);
  if (relay_ != nullptr) relay_->Pass(ordered.sequence_number(), bytes);
  return status;
}

absl::StatusOr<NextMessage> EventStream::Answer() {
  if (invocation_ == nullptr) {
    return absl::InvalidArgumentError("the stream has no event");
  }
  is_whole_ = true;
  if (absl::Status status = invocation_->AwaitDurable(number_); !status.ok()) return status;
  return NoMoreMessages();
}

absl::Status LifecycleEvent::Receive(absl::string_view bytes) {
  build::PublishLifecycleEventRequest request;
  if (absl::Status status = ParseBounded(bytes, request); !status.ok()) return status;
  const absl::StatusOr<std::string> project = ProjectOf(context_.caller, request.project_id());
  if (!project.ok()) return project.status();
  EventForwarder* const forwarder = ForwarderIn(office_, *project);
  if (forwarder != nullptr) forwarder->PassLifecycle(bytes);
  return absl::OkStatus();
}

absl::StatusOr<NextMessage> LifecycleEvent::Answer() { return OneMessage(""); }

}  // namespace gprofhub::collector
