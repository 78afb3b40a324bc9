#include "collector/access/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RefusalsTest : public testing::Test {
 protected:
  void Note(const std::string& method, const std::string& who = "") {
    refusals_->Note({"", "192.0.2.7:4711", method}, {who, "", 0},
                    absl::PermissionDeniedError("it may not"));
  }
  std::vector<store::AuditRecord> Log() { return *store_.audit.List({}); }

  const store::Store store_ = store::MakeTempStore();
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  std::unique_ptr<Refusals> refusals_ =
      std::make_unique<Refusals>(store_.audit, [this] { return now_; });
};

TEST_F(RefusalsTest, TheFirstIsLoggedAtOnce) {
  Note("Upload", "ci (token 3)");
  ASSERT_THAT(Log(), SizeIs(1));
  EXPECT_EQ(Log()[0].action, "refused");
  EXPECT_EQ(Log()[0].subject, "Upload");
  EXPECT_EQ(Log()[0].actor, "ci (token 3)");
  EXPECT_EQ(Log()[0].origin, "192.0.2.7:4711");
  EXPECT_EQ(Log()[0].detail, "1 call, PERMISSION_DENIED: it may not");
}

TEST_F(RefusalsTest, AFloodIsOneRowAMinute) {
  Note("Upload");
  for (int i = 0; i < 10'000; ++i) Note("Upload");
  EXPECT_THAT(Log(), SizeIs(1));
  now_ += Refusals::kInterval;
  Note("Upload");
  ASSERT_THAT(Log(), SizeIs(2));
  EXPECT_THAT(Log()[1].detail, HasSubstr("10001 calls"));
}

TEST_F(RefusalsTest, AFloodOfDifferentKindsIsBoundedToo) {
  Note("Upload");
  for (int i = 0; i < 1'000; ++i) Note(absl::StrCat("method ", i));
  now_ += Refusals::kInterval;
  Note("Upload");
  ASSERT_THAT(Log(), SizeIs(1 + Refusals::kMostKinds + 1));
  uint64_t others = 0;
  for (const store::AuditRecord& record : Log()) {
    if (record.subject == "others") others += record.detail.starts_with("971 calls") ? 1 : 100;
  }
  EXPECT_EQ(others, 1u) << "970 methods and the last call";
}

TEST_F(RefusalsTest, WhatIsLeftIsLoggedAtTheEnd) {
  Note("Upload");
  Note("ListRuns");
  refusals_.reset();
  ASSERT_THAT(Log(), SizeIs(2));
  EXPECT_EQ(Log()[1].subject, "ListRuns");
}

}  // namespace
}  // namespace gprofhub::collector
