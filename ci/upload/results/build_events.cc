#include "ci/upload/results/build_events.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ci/upload/results/test_events.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::util::ParseDelimitedFromCodedStream;

constexpr size_t kLongestVarint = 10;  // of 64 bits

absl::Status NotEnded(absl::string_view file_name, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      file_name, ": ", what,
      "; the build is still running or was interrupted. Run `gprofhub upload` after Bazel has "
      "ended."));
}

absl::Status Foreign(absl::string_view file_name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      file_name, ": ", what, "; give the file that Bazel wrote with --build_event_binary_file"));
}

// The option that makes Bazel write such a text file instead of --build_event_binary_file's format;
// empty for any other content. An event's id comes first: no binary file begins with these bytes.
absl::string_view OptionOfText(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "{\"")) return "--build_event_json_file";
  if (absl::StartsWith(bytes, "id {")) return "--build_event_text_file";
  return "";
}

// The error for an invalid event at `offset`: a truncated file, or another file format.
absl::Status WhyNoEvent(absl::string_view bytes, size_t offset, absl::string_view file_name) {
  bytes.remove_prefix(offset);
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  uint64_t size = 0;
  if (!input.ReadVarint64(&size)) {
    return bytes.size() < kLongestVarint
               ? NotEnded(file_name,
                          absl::StrCat("ends in the middle of the length at offset ", offset))
               : Foreign(file_name, absl::StrCat("no build event length at offset ", offset));
  }
  const size_t rest = bytes.size() - static_cast<size_t>(input.CurrentPosition());
  if (size > rest) {
    return NotEnded(file_name, absl::StrCat("the event at offset ", offset, " has ", size,
                                            " bytes, but only ", rest, " follow"));
  }
  return Foreign(file_name, absl::StrCat("the event at offset ", offset, " is not a build event"));
}

}  // namespace

absl::StatusOr<BuildLog> ParseBuildEvents(absl::string_view bytes, absl::string_view file_name) {
  if (bytes.size() > INT32_MAX) {
    return absl::ResourceExhaustedError(absl::StrCat(file_name, ": is larger than 2 GiB"));
  }
  if (const absl::string_view option = OptionOfText(bytes); !option.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file_name, ": holds build events as ", option,
        " writes them; run Bazel with --build_event_binary_file in its place and give that file"));
  }
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  TestEvents events;
  while (static_cast<size_t>(input.CurrentPosition()) < bytes.size()) {
    const auto offset = static_cast<size_t>(input.CurrentPosition());
    build_events::BuildEvent event;
    if (!ParseDelimitedFromCodedStream(&event, &input, /*clean_eof=*/nullptr)) {
      return WhyNoEvent(bytes, offset, file_name);
    }
    events.Take(std::move(event));
  }
  if (events.started().uuid().empty()) {
    if (bytes.empty()) return NotEnded(file_name, "is empty");
    return Foreign(file_name, "no event says that a build started");
  }
  if (!events.ended()) return NotEnded(file_name, "the last event is missing");
  BuildLog log;
  log.invocation_id = events.started().uuid();
  log.started_unix_ms = events.started().start_time_millis();
  log.command = events.started().command();
  log.workspace_directory = events.started().workspace_directory();
  for (size_t i = 0; i < events.attempts(); ++i) log.attempts.push_back(events.Attempt(i));
  return log;
}

}  // namespace gprofhub::ci
