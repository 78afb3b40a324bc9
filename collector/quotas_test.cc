#include "collector/quotas.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "collector/fair_pool.h"

namespace gprofhub::collector {

namespace {

TEST(QuotaFileTest, AProjectHasTheDefaultsWhereItHasNoValueOfItsOwn) {
  const auto file = ParseQuotas(R"({
    "defaults": {"calls_per_minute": 60, "bytes_per_hour": 1, "bytes_per_day": 2,
                 "stored_bytes": 3, "uploads": 4},
    "projects": {"acme/db": {"calls_per_minute": 600, "uploads": 0}}})");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Of("other"), (Quota{60, 1, 2, 3, 4}));
  EXPECT_EQ(file->Of("acme/db"), (Quota{600, 1, 2, 3, 0}));
}

TEST(QuotaFileTest, NothingIsLimitedByAnEmptyFile) {
  const auto file = ParseQuotas("{}");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Of("db"), Quota{});
}

TEST(QuotaFileTest, ErrorsNameTheField) {
  const auto expect = [](const char* json, const char* words) {
    const auto file = ParseQuotas(json);
    EXPECT_FALSE(file.ok()) << json;
    EXPECT_TRUE(absl::StrContains(file.status().message(), words)) << file.status();
  };
  expect("", "is not valid JSON");
  expect("[]", "file: must be an object");
  expect(R"({"default": {}})", "file.default: unknown field");
  expect(R"({"defaults": 1})", "defaults: must be an object");
  expect(R"({"defaults": {"calls": 1}})", "defaults.calls: unknown field");
  expect(R"({"defaults": {"uploads": -1}})", "defaults.uploads: must be an integer");
  expect(R"({"defaults": {"uploads": 1.5}})", "defaults.uploads: must be an integer");
  expect(R"({"defaults": {"uploads": 1e30}})", "defaults.uploads: must be an integer");
  expect(R"({"defaults": {"uploads": 9007199254740993}})", "from 0 (no limit)");
  expect(R"({"projects": {"db": {"uploads": "4"}}})", "projects.db.uploads: must be");
  expect(R"({"projects": []})", "projects: must be an object");
}

class QuotasTest : public testing::Test {
 protected:
  void Set(const Quota& defaults) { quotas_.Set({defaults, {}}); }

  // Begins an upload that lasts until the test ends it.
  absl::Status Begin(const std::string& project, uint64_t bytes) {
    upload_ = std::make_unique<Quotas::Upload>(quotas_);
    return upload_->Begin(project, bytes);
  }
  // An upload that arrives completely and is stored.
  absl::Status Upload(const std::string& project, uint64_t bytes) {
    Quotas::Upload upload(quotas_);
    absl::Status status = upload.Begin(project, bytes);
    if (status.ok()) status = upload.Receive(bytes);
    if (status.ok()) upload.Stored();
    return status;
  }

  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  uint64_t stored_ = 0;
  int asked_ = 0;
  Quotas quotas_{[this](const std::string&) -> absl::StatusOr<uint64_t> {
                   ++asked_;
                   return stored_;
                 },
                 [this] { return now_; }};
  std::unique_ptr<Quotas::Upload> upload_;
};

TEST_F(QuotasTest, WithoutAnyEverythingIsAllowed) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(quotas_.TakeCall("db").ok());
  EXPECT_TRUE(Upload("db", uint64_t{1} << 40).ok());
  EXPECT_EQ(asked_, 0);
}

TEST_F(QuotasTest, CallsAboveTheRateAreToldWhenToComeBack) {
  Set({.calls_per_minute = 60});
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(quotas_.TakeCall("db").ok());
  const absl::Status refused = quotas_.TakeCall("db");
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  ASSERT_EQ(ComeBackIn(refused), absl::Seconds(1));
  EXPECT_EQ(RefusalOf(refused), "quota_calls");
  EXPECT_TRUE(quotas_.TakeCall("other").ok());
  now_ += absl::Seconds(1);
  EXPECT_TRUE(quotas_.TakeCall("db").ok());
  EXPECT_FALSE(quotas_.TakeCall("db").ok());
}

TEST_F(QuotasTest, BytesOfAnHourAndOfADayAreBoundedEach) {
  Set({.bytes_per_hour = 3600, .bytes_per_day = 5000});
  EXPECT_TRUE(Upload("db", 3600).ok());
  EXPECT_EQ(ComeBackIn(Upload("db", 10)), absl::Seconds(10));
  now_ += absl::Hours(1);
  EXPECT_FALSE(Upload("db", 3000).ok()) << "the day's";
  EXPECT_TRUE(Upload("db", 1000).ok());
}

TEST_F(QuotasTest, AnUploadThatNeverFitsIsNotToldToComeBack) {
  Set({.bytes_per_hour = 1000});
  const absl::Status refused = Upload("db", 1001);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(ComeBackIn(refused), std::nullopt);
}

TEST_F(QuotasTest, WhatWasAnnouncedAndDidNotComeGoesBack) {
  Set({.bytes_per_hour = 1000});
  EXPECT_TRUE(Begin("db", 1000).ok());
  EXPECT_TRUE(upload_->Receive(100).ok());
  upload_ = nullptr;
  EXPECT_TRUE(Upload("db", 900).ok());
  EXPECT_FALSE(Upload("db", 1).ok());
}

TEST_F(QuotasTest, BytesThatNobodyAnnouncedCountToo) {
  Set({.bytes_per_hour = 1000});
  EXPECT_TRUE(Begin("db", 0).ok());
  EXPECT_TRUE(upload_->Receive(1000).ok());
  EXPECT_FALSE(upload_->Receive(1).ok());
}

TEST_F(QuotasTest, BytesOutsideOfUploadsCountToo) {
  Set({.bytes_per_hour = 1000, .uploads = 1});
  EXPECT_TRUE(quotas_.TakeBytes("db", 400).ok());
  EXPECT_TRUE(quotas_.TakeBytes("db", 400).ok()) << "they need no place";
  EXPECT_TRUE(ComeBackIn(quotas_.TakeBytes("db", 400)).has_value());
  EXPECT_TRUE(quotas_.TakeBytes("other", 400).ok());
  EXPECT_TRUE(Upload("db", 200).ok());
  EXPECT_FALSE(Upload("db", 200).ok());
}

TEST_F(QuotasTest, RowsOfCallsCountAsStored) {
  Set({.bytes_per_hour = 5000, .stored_bytes = 1000});
  EXPECT_TRUE(quotas_.Charge("db", 600).ok());
  const absl::Status refused = quotas_.Charge("db", 600);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(ComeBackIn(refused), std::nullopt);
  EXPECT_FALSE(Upload("db", 600).ok());
  EXPECT_TRUE(quotas_.Charge("other", 600).ok());
  stored_ = 0;  // the invocation has ended
  now_ += absl::Minutes(1);
  EXPECT_TRUE(quotas_.Charge("db", 600).ok());
  Set({.bytes_per_hour = 700});
  EXPECT_TRUE(ComeBackIn(quotas_.Charge("db", 600)).has_value());
}

TEST_F(QuotasTest, UploadsAtOneTimeAreBounded) {
  Set({.uploads = 1});
  EXPECT_TRUE(Begin("db", 1).ok());
  EXPECT_TRUE(ComeBackIn(Upload("db", 1)).has_value());
  EXPECT_TRUE(Upload("other", 1).ok());
  upload_ = nullptr;
  EXPECT_TRUE(Upload("db", 1).ok());
}

TEST_F(QuotasTest, StoredBytesAreBoundedForGood) {
  Set({.stored_bytes = 1000});
  stored_ = 400;
  EXPECT_TRUE(Upload("db", 600).ok());
  const absl::Status refused = Upload("db", 1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(ComeBackIn(refused), std::nullopt);
  EXPECT_TRUE(Upload("db", 0).ok()) << "nothing new";
  EXPECT_EQ(asked_, 1);
  stored_ = 200;  // runs were deleted
  now_ += absl::Minutes(1);
  EXPECT_TRUE(Upload("db", 800).ok());
  EXPECT_EQ(asked_, 2);
}

TEST_F(QuotasTest, AnUploadThatIsNotStoredTakesNoRoom) {
  Set({.stored_bytes = 1000});
  EXPECT_TRUE(Begin("db", 1000).ok());
  upload_ = nullptr;
  EXPECT_TRUE(Upload("db", 1000).ok());
}

TEST_F(QuotasTest, NewValuesHoldAtOnceAndWhatWasUsedStaysUsed) {
  Set({.calls_per_minute = 10});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(quotas_.TakeCall("db").ok());
  Set({.calls_per_minute = 12});
  EXPECT_TRUE(quotas_.TakeCall("db").ok());
  EXPECT_TRUE(quotas_.TakeCall("db").ok());
  EXPECT_FALSE(quotas_.TakeCall("db").ok());
  Set({});
  EXPECT_TRUE(quotas_.TakeCall("db").ok());
}

TEST_F(QuotasTest, AFloodOfProjectsMakesNobodyForgotten) {
  Set({.calls_per_minute = 1});
  EXPECT_TRUE(quotas_.TakeCall("busy").ok());
  for (int i = 0; i < 5000; ++i) {
    EXPECT_TRUE(quotas_.TakeCall(std::to_string(i)).ok());
    EXPECT_FALSE(quotas_.TakeCall(std::to_string(i)).ok());
  }
  EXPECT_FALSE(quotas_.TakeCall("busy").ok());
}

}  // namespace

}  // namespace gprofhub::collector
