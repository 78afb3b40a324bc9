// Contract tests: gated findings and their acknowledgements.
#include <gmock/gmock.h>

#include <string>

#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

AcknowledgementRecord MakeAcknowledgement() {
  AcknowledgementRecord record;
  record.project = "sqlite";
  record.pull_request = "17";
  record.function = "json*";
  record.target = "//db:query_test";
  record.author = "somebody";
  record.reason = "the new cache needs it; 'quoted' \xE2\x82\xAC";
  record.not_a_regression = true;
  record.created = kNow;
  record.expires = kNow + absl::Hours(24);
  record.source = "comment/1";
  return record;
}

TEST_P(StoreContractTest, KeepsEveryFieldOfAnAcknowledgement) {
  const AcknowledgementRecord given = MakeAcknowledgement();
  const absl::StatusOr<int64_t> id = store_->gate.AddAcknowledgement(given, kSomebody);
  ASSERT_TRUE(id.ok()) << id.status();
  const auto records = store_->gate.ListAcknowledgements("sqlite");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_THAT(*records, SizeIs(1));
  const AcknowledgementRecord& record = records->front();
  EXPECT_EQ(record.id, *id);
  EXPECT_EQ(record.project, given.project);
  EXPECT_EQ(record.pull_request, given.pull_request);
  EXPECT_EQ(record.function, given.function);
  EXPECT_EQ(record.target, given.target);
  EXPECT_EQ(record.author, given.author);
  EXPECT_EQ(record.reason, given.reason);
  EXPECT_TRUE(record.not_a_regression);
  EXPECT_EQ(record.created, given.created);
  EXPECT_EQ(record.expires, given.expires);
  EXPECT_EQ(record.source, given.source);
  EXPECT_THAT(*store_->gate.ListAcknowledgements("other"), IsEmpty());
}

TEST_P(StoreContractTest, AnAcknowledgementMayNeverExpire) {
  AcknowledgementRecord record = MakeAcknowledgement();
  record.expires = absl::InfiniteFuture();
  EXPECT_OK(store_->gate.AddAcknowledgement(record, kSomebody));
  EXPECT_EQ(store_->gate.ListAcknowledgements("sqlite")->front().expires, absl::InfiniteFuture());
}

TEST_P(StoreContractTest, WhatWasSaidOnceIsKeptOnce) {
  AcknowledgementRecord record = MakeAcknowledgement();
  const int64_t id = *store_->gate.AddAcknowledgement(record, kSomebody);
  record.reason = "edited since";
  EXPECT_EQ(*store_->gate.AddAcknowledgement(record, kSomebody), id);
  EXPECT_EQ(store_->gate.ListAcknowledgements("sqlite")->front().reason,
            MakeAcknowledgement().reason);
  record.source = "comment/2";
  EXPECT_NE(*store_->gate.AddAcknowledgement(record, kSomebody), id);
  EXPECT_THAT(*store_->gate.ListAcknowledgements("sqlite"), SizeIs(2));
}

TEST_P(StoreContractTest, AnAcknowledgementWithoutAReasonIsAnInvalidArgument) {
  AcknowledgementRecord record = MakeAcknowledgement();
  record.reason = "";
  EXPECT_EQ(Code(store_->gate.AddAcknowledgement(record, kSomebody)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(*store_->gate.ListAcknowledgements("sqlite"), IsEmpty());
}

TEST_P(StoreContractTest, GatedFindingsAreKeptOnceEach) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const int64_t later = Record(*store_, MakeExecution("run-2")).run_id;
  const GatedRecord first = {"sqlite",   "17",     "more-work", "//db:query_test",
                             "_Z4jsonv", "json()", run_id};
  GatedRecord again = first;
  again.run_id = later;
  GatedRecord elsewhere = first;
  elsewhere.pull_request = "18";
  elsewhere.run_id = later;
  EXPECT_OK(store_->gate.AddGated({first}));
  EXPECT_OK(store_->gate.AddGated({elsewhere, again, again}));
  const auto records = store_->gate.ListGated("sqlite");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_THAT(*records, SizeIs(2));
  EXPECT_EQ((*records)[0].pull_request, "17");
  EXPECT_EQ((*records)[0].rule, "more-work");
  EXPECT_EQ((*records)[0].target, "//db:query_test");
  EXPECT_EQ((*records)[0].function, "_Z4jsonv");
  EXPECT_EQ((*records)[0].function_display, "json()");
  EXPECT_EQ((*records)[0].run_id, run_id);
  EXPECT_EQ((*records)[1].pull_request, "18");
  EXPECT_THAT(*store_->gate.ListGated("other"), IsEmpty());
}

TEST_P(StoreContractTest, TheLongestTextsOfAGatedFindingFit) {
  const int64_t run_id = Record(*store_, MakeExecution()).run_id;
  const std::string longest(1000, 'x');
  EXPECT_OK(
      store_->gate.AddGated({{longest, longest, longest, longest, longest, longest, run_id}}));
  EXPECT_THAT(*store_->gate.ListGated(longest), SizeIs(1));
}

}  // namespace

}  // namespace gprofhub::store
