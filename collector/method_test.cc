#include "collector/method.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

namespace {

std::string Repeated(const std::string& bytes, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += bytes;
  return all;
}

TEST(BoundedParseTest, TakesTheLongestHeaderThatIsAllowed) {
  v1::UploadRequest request;
  v1::UploadHeader& header = *request.mutable_header();
  for (int i = 0; i < 1000; ++i) {
    header.mutable_run()->add_ancestors(std::string(40, 'a'));
    v1::ImageRef& image = *header.add_images();
    image.set_build_id(std::string(128, 'b'));
    image.mutable_bundle()->set_sha256(std::string(64, 'c'));
    image.mutable_bundle()->set_size(uint64_t{1} << 60);
  }
  for (int i = 0; i < 10'000; ++i) {
    v1::ProfileRef& profile = *header.add_profiles();
    profile.set_process(absl::StrCat(std::string(100, 'p'), i));
    profile.set_build_id(std::string(40, 'b'));
    profile.mutable_data()->set_sha256(std::string(64, 'c'));
    profile.mutable_data()->set_size(uint64_t{1} << 60);
  }
  v1::UploadRequest parsed;
  const absl::Status status = ParseBounded(request.SerializeAsString(), parsed);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(parsed.header().profiles_size(), 10'000);
}

TEST(BoundedParseTest, TakesTheLargestChunk) {
  v1::UploadRequest request;
  request.mutable_chunk()->set_data(std::string(1 << 20, 'x'));
  v1::UploadRequest parsed;
  ASSERT_TRUE(ParseBounded(request.SerializeAsString(), parsed).ok());
  EXPECT_EQ(parsed.chunk().data().size(), 1u << 20);
}

TEST(BoundedParseTest, RefusesMillionsOfEmptyFields) {
  const std::string profiles("\x1a\x00", 2);  // profiles = 3, empty
  std::string header = Repeated(profiles, 1'000'000);
  std::string bytes = "\x0a";  // header = 1
  for (size_t size = header.size(); size > 0; size >>= 7) {
    bytes.push_back(static_cast<char>((size & 0x7f) | (size > 0x7f ? 0x80 : 0)));
  }
  bytes += header;
  v1::UploadRequest parsed;
  EXPECT_EQ(ParseBounded(bytes, parsed).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(parsed.has_header());
}

TEST(BoundedParseTest, RefusesMillionsOfUnknownFields) {
  v1::UploadRequest parsed;
  EXPECT_EQ(ParseBounded(Repeated(std::string("\xf8\x07\x01", 3), 1'000'000), parsed).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(BoundedParseTest, RefusesWhatIsNoMessage) {
  v1::UploadRequest parsed;
  for (const std::string& bytes : {std::string("\x0a\x05gone"), std::string("\x0b\x0c"),
                                   std::string("\x00\x01", 2), std::string("\xff")}) {
    EXPECT_EQ(ParseBounded(bytes, parsed).code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace

}  // namespace gprofhub::collector
