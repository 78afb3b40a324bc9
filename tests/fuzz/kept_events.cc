// Build events as the server takes them, one by one. For every input, keeping a kept event again
// does not change it, no secret of the environment is kept, and every attempt is returned once.

#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/bes/event_stream.h"
#include "collector/bes/invocation.h"

namespace {

using gprofhub::build_events::BuildEvent;

void CheckKept(const BuildEvent& event) {
  const auto again = gprofhub::collector::KeptEvent(event.SerializeAsString());
  if (!again.ok() || !again->has_value()) std::abort();
  for (const std::string& argument : event.unstructured_command_line().args()) {
    if (!absl::StartsWith(argument, "--client_env=")) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::io::CodedInputStream input(data, static_cast<int>(size));
  gprofhub::collector::InvocationState state("fuzz");
  size_t results = 0;
  size_t given = 0;
  uint32_t length = 0;
  std::string bytes;
  while (input.ReadVarint32(&length) && length <= size &&
         input.ReadString(&bytes, static_cast<int>(length))) {
    auto kept = gprofhub::collector::KeptEvent(bytes);
    if (!kept.ok() || !kept->has_value()) continue;
    CheckKept(**kept);
    if ((*kept)->has_test_result()) ++results;
    state.Take(**std::move(kept), absl::UnixEpoch());
    for (const size_t index : state.TakeReady()) {
      ++given;
      (void)state.RunOf(state.Attempt(index));
      (void)state.WantsLogOf(index, state.Attempt(index));
      state.Done(index, {});
    }
  }
  if (given > results || (state.ended() && given != results)) std::abort();
  for (const auto& target : state.TakeChangedTargets()) {
    if (target.recorded > target.attempts) std::abort();
  }
  return 0;
}
