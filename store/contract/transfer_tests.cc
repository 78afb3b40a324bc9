// Contract tests: files uploaded by Bazel.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/contract/upkeep_helpers.h"
#include "store/transfer_blobs.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TransferDigest DigestOf(absl::string_view bytes) { return {NameBlob(bytes), bytes.size()}; }

// Two pieces and a bit.
std::string LongText() {
  std::string text(2 * TransferBlobs::kPieceBytes + 7, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 7);
  return text;
}

// The calls of the tests, with the tests' limits.
struct Handed {
  explicit Handed(const sql::Engine& engine) : transfers(engine.database), upkeep(engine) {}

  absl::Status Put(const std::string& bytes, const std::string& project = "sqlite") const {
    return transfers.Put(project, DigestOf(bytes), bytes, limits, kNow);
  }
  bool Has(const std::string& bytes, const std::string& project = "sqlite") const {
    const auto missing = transfers.FindMissing(project, {DigestOf(bytes)}, kNow);
    EXPECT_TRUE(missing.ok()) << missing.status();
    return missing.ok() && missing->empty();
  }
  absl::Status Append(const TransferUpload& upload, uint64_t offset,
                      absl::string_view bytes) const {
    return transfers.Append(upload, offset, bytes, limits, kNow);
  }
  HeldTransfers Held() const {
    const absl::StatusOr<HeldTransfers> held = transfers.Held();
    EXPECT_TRUE(held.ok()) << held.status();
    return held.ok() ? *held : HeldTransfers();
  }
  Collected Collect(absl::Time now, bool dry_run = false) const {
    CollectOptions options;
    options.now = [now] { return now; };
    options.dry_run = dry_run;
    const absl::StatusOr<Collected> collected = upkeep.garbage.Collect(options, kOperator);
    EXPECT_TRUE(collected.ok()) << collected.status();
    return collected.ok() ? *collected : Collected();
  }

  TransferLimits limits;
  TransferBlobs transfers;
  Upkeep upkeep;
};

TransferUpload UploadOf(const std::string& bytes, const std::string& name = "u1") {
  return {"sqlite", DigestOf(bytes), name};
}

TEST_P(StoreContractTest, ABlobIsReadAsItWasPut) {
  Handed on(*engine_);
  const std::string bytes = LongText();
  EXPECT_FALSE(on.Has(bytes));
  EXPECT_OK(on.Put(bytes));
  EXPECT_OK(on.Put(bytes));
  EXPECT_TRUE(on.Has(bytes));
  EXPECT_TRUE(*on.transfers.Read("sqlite", DigestOf(bytes), bytes.size()) == bytes);
  EXPECT_EQ(Code(on.transfers.Read("sqlite", DigestOf(bytes), bytes.size() - 1)),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(on.Held().bytes, bytes.size());
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, PartsAreReadFromAnyByteOn) {
  Handed on(*engine_);
  const std::string bytes = LongText();
  ASSERT_TRUE(on.Put(bytes).ok());
  const TransferDigest digest = DigestOf(bytes);
  const uint64_t piece = TransferBlobs::kPieceBytes;
  EXPECT_EQ(*on.transfers.ReadPart("sqlite", digest, 3, 5), bytes.substr(3, 5));
  EXPECT_EQ(on.transfers.ReadPart("sqlite", digest, piece - 2, piece)->size(), 2u);
  EXPECT_EQ(*on.transfers.ReadPart("sqlite", digest, 2 * piece, piece), bytes.substr(2 * piece));
  EXPECT_EQ(*on.transfers.ReadPart("sqlite", digest, bytes.size(), piece), "");
  EXPECT_EQ(*on.transfers.ReadPart("sqlite", digest, bytes.size() + 1, piece), "");
}

TEST_P(StoreContractTest, ABlobIsItsProjectsAlone) {
  Handed on(*engine_);
  ASSERT_TRUE(on.Put("secret").ok());
  EXPECT_FALSE(on.Has("secret", "other"));
  EXPECT_EQ(Code(on.transfers.Read("other", DigestOf("secret"), 100)), absl::StatusCode::kNotFound);
  EXPECT_EQ(Code(on.transfers.ReadPart("other", DigestOf("secret"), 0, 9)),
            absl::StatusCode::kNotFound);
  EXPECT_OK(on.Put("secret", "other"));
  EXPECT_TRUE(on.Has("secret", "other"));
  EXPECT_EQ(on.Held().blobs, 2u) << "each has its own";
}

TEST_P(StoreContractTest, BytesThatAreNotTheDigestsAreRefused) {
  Handed on(*engine_);
  const TransferDigest digest = DigestOf("right");
  EXPECT_EQ(Code(on.transfers.Put("sqlite", digest, "wrong", on.limits, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(on.transfers.Put("sqlite", {digest.sha256, 4}, "right", on.limits, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(on.transfers.Put("sqlite", {"../../etc/passwd", 5}, "right", on.limits, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(on.transfers.Put("", digest, "right", on.limits, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(on.Held().bytes, 0u);
}

TEST_P(StoreContractTest, TheSizeBelongsToTheName) {
  Handed on(*engine_);
  ASSERT_TRUE(on.Put("right").ok());
  const TransferDigest other = {NameBlob("right"), 6};
  EXPECT_THAT(*on.transfers.FindMissing("sqlite", {DigestOf("right"), other}, kNow),
              ElementsAre(other));
  EXPECT_EQ(Code(on.transfers.Read("sqlite", other, 100)), absl::StatusCode::kNotFound);
}

TEST_P(StoreContractTest, TheEmptyBlobIsAlwaysThere) {
  Handed on(*engine_);
  EXPECT_TRUE(on.Has(""));
  EXPECT_OK(on.Put(""));
  EXPECT_EQ(*on.transfers.Read("sqlite", DigestOf(""), 0), "");
  EXPECT_TRUE(on.transfers.Progress(UploadOf(""))->whole);
  EXPECT_OK(on.Append(UploadOf(""), 0, ""));
  EXPECT_OK(on.transfers.Commit(UploadOf(""), kNow));
  const TransferDigest wrong = {NameBlob("x"), 0};
  EXPECT_THAT(*on.transfers.FindMissing("sqlite", {wrong}, kNow), ElementsAre(wrong));
  EXPECT_EQ(on.Held().bytes, 0u);
}

TEST_P(StoreContractTest, AnUploadComesInPiecesAndIsResumedWhereItIs) {
  Handed on(*engine_);
  const std::string bytes = LongText();
  const TransferUpload upload = UploadOf(bytes);
  EXPECT_EQ(on.transfers.Progress(upload)->received, 0u);
  EXPECT_OK(on.Append(upload, 0, absl::string_view(bytes).substr(0, 1000)));
  EXPECT_EQ(on.transfers.Progress(upload)->received, 1000u);
  EXPECT_FALSE(on.Has(bytes));
  // Bytes that were sent before, or that leave a gap.
  EXPECT_EQ(Code(on.Append(upload, 0, "again")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(on.Append(upload, 1001, "hole")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(on.transfers.Commit(upload, kNow)), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(on.Held().bytes, bytes.size()) << "it has its room from the beginning";

  // Another process continues the transfer.
  const TransferBlobs other(home_->Open()->database);
  for (uint64_t at = 1000; at < bytes.size(); at += TransferBlobs::kPieceBytes) {
    EXPECT_OK(other.Append(upload, at,
                           absl::string_view(bytes).substr(at, TransferBlobs::kPieceBytes),
                           on.limits, kNow));
  }
  EXPECT_OK(on.transfers.Commit(upload, kNow));
  EXPECT_TRUE(on.transfers.Progress(upload)->whole);
  EXPECT_TRUE(*on.transfers.Read("sqlite", DigestOf(bytes), bytes.size()) == bytes);
  EXPECT_EQ(on.Held().bytes, bytes.size());
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, AnUploadOfOtherBytesLeavesNothing) {
  Handed on(*engine_);
  const TransferUpload upload = UploadOf("right");
  EXPECT_EQ(Code(on.Append(upload, 0, "too long")), absl::StatusCode::kInvalidArgument);
  EXPECT_OK(on.Append(upload, 0, "wro"));
  EXPECT_OK(on.Append(upload, 3, "ng"));
  EXPECT_EQ(Code(on.transfers.Commit(upload, kNow)), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(on.transfers.Progress(upload)->received, 0u);
  EXPECT_FALSE(on.Has("right"));
  EXPECT_EQ(on.Held().blobs, 0u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM transfer_piece"), 0);
}

TEST_P(StoreContractTest, OfTwoUploadsOfTheSameBytesOneStays) {
  Handed on(*engine_);
  const TransferUpload first = UploadOf("bytes", "u1");
  const TransferUpload second = UploadOf("bytes", "u2");
  EXPECT_OK(on.Append(first, 0, "by"));
  EXPECT_OK(on.Append(second, 0, "byt"));
  EXPECT_OK(on.Append(first, 2, "tes"));
  EXPECT_OK(on.Append(second, 3, "es"));
  EXPECT_OK(on.transfers.Commit(second, kNow));
  EXPECT_OK(on.transfers.Commit(first, kNow));
  EXPECT_EQ(on.Held().blobs, 1u);
  EXPECT_EQ(*on.transfers.Read("sqlite", DigestOf("bytes"), 5), "bytes");
}

TEST_P(StoreContractTest, UploadsOfOneBlobAtOneTimeMakeItWholeOnce) {
  Handed on(*engine_);
  const std::string bytes = LongText();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const TransferUpload upload = UploadOf(bytes, absl::StrCat("u", i));
      absl::Status status;
      for (uint64_t at = 0; status.ok() && at < bytes.size(); at += TransferBlobs::kPieceBytes) {
        status =
            on.Append(upload, at, absl::string_view(bytes).substr(at, TransferBlobs::kPieceBytes));
      }
      if (status.ok()) status = on.transfers.Commit(upload, kNow);
      if (status.ok()) status = on.Put(bytes);
      EXPECT_TRUE(status.ok()) << status;
      good += status.ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(on.Held().blobs, 1u);
  EXPECT_EQ(on.Held().bytes, bytes.size());
  EXPECT_THAT(Kinds(upkeep()), IsEmpty());
}

TEST_P(StoreContractTest, TheRoomOfAProjectIsBounded) {
  Handed on(*engine_);
  on.limits.project_bytes = 3 * TransferLimits::kRowBytes;
  on.limits.blob_bytes = 100;
  EXPECT_OK(on.Put("one"));
  EXPECT_OK(on.Append(UploadOf("two"), 0, ""));
  EXPECT_OK(on.Put("three"));
  EXPECT_EQ(Code(on.Put("four")), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Code(on.Append(UploadOf("five"), 0, "f")), absl::StatusCode::kOutOfRange);
  EXPECT_OK(on.Put("one")) << "it is there";
  EXPECT_OK(on.Put("four", "other")) << "other projects have rooms of their own";
  EXPECT_EQ(Code(on.Put(std::string(101, 'x'), "other")), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(on.Collect(kNow + TransferBlobs::kUploadStays).transfers, 1u) << "two";
  EXPECT_OK(on.Put("four"));
}

TEST_P(StoreContractTest, ThousandsOfUploadsThatAreLeftFillOnlyTheirProjectsRoom) {
  Handed on(*engine_);
  on.limits.project_bytes = 50 * TransferLimits::kRowBytes;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const absl::Status status = on.Append(UploadOf(absl::StrCat("text ", i)), 0, "t");
    if (absl::IsOutOfRange(status)) ++refused;
  }
  EXPECT_EQ(refused, 150);
  EXPECT_OK(on.Put("a good one", "other"));
  EXPECT_EQ(on.Collect(kNow + TransferBlobs::kUploadStays).transfers, 50u);
  EXPECT_OK(on.Put("a good one"));
  EXPECT_EQ(on.Held().blobs, 2u);
}

TEST_P(StoreContractTest, WhatNobodyAsksForIsGoneAfterADay) {
  Handed on(*engine_);
  ASSERT_TRUE(on.Put("old").ok());
  ASSERT_TRUE(on.Put("asked for").ok());
  ASSERT_TRUE(on.Append(UploadOf("under way"), 0, "under").ok());
  const absl::Time later = kNow + absl::Hours(23);
  EXPECT_THAT(*on.transfers.FindMissing("sqlite", {DigestOf("asked for")}, later), IsEmpty());

  EXPECT_EQ(on.Collect(later, /*dry_run=*/true).transfers, 1u);
  EXPECT_EQ(on.Collect(later).transfers, 1u) << "the upload";
  EXPECT_EQ(on.Collect(kNow + absl::Hours(24), /*dry_run=*/true).transfers, 1u);
  const Collected collected = on.Collect(kNow + absl::Hours(24));
  EXPECT_EQ(collected.transfers, 1u);
  EXPECT_EQ(collected.transfer_bytes, 3u);
  EXPECT_FALSE(on.Has("old"));
  EXPECT_TRUE(on.Has("asked for"));
  EXPECT_EQ(on.Collect(later + absl::Hours(24)).transfers, 1u);
  EXPECT_EQ(on.Held().blobs, 0u);
  EXPECT_EQ(NumberOf(database(), "SELECT count(*) FROM transfer_piece"), 0);
}

TEST_P(StoreContractTest, LostPiecesAreFound) {
  Handed on(*engine_);
  ASSERT_TRUE(on.Put(LongText()).ok());
  home_->DamageRows("DELETE FROM transfer_piece WHERE first_byte = 0");
  EXPECT_EQ(Code(on.transfers.Read("sqlite", DigestOf(LongText()), LongText().size())),
            absl::StatusCode::kDataLoss);
  EXPECT_THAT(Kinds(upkeep()), ElementsAre("transfer.incomplete"));
  home_->DamageRows("DELETE FROM transfer_blob");
  EXPECT_THAT(Kinds(upkeep()),
              ElementsAre("transfer-piece.without-blob", "transfer-piece.without-blob",
                          "transfer-room.miscounted"));
}

}  // namespace

}  // namespace gprofhub::store
