#include "collector/calls/bounded_parse.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/parsed_size.h"

namespace gprofhub::collector {

absl::Status ParseBounded(absl::string_view bytes, google::protobuf::Message& message) {
  const absl::StatusOr<uint64_t> size =
      profile::ParsedSize(bytes, *message.GetDescriptor(), kMostParsedBytes);
  if (size.ok() && *size > kMostParsedBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the message of ", bytes.size(),
                                                     " bytes takes more than ", kMostParsedBytes,
                                                     " once it is read: send fewer fields"));
  }
  if (!size.ok() || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", bytes.size(), " bytes are no ", message.GetTypeName()));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::collector
