// Shared by the codecs of our own stored messages: bounded decompression, and a check of a message
// before it is parsed.
//
// A codec is in the package of the value that it encodes, so profile/ uses proto/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "google/protobuf/message.h"

namespace gprofhub::profile {

// One zstd frame that declares its content size.
std::string Compress(absl::string_view content);

// Default limit of the content of a frame.
inline constexpr uint64_t kLargestContent = uint64_t{256} << 20;

// Declared content size of the frame; 0 if it is not a frame, or declares none.
uint64_t StatedSize(absl::string_view bytes);

// Inverse of Compress, for untrusted bytes. Errors as DecodeMessage.
absl::StatusOr<std::string> Decompress(absl::string_view bytes, absl::string_view what,
                                       uint64_t largest_content = kLargestContent);

// One zstd frame that declares its content size. Deterministic (with one version of zstd and
// protobuf).
std::string EncodeMessage(const google::protobuf::MessageLite& message);

// Decompresses and parses the result of EncodeMessage, which is untrusted. `what` names it in
// messages ("symbol bundle"); `nested` are the fields of `message` that contain messages.
//
// InvalidArgument: not exactly one zstd frame, a frame without a declared size, or with a declared
// size of more than `largest_content` or more than 1 MiB and 1,000 times its own size, or more than
// four million strings. DataLoss: damaged. Allocations are never based on the declared sizes alone.
// Errors of `decoding` are Decoding::Take's.
//
// Returns the reservation for the message, which the caller must hold as long as the message.
absl::StatusOr<base::DecodingPart> DecodeMessage(absl::string_view bytes, absl::string_view what,
                                                 std::initializer_list<uint32_t> nested,
                                                 google::protobuf::Message& message,
                                                 const base::Decoding& decoding = {},
                                                 uint64_t largest_content = kLargestContent);

}  // namespace gprofhub::profile
