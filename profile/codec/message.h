// What the codecs of our own stored messages share: bounded compression and a
// look over a message before it is parsed.
//
// A codec stands beside the value that it encodes; that is why profile/ uses
// proto/.
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

// The most bytes that a frame may hold unless its codec says less.
inline constexpr uint64_t kLargestContent = uint64_t{256} << 20;

// How many bytes the frame says that it holds; 0 if it is none, or does not say.
uint64_t StatedSize(absl::string_view bytes);

// What Compress was given, from anybody. Errors as DecodeMessage.
absl::StatusOr<std::string> Decompress(absl::string_view bytes, absl::string_view what,
                                       uint64_t largest_content = kLargestContent);

// One zstd frame that declares its content size. The same message always gives
// the same bytes (with one version of zstd and protobuf).
std::string EncodeMessage(const google::protobuf::MessageLite& message);

// Decompresses and parses what EncodeMessage wrote, from anybody. `what` names
// it in messages ("symbol bundle"); `nested` are the fields of `message` that
// hold messages.
//
// InvalidArgument: not one zstd frame, a frame that does not say how large it
// is, says more than `largest_content` or more than 1 MiB and 1,000 times its own size,
// or more than four million strings. DataLoss: damaged. Nothing is
// allocated on the word of the bytes alone. Errors of `decoding` are Decoding::Take's.
//
// Gives what the message takes, which the caller holds as long as the message.
absl::StatusOr<base::DecodingPart> DecodeMessage(absl::string_view bytes, absl::string_view what,
                                                 std::initializer_list<uint32_t> nested,
                                                 google::protobuf::Message& message,
                                                 const base::Decoding& decoding = {},
                                                 uint64_t largest_content = kLargestContent);

}  // namespace gprofhub::profile
