// The handlers of Bazel's calls to the build event service.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "collector/bes/event_forwarder.h"
#include "collector/bes/invocation.h"
#include "collector/bes/record_attempt.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "proto/build_events.pb.h"
#include "proto/publish_build_event.pb.h"
#include "store/invocations.h"

namespace gprofhub::collector {

// Whether both may send the events of one build: their scopes are the same, and the claims of their
// ID tokens.
bool HaveSameRights(const AttemptSender& a, const AttemptSender& b);

// The builds whose events are forwarded, and who began them: another client of the project cannot
// add lifecycle events to a build. Thread-safe.
class BuildOwners {
 public:
  // Of each project's builds without an open stream, the newest `most` are kept.
  explicit BuildOwners(size_t most = 1000) : most_(most) {}

  // PERMISSION_DENIED if a client with other rights has begun the build. An unknown build belongs
  // to the sender from now on.
  absl::Status Check(const std::string& project, const std::string& build_id,
                     const AttemptSender& sender) ABSL_LOCKS_EXCLUDED(mutex_) {
    return Find(project, build_id, sender, /*streams=*/0);
  }
  // The same for a stream of the build, which begins.
  absl::Status Attach(const std::string& project, const std::string& build_id,
                      const AttemptSender& sender) ABSL_LOCKS_EXCLUDED(mutex_) {
    return Find(project, build_id, sender, /*streams=*/1);
  }
  // The stream ends.
  void Detach(const std::string& project, const std::string& build_id) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Build {
    AttemptSender sender;
    int streams = 0;
    uint64_t touched = 0;
  };
  using Builds = std::map<std::string, Build>;  // by id

  absl::Status Find(const std::string& project, const std::string& build_id,
                    const AttemptSender& sender, int streams) ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(Builds& builds) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_;
  absl::Mutex mutex_;
  uint64_t touches_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Builds> projects_ ABSL_GUARDED_BY(mutex_);
};

// Null: the project's events are not forwarded.
using ForwarderOf = std::function<EventForwarder*(const std::string& project)>;

// The service as seen by its streams.
struct EventStreamOffice {
  FairShare& streams;  // open streams
  // Opens the invocation with this project, invocation_id and first_event: a new one, or the one
  // that the same build began.
  std::function<absl::StatusOr<std::shared_ptr<Invocation>>(const store::InvocationRecord& wanted,
                                                            const AttemptSender& sender)>
      open;
  // Reports that the invocation has something to write.
  std::function<void(const std::shared_ptr<Invocation>& invocation)> changed;
  // Forwarder of the project's events to another service; null: none.
  ForwarderOf forwarder_of;
  BuildOwners& builds;
};

// One PublishBuildToolEventStream.
class EventStream final : public CallHandler {
 public:
  // `office` outlives it.
  EventStream(const EventStreamOffice& office, CallContext context);
  ~EventStream() override;

  absl::Status Receive(absl::string_view bytes) override;
  absl::StatusOr<NextMessage> Answer() override;

 private:
  absl::Status Begin(
      const google::devtools::build::v1::PublishBuildToolEventStreamRequest& request);

  const EventStreamOffice& office_;
  const CallContext context_;
  Holding place_;  // its share of the open streams
  google::devtools::build::v1::StreamId id_;
  std::shared_ptr<Invocation> invocation_;  // null before the first event
  std::shared_ptr<EventRelay> relay_;       // null: its events are not forwarded
  int64_t number_ = 0;                      // number of the stream
  bool is_whole_ = false;                   // the client has sent everything
};

// One PublishLifecycleEvent. Nothing is kept, because the stream's events contain the same facts. A
// client without permission gets its error here first. Forwarded if the client has the rights with
// which the build was begun.
class LifecycleEvent final : public CallHandler {
 public:
  // `office` outlives it.
  LifecycleEvent(const EventStreamOffice& office, CallContext context)
      : office_(office), context_(std::move(context)) {}
  absl::Status Receive(absl::string_view bytes) override;
  absl::StatusOr<NextMessage> Answer() override;

 private:
  const EventStreamOffice& office_;
  const CallContext context_;
};

// Reduces a build event to the fields that are kept. Bazel sends much that is not needed, and some
// that must not be kept: the environment with its secrets, the text of its output.

// The event in `bytes` reduced to the kept fields; nullopt if it has none. Kept are: when
// the build began and ended, configurations, which tests there are, their results and summaries
// with the places of undeclared outputs (an archive, or profiles among files), files of symbol
// bundles (*.gprofhub-symbols), what names the commit: GPROFHUB_* of --build_metadata and of
// the workspace status, and the CI system's variables in --client_env (ci::IsCiVariable), and the
// user's command line: names of options, values of those that hold no secrets, target patterns.
// "…" replaces other values and words.
// INVALID_ARGUMENT and RESOURCE_EXHAUSTED as ParseBounded.
absl::StatusOr<std::optional<build_events::BuildEvent>> KeptEvent(absl::string_view bytes);

}  // namespace gprofhub::collector
