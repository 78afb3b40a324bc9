#include "collector/method.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/message.h"

namespace gprofhub::collector {

absl::Status ParseBounded(absl::string_view bytes, google::protobuf::Message& message) {
  const absl::StatusOr<uint64_t> size =
      profile::ParsedSize(bytes, *message.GetDescriptor(), kMostParsedBytes);
  if (size.ok() && *size > kMostParsedBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the message has ", bytes.size(), " bytes and would take more than ",
                     kMostParsedBytes, " bytes once parsed; send fewer fields"));
  }
  if (!size.ok() || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", bytes.size(), " bytes are not a valid ", message.GetTypeName()));
  }
  return absl::OkStatus();
}

namespace {

constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

NextMessage OneMessage(std::string message) {
  return [message = std::optional<std::string>(std::move(message))]() mutable {
    return std::exchange(message, std::nullopt);
  };
}

NextMessage InPieces(std::string text, std::function<std::string(std::string piece)> wrap) {
  return [text = std::move(text), at = size_t{0},
          wrap = std::move(wrap)]() mutable -> std::optional<std::string> {
    if (at >= text.size()) return std::nullopt;
    std::string piece = text.substr(at, kPieceBytes);
    at += piece.size();
    return wrap(std::move(piece));
  };
}

}  // namespace gprofhub::collector
