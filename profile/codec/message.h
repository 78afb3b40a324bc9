// Shared by the codecs of our own stored messages: bounded decompression, and a check of a message
// before it is parsed.
//
// A codec is in the package of the value that it encodes, so profile/ uses proto/.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "google/protobuf/message.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::profile {

// The data of a profile about one image, for every format of profiles.

// `bytes` (untrusted) are a GNU gmon file of a program of the image's architecture, or a recording,
// packed (profile/codec/message.h) or as the runtime wrote it. From a recording the module with
// the image's build-id is taken; for an image without one, the program. `name` is only for
// messages.
//
// InvalidArgument: the recording has no data about the image, or the architecture is unknown. Other
// errors as ReadGmon, ReadRecording and UnpackRecording. The memory of the result, and of its
// recording, is left with `decoding`. Calls from functions of the image into other modules are
// added to `calls_out`, if that is not null and there is a recording. `has_profile` is that of
// ProfileOfModule.
absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {},
                                         std::vector<CallsOut>* calls_out = nullptr,
                                         const HasProfile& has_profile = nullptr);

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
absl::StatusOr<base::Reservation> DecodeMessage(absl::string_view bytes, absl::string_view what,
                                                std::initializer_list<uint32_t> nested,
                                                google::protobuf::Message& message,
                                                const base::Decoding& decoding = {},
                                                uint64_t largest_content = kLargestContent);

// Computes the memory of a parsed message before parsing it.

// An upper bound in bytes of libprotobuf's allocations for parsing `bytes` as a message of this
// type. Stops reading once it exceeds `most`, and then returns a number above `most`. DATA_LOSS if
// it is not such a message: cut off, with groups, or nested more than 32 deep.
absl::StatusOr<uint64_t> ParsedSize(absl::string_view bytes,
                                    const google::protobuf::Descriptor& type, uint64_t most);

// The wire form of a recording: its file, zstd-compressed. It is uploaded and stored instead of a
// gmon.out, and contains more data.

// For a recording's file of at most 64 MiB.
std::string PackRecording(absl::string_view file);

// True if the bytes begin as PackRecording's do. gmon.out never does.
bool IsPackedRecording(absl::string_view bytes);

// Unpacks and reads an untrusted recording. `name` is only for messages. Errors as DecodeMessage
// (profile/codec/message.h) and ReadRecording; InvalidArgument if the file has more than 64 MiB.
// Its memory is left with `decoding`.
absl::StatusOr<Recording> UnpackRecording(absl::string_view bytes, absl::string_view name,
                                          const base::Decoding& decoding = {});

// Reads a profile's bytes as a recording, packed or as the runtime wrote it; nullopt if they begin
// like neither. Errors as UnpackRecording and ReadRecording.
absl::StatusOr<std::optional<Recording>> ReadIfRecording(absl::string_view bytes,
                                                         absl::string_view name,
                                                         const base::Decoding& decoding = {});

// The wire form of sampled stacks (proto/stacks.proto), zstd-compressed.

std::string EncodeStacks(const ImageStacks& stacks);

// Decodes stacks of `image`, as EncodeStacks writes them, from untrusted bytes. `name` is only for
// messages. Errors as DecodeMessage (profile/codec/message.h), with at most 60 MiB;
// InvalidArgument, naming the field and its row, if the value is invalid, or a function is not in
// the image. Its memory is left with `decoding`.
absl::StatusOr<ImageStacks> DecodeStacks(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image,
                                         const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
