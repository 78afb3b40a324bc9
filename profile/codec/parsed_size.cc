// Few bytes on the wire can become many in memory. An empty nested message is two bytes and becomes
// an object of about sixty; a short string becomes 48; a packed number is one byte and becomes
// eight; an unknown field is kept with its number. So the wire form is read once, field by field
// with the message's type, to add up the memory of each field. This allocates nothing.
//
// The costs are those of libprotobuf 3.21 on 64 bits, rounded up: a repeated field of pointers or
// numbers grows by doubling, so it may have twice the capacity that it needs, in addition to the
// blocks that it has outgrown.

#include "profile/codec/parsed_size.h"

#include "absl/status/status.h"
#include "profile/codec/wire.h"

namespace gprofhub::profile {
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

}  // namespace gprofhub::profile
