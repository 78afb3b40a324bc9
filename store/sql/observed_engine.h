// Engine wrapper that reports every call, for example to measure latencies.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// A completed call of the engine.
struct StoreCall {
  absl::string_view part;       // of the store, such as "ingest" (store.h), or "archive"
  absl::string_view operation;  // such as "read", "write", "stage_blobs"
  absl::Duration took;
  absl::StatusCode code = absl::StatusCode::kOk;
};

// Called by the thread that uses the store; must not block.
using OnStoreCall = std::function<void(const StoreCall& call)>;

// Reports calls of one part.
class Observer {
 public:
  // `part` is a constant in the code.
  Observer(absl::string_view part, OnStoreCall on_call)
      : part_(part), on_call_(std::move(on_call)) {}

  // Runs `use`, and reports it. Its result is an absl::Status or an absl::StatusOr.
  template <typename Use>
  auto Tell(absl::string_view operation, const Use& use) const {
    const auto begun = std::chrono::steady_clock::now();
    auto result = use();
    const absl::Duration took = absl::FromChrono(std::chrono::steady_clock::now() - begun);
    on_call_({part_, operation, took, CodeOf(result)});
    return result;
  }

 private:
  static absl::StatusCode CodeOf(const absl::Status& status) { return status.code(); }
  template <typename Value>
  static absl::StatusCode CodeOf(const absl::StatusOr<Value>& value) {
    return value.status().code();
  }

  const absl::string_view part_;
  const OnStoreCall on_call_;
};

namespace sql {

// The same engine for one part of the store. `part` is a constant in the code. Without `on_call` it
// is `engine` itself.
Engine Observed(const Engine& engine, absl::string_view part, const OnStoreCall& on_call);

}  // namespace sql
}  // namespace gprofhub::store
