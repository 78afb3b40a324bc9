#include "profile/codec/parsed_size.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "proto/collector.pb.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kNoBound = uint64_t{1} << 40;

std::string Repeated(const std::string& bytes, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += bytes;
  return all;
}

// Actual heap memory of parsing.
template <typename Message>
uint64_t Taken(const std::string& bytes) {
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const auto message = std::make_unique<Message>();
  EXPECT_TRUE(message->ParseFromString(bytes));
  return mallinfo2().uordblks + mallinfo2().hblkhd - before;
}

template <typename Message>
void ExpectIsABound(const std::string& bytes) {
  const absl::StatusOr<uint64_t> bound = ParsedSize(bytes, *Message::descriptor(), kNoBound);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_GE(*bound, Taken<Message>(bytes));
}

TEST(ParsedSizeTest, BoundsEmptyMessages) {
  ExpectIsABound<v1::UploadHeader>(Repeated(std::string("\x1a\x00", 2), 100'000));
}

TEST(ParsedSizeTest, BoundsShortStrings) {
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\x32\x01x", 3), 100'000));
}

TEST(ParsedSizeTest, BoundsUnknownFields) {
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\xf8\x07\x01", 3), 100'000));
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\xfa\x07\x01x", 4), 100'000));
}

TEST(ParsedSizeTest, BoundsPackedNumbers) {
  v1::SymbolBundle bundle;
  for (int i = 0; i < 100'000; ++i) bundle.mutable_lines()->add_address_delta(1);
  ExpectIsABound<v1::SymbolBundle>(bundle.SerializeAsString());
}

TEST(ParsedSizeTest, StopsBeyondTheBound) {
  const std::string bytes = Repeated(std::string("\x1a\x00", 2), 100'000) + "\xff";  // then bad
  const absl::StatusOr<uint64_t> size = ParsedSize(bytes, *v1::UploadHeader::descriptor(), 1000);
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_GT(*size, 1000u);
}

TEST(ParsedSizeTest, RefusesWhatIsCut) {
  EXPECT_FALSE(ParsedSize("\x0a\x05gone", *v1::UploadHeader::descriptor(), kNoBound).ok());
}

}  // namespace
}  // namespace gprofhub::profile
