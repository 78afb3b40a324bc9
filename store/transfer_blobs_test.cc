#include "store/transfer_blobs.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"

namespace gprofhub::store {

namespace {

TEST(Sha256StreamTest, PiecesHashAsTheWhole) {
  const std::string bytes = std::string(100'000, 'a') + std::string("\0b", 2);
  for (const size_t piece : {size_t{1}, size_t{63}, size_t{64}, size_t{99'999}, bytes.size()}) {
    Sha256Stream stream;
    for (size_t at = 0; at < bytes.size(); at += piece) stream.Add(bytes.substr(at, piece));
    EXPECT_EQ(stream.Hex(), base::Sha256Hex(bytes)) << piece;
  }
}

TEST(Sha256StreamTest, NothingHasAHash) { EXPECT_EQ(Sha256Stream().Hex(), base::Sha256Hex("")); }

}  // namespace

}  // namespace gprofhub::store
