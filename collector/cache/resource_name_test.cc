#include "collector/cache/resource_name.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::collector {
namespace {

const std::string kHash(64, 'a');

TEST(ResourceNameTest, ABlobIsNamedWithAndWithoutAnInstance) {
  const auto plain = ParseReadName("blobs/" + kHash + "/12");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->instance, "");
  EXPECT_EQ(plain->upload, "");
  EXPECT_EQ(plain->digest, (store::TransferDigest{kHash, 12}));
  EXPECT_EQ(ParseReadName("acme/db/blobs/" + kHash + "/0")->instance, "acme/db");
}

TEST(ResourceNameTest, AnUploadIsNamedByItsClient) {
  const auto upload = ParseWriteName("acme/db/uploads/u-1/blobs/" + kHash + "/7/name/of.file");
  ASSERT_TRUE(upload.ok()) << upload.status();
  EXPECT_EQ(upload->instance, "acme/db");
  EXPECT_EQ(upload->upload, "u-1");
  EXPECT_EQ(upload->digest, (store::TransferDigest{kHash, 7}));
  EXPECT_EQ(ParseWriteName("uploads/u/blobs/" + kHash + "/7")->instance, "");
}

TEST(ResourceNameTest, AnythingElseIsRefused) {
  for (const std::string& name :
       {std::string(), std::string("/"), "blobs/" + kHash, "blobs/" + kHash + "/",
        "blobs/" + kHash + "/-1", "blobs/" + kHash + "/+1", "blobs/" + kHash + "/01",
        "blobs/" + kHash + "/1x", "blobs/" + kHash + "/99999999999999999999",
        "blobs/" + kHash + "/1125899906842625", "blobs/" + std::string(64, 'A') + "/1",
        "blobs/" + std::string(63, 'a') + "/1", "blob/" + kHash + "/1",
        "compressed-blobs/zstd/" + kHash + "/1", "blobs/" + kHash + "/1/more",
        std::string(1000, 'x') + "/blobs/" + kHash + "/1", "\xff/blobs/" + kHash + "/1",
        std::string("a\0b", 3) + "/blobs/" + kHash + "/1"}) {
    EXPECT_EQ(ParseReadName(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("uploads"), "blobs/" + kHash + "/1",
        "uploads//blobs/" + kHash + "/1", "uploads/u/v/blobs/" + kHash + "/1",
        "uploads/" + std::string(101, 'u') + "/blobs/" + kHash + "/1",
        "uploads/u/compressed-blobs/zstd/" + kHash + "/1", "uploads/u/blobs/" + kHash}) {
    EXPECT_EQ(ParseWriteName(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

TEST(ResourceNameTest, ADigestIsCheckedAndItsErrorNamesTheField) {
  build::bazel::remote::execution::v2::Digest digest;
  digest.set_hash(kHash);
  digest.set_size_bytes(3);
  EXPECT_EQ(*ToDigest("digest", digest), (store::TransferDigest{kHash, 3}));
  digest.set_size_bytes(-1);
  EXPECT_EQ(ToDigest("digests[2]", digest).status().message(), "digests[2].size_bytes: is -1");
  digest.set_hash("../" + kHash);
  EXPECT_FALSE(ToDigest("digest", digest).ok());
}

}  // namespace
}  // namespace gprofhub::collector
