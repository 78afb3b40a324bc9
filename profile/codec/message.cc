// Three things make a small message expensive: a frame that decompresses to gigabytes, many tiny
// strings (2 bytes on the wire, 40 in memory), and many tiny unknown fields. The frame's declared
// size bounds the first; counting fields before parsing bounds the others. Packed columns grow by
// at most eight times, from one byte to a uint64.
#include "profile/codec/message.h"

#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "profile/codec/symbol_rows.h"
#include "profile/gmon/reader.h"
#include "profile/recording/reader.h"
#include "proto/stacks.pb.h"

namespace gprofhub::profile {

// Few bytes on the wire can become many in memory. An empty nested message is two bytes and becomes
// an object of about sixty; a short string becomes 48; a packed number is one byte and becomes
// eight; an unknown field is kept with its number. So the wire form is read once, field by field
// with the message's type, to add up the memory of each field. This allocates nothing.
//
// The costs are those of libprotobuf 3.21 on 64 bits, rounded up: a repeated field of pointers or
// numbers grows by doubling, so it may have twice the capacity that it needs, in addition to the
// blocks that it has outgrown.

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int kDeepest = 32;
constexpr uint64_t kPointer = 16;       // in a repeated field with twice the room
constexpr uint64_t kString = 48;        // std::string, and the allocator's overhead
constexpr uint64_t kMessage = 48;       // without its fields
constexpr uint64_t kMessageField = 24;  // maximum for a declared field in its message
constexpr uint64_t kUnknownField = 32;  // with its entry in the list

class Reader {
 public:
  explicit Reader(uint64_t most) : most_(most) {}

  // False if the bytes are malformed. Stops early once total() is above `most`.
  bool Read(absl::string_view bytes, const Descriptor& type, int depth);
  uint64_t total() const { return total_; }

 private:
  // Handles a length-delimited field; returns false as Read does.
  bool ReadDelimited(absl::string_view content, const FieldDescriptor* field, int depth);

  const uint64_t most_;
  uint64_t total_ = 0;
};

bool IsNumber(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE &&
         field.cpp_type() != FieldDescriptor::CPPTYPE_STRING;
}

// Memory with twice the capacity.
uint64_t SizeOfNumber(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return 16;
    case FieldDescriptor::CPPTYPE_BOOL:
      return 2;
    default:
      return 8;
  }
}

// Number of packed numbers in the bytes.
uint64_t CountPacked(absl::string_view bytes, const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
    case FieldDescriptor::TYPE_DOUBLE:
      return bytes.size() / 8;
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
    case FieldDescriptor::TYPE_FLOAT:
      return bytes.size() / 4;
    default:
      return PackedColumn(bytes, WireType::kVarint).rows();
  }
}

bool Reader::Read(absl::string_view bytes, const Descriptor& type, int depth) {
  if (depth > kDeepest) return false;
  total_ += kMessage + kMessageField * static_cast<uint64_t>(type.field_count());
  WireReader reader(bytes);
  WireField wire;
  while (total_ <= most_ && reader.Next(wire)) {
    const FieldDescriptor* const field = type.FindFieldByNumber(static_cast<int>(wire.number));
    if (wire.type == WireType::kDelimited) {
      if (!ReadDelimited(wire.bytes, field, depth)) return false;
    } else if (field == nullptr || !IsNumber(*field)) {
      total_ += kUnknownField;
    } else if (field->is_repeated()) {
      total_ += SizeOfNumber(*field);
    }
  }
  return !reader.failed();
}

bool Reader::ReadDelimited(absl::string_view content, const FieldDescriptor* field, int depth) {
  if (field == nullptr) {
    total_ += kUnknownField + kString + content.size();
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    total_ += kPointer;
    return Read(content, *field->message_type(), depth + 1);
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    total_ += kPointer + kString + content.size();
  } else {
    total_ += CountPacked(content, *field) * SizeOfNumber(*field);
  }
  return true;
}

}  // namespace

absl::StatusOr<uint64_t> ParsedSize(absl::string_view bytes, const Descriptor& type,
                                    uint64_t most) {
  Reader reader(most);
  if (!reader.Read(bytes, type, 0)) return absl::DataLossError("not a message");
  return reader.total();
}

namespace {

constexpr uint64_t kAlwaysAllowed = uint64_t{1} << 20;
constexpr uint64_t kLargestRatio = 1000;
constexpr uint64_t kMostFields = 4'000'000;
constexpr int kCompressionLevel = 6;
// Exceeds every budget.
constexpr uint64_t kMostParsed = uint64_t{1} << 40;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A context has tables of 160 KB. A report decompresses thousands of frames of a few kilobytes, and
// allocating the tables each time took as long as the decompression. So each thread keeps its own
// context. nullptr: out of memory.
ZSTD_DCtx* ContextOfThread() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context;
  if (context == nullptr) context.reset(ZSTD_createDCtx());
  return context.get();
}

// Adds the number of fields of `bytes`, and of its fields in `nested`, to `fields`.
bool CountFields(absl::string_view bytes, std::initializer_list<uint32_t> nested,
                 uint64_t& fields) {
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (++fields > kMostFields) return true;
    if (field.type == WireType::kDelimited &&
        std::find(nested.begin(), nested.end(), field.number) != nested.end() &&
        !CountFields(field.bytes, {}, fields)) {
      return false;
    }
  }
  return !reader.failed();
}

}  // namespace

std::string Compress(absl::string_view content) {
  std::string bytes(ZSTD_compressBound(content.size()), '\0');
  const size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), kCompressionLevel);
  // With a buffer of compressBound this fails only if memory is exhausted.
  if (ZSTD_isError(size)) std::abort();
  bytes.resize(size);
  return bytes;
}

uint64_t StatedSize(absl::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  return size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ? 0 : size;
}

absl::StatusOr<std::string> Decompress(absl::string_view bytes, absl::string_view what,
                                       uint64_t largest_content) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: not a zstd frame at byte 0; send it in the format of gprofhub", what));
  }
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: the zstd frame at byte 0 does not declare its content size; send it "
                        "in the format of gprofhub",
                        what));
  }
  if (size > largest_content || size > kAlwaysAllowed + kLargestRatio * bytes.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: the zstd frame at byte 0 declares %d bytes of content in %d: the "
                        "limit is %d bytes, and %d times its size",
                        what, size, bytes.size(), largest_content, kLargestRatio));
  }
  const size_t frame = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(frame)) {
    return absl::DataLossError(
        absl::StrFormat("%s: the zstd frame of %d bytes is truncated or damaged; send it again",
                        what, bytes.size()));
  }
  if (frame != bytes.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: %d bytes follow the zstd frame at byte %d; send it in the format of gprofhub", what,
        bytes.size() - frame, frame));
  }
  ZSTD_DCtx* const context = ContextOfThread();
  if (context == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%s: out of memory while decompressing; try again", what));
  }
  std::string content(size, '\0');
  const size_t result =
      ZSTD_decompressDCtx(context, content.data(), content.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(result) || result != size) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the zstd frame of %d bytes is damaged (%s); send it again", what, bytes.size(),
        ZSTD_isError(result) ? ZSTD_getErrorName(result) : "too short"));
  }
  return content;
}

std::string EncodeMessage(const google::protobuf::MessageLite& message) {
  return Compress(message.SerializeAsString());
}

absl::StatusOr<base::Reservation> DecodeMessage(absl::string_view bytes, absl::string_view what,
                                                std::initializer_list<uint32_t> nested,
                                                google::protobuf::Message& message,
                                                const base::Decoding& decoding,
                                                uint64_t largest_content) {
  RETURN_IF_ERROR(decoding.Take(std::min(StatedSize(bytes), largest_content)).status());
  ASSIGN_OR_RETURN(const std::string content, Decompress(bytes, what, largest_content));
  uint64_t fields = 0;
  const bool well_formed = CountFields(content, nested, fields);
  if (fields > kMostFields) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: has more than %d fields; send fewer functions", what, kMostFields));
  }
  base::Reservation for_message;
  if (decoding.is_bounded() && well_formed) {
    const absl::StatusOr<uint64_t> size =
        ParsedSize(content, *message.GetDescriptor(), kMostParsed);
    ASSIGN_OR_RETURN(base::Reservation taken, decoding.Take(size.ok() ? *size : 0));
    for_message = std::move(taken);
  }
  if (!well_formed || !message.ParseFromString(content)) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the %d bytes of content are not a message; send it in the format of gprofhub", what,
        content.size()));
  }
  return for_message;
}

namespace {

constexpr absl::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr size_t kMaxFileBytes = 64 << 20;

}  // namespace

std::string PackRecording(absl::string_view file) { return Compress(file); }

bool IsPackedRecording(absl::string_view bytes) {
  return bytes.substr(0, kZstdMagic.size()) == kZstdMagic;
}

absl::StatusOr<Recording> UnpackRecording(absl::string_view bytes, absl::string_view name,
                                          const base::Decoding& decoding) {
  RETURN_IF_ERROR(decoding.Take(std::min(StatedSize(bytes), kLargestContent)).status());
  ASSIGN_OR_RETURN(const std::string file, Decompress(bytes, name));
  if (file.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": the recording has ", file.size(),
                                                   " bytes; at most ", kMaxFileBytes,
                                                   " are accepted"));
  }
  return ReadRecording(file, name, decoding);
}

absl::StatusOr<std::optional<Recording>> ReadIfRecording(absl::string_view bytes,
                                                         absl::string_view name,
                                                         const base::Decoding& decoding) {
  if (IsPackedRecording(bytes)) return UnpackRecording(bytes, name, decoding);
  if (IsRecording(bytes)) return ReadRecording(bytes, name, decoding);
  return std::nullopt;
}

namespace {

// A gmon file's bins grow from two bytes to eight; its other rows grow less.
constexpr uint64_t kGmonFactor = 5;

absl::StatusOr<RawProfile> PartOf(const Recording& recording, absl::string_view name,
                                  const SymbolTable& image, std::vector<CallsOut>* calls_out,
                                  const HasProfile& has_profile) {
  const RecordedModule* const module = FindModule(recording, image.build_id);
  if (module != nullptr) {
    const size_t index = static_cast<size_t>(module - recording.modules.data());
    if (calls_out != nullptr) *calls_out = CallsOutOf(recording, index);
    RawProfile part = ProfileOfModule(recording, index, has_profile);
    part.missing_calls = MissingCalls(recording);
    return part;
  }
  const std::string missing = MissingCalls(recording);
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": contains no data for ", image.image_name, " (build-id ",
      image.build_id.empty() ? "none" : image.build_id, ")",
      missing.empty() ? "; `gprofhub info` lists its modules" : absl::StrCat(": ", missing)));
}

}  // namespace

absl::StatusOr<RawProfile> ReadImagePart(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image, const base::Decoding& decoding,
                                         std::vector<CallsOut>* calls_out,
                                         const HasProfile& has_profile) {
  ASSIGN_OR_RETURN(const std::optional<Recording> recording,
                   ReadIfRecording(bytes, name, decoding));
  const bool is_gmon = !recording.has_value();
  absl::StatusOr<GmonReadOptions> options = GmonOptionsFor(image.architecture);
  if (is_gmon && !options.ok()) return options.status();
  if (options.ok()) {
    options->image = &image;
    options->to_middle = true;
  }
  // The part has no more rows than its recording.
  ASSIGN_OR_RETURN(base::Reservation memory,
                   decoding.Take(is_gmon ? kGmonFactor * bytes.size() : MemoryOf(*recording)));
  absl::StatusOr<RawProfile> part = is_gmon
                                        ? ReadGmon(bytes, name, *options)
                                        : PartOf(*recording, name, image, calls_out, has_profile);
  if (part.ok()) memory.Leave(MemoryOf(*part));
  return part;
}

namespace {

// A frame takes two bytes or more of it, and sixteen once decoded.
constexpr uint64_t kLargestStacks = uint64_t{60} << 20;

absl::Status Bad(absl::string_view name, absl::string_view field, int row,
                 absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": sampled stacks: ", field, ", row ", row, ": ", problem));
}

bool HasFunctionAt(const SymbolTable& image, uint64_t address) {
  auto symbol = std::lower_bound(
      image.functions.begin(), image.functions.end(), address,
      [](const FunctionSymbol& function, uint64_t at) { return function.address < at; });
  for (; symbol != image.functions.end() && symbol->address == address; ++symbol) {
    if (symbol->is_function) return true;
  }
  return false;
}

absl::Status DecodeFunctions(const v1::SampledStacks& message, absl::string_view name,
                             const SymbolTable& image, ImageStacks& stacks) {
  uint64_t address = 0;
  for (int i = 0; i < message.function_delta_size(); ++i) {
    const uint64_t delta = message.function_delta(i);
    if ((i > 0 && delta == 0) || __builtin_add_overflow(address, delta, &address)) {
      return Bad(name, "function_delta", i, "the addresses do not ascend");
    }
    if (!HasFunctionAt(image, address)) {
      return Bad(
          name, "function_delta", i,
          absl::StrCat("no function of ", image.image_name, " begins at 0x", absl::Hex(address),
                       "; send the stacks with the image of the program"));
    }
    stacks.functions.push_back(address);
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeStacks(const ImageStacks& stacks) {
  v1::SampledStacks message;
  uint64_t last = 0;
  for (const uint64_t address : stacks.functions) {
    message.add_function_delta(address - last);
    last = address;
  }
  for (const ImageStacks::Stack& stack : stacks.stacks) {
    message.add_frames(stack.frames);
    message.add_samples(stack.samples);
  }
  for (const ImageStacks::Frame& frame : stacks.frames) {
    message.add_function(frame.function);
    message.add_offset(frame.offset);
  }
  return EncodeMessage(message);
}

absl::StatusOr<ImageStacks> DecodeStacks(absl::string_view bytes, absl::string_view name,
                                         const SymbolTable& image, const base::Decoding& decoding) {
  v1::SampledStacks message;
  RETURN_IF_ERROR(DecodeMessage(bytes, name, {}, message, decoding, kLargestStacks).status());
  if (message.samples_size() != message.frames_size() ||
      message.offset_size() != message.function_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": sampled stacks: columns of one table differ in length"));
  }
  if (message.frames_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": sampled stacks: no stacks"));
  }
  const uint64_t size = static_cast<uint64_t>(message.function_delta_size()) * sizeof(uint64_t) +
                        static_cast<uint64_t>(message.frames_size()) * sizeof(ImageStacks::Stack) +
                        static_cast<uint64_t>(message.function_size()) * sizeof(ImageStacks::Frame);
  ASSIGN_OR_RETURN(base::Reservation for_stacks, decoding.Take(size));
  ImageStacks stacks;
  stacks.functions.reserve(static_cast<size_t>(message.function_delta_size()));
  stacks.stacks.reserve(static_cast<size_t>(message.frames_size()));
  stacks.frames.reserve(static_cast<size_t>(message.function_size()));
  RETURN_IF_ERROR(DecodeFunctions(message, name, image, stacks));
  uint64_t frames = 0;
  uint64_t samples = 0;
  for (int i = 0; i < message.frames_size(); ++i) {
    frames += message.frames(i);
    if (message.frames(i) == 0 || frames > static_cast<uint64_t>(message.function_size())) {
      return Bad(name, "frames", i, "is 0, or more than the remaining rows of frames");
    }
    if (message.samples(i) == 0 || message.samples(i) > kMostSampledStackSamples - samples) {
      return Bad(name, "samples", i,
                 absl::StrCat("is 0, or the sum exceeds ", kMostSampledStackSamples));
    }
    samples += message.samples(i);
    stacks.stacks.push_back({message.frames(i), message.samples(i)});
  }
  if (frames != static_cast<uint64_t>(message.function_size())) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": sampled stacks: the stacks have ",
                                                   frames, " of the ", message.function_size(),
                                                   " frames"));
  }
  for (int i = 0; i < message.function_size(); ++i) {
    if (message.function(i) > stacks.functions.size()) {
      return Bad(name, "function", i, "is not the row of a function");
    }
    RETURN_IF_ERROR(decoding.CheckWantedAt(static_cast<uint64_t>(i)));
    stacks.frames.push_back({message.function(i), message.offset(i)});
  }
  for_stacks.Leave(size);
  return stacks;
}

}  // namespace gprofhub::profile
