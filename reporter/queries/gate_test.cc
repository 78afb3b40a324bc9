#include "reporter/queries/gate.h"

#include <gtest/gtest.h>

#include "store/testing/temp_store.h"

namespace gprofhub::reporter {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

class GateHandlersTest : public testing::Test {
 protected:
  void SetUp() override {
    request_.set_project("acme/db");
    v1::Acknowledgement& said = *request_.mutable_acknowledgement();
    said.set_pull_request("17");
    said.set_function("json*");
    said.set_target("//db:query_test");
    said.set_author("somebody");
    said.set_reason("the cache");
    said.set_not_a_regression(true);
    said.set_expires_unix_ms(absl::ToUnixMillis(kNow + absl::Hours(1)));
  }

  const store::Store store_ = store::MakeTempStore();
  v1::AcknowledgeRequest request_;
};

TEST_F(GateHandlersTest, AnAcknowledgementIsKeptAndListed) {
  const auto made = Acknowledge(store_.gate, request_, {}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->created_unix_ms(), absl::ToUnixMillis(kNow));
  v1::ListAcknowledgementsRequest list;
  list.set_project("acme/db");
  const auto listed = ListAcknowledgements(store_.gate, list);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->acknowledgements_size(), 1);
  EXPECT_EQ(listed->acknowledgements(0).SerializeAsString(), made->SerializeAsString());
  const store::AcknowledgementRecord record = ToRecord(listed->acknowledgements(0));
  EXPECT_EQ(record.function, "json*");
  EXPECT_EQ(record.expires, kNow + absl::Hours(1));
}

TEST_F(GateHandlersTest, WhoSaysItIsWhoCallsWhateverTheRequestSays) {
  const auto made = Acknowledge(store_.gate, request_, {"ci (token 3)", "192.0.2.7:1", 3}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->author(), "ci (token 3)");
  EXPECT_EQ(store_.gate.ListAcknowledgements("acme/db")->front().author, "ci (token 3)");
  EXPECT_EQ(store_.gate.ListAcknowledgements("acme/db")->front().token_id, 3);
}

TEST_F(GateHandlersTest, OnlyWhoSaidItOrAnAdminTakesItBack) {
  const store::Actor ci = {"ci (token 3)", "192.0.2.7:1", 3};
  const auto made = Acknowledge(store_.gate, request_, ci, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  v1::TakeBackAcknowledgementRequest request;
  request.set_project("acme/db");
  request.set_id(made->id() + 1);
  const auto take_back = [&](const store::Actor& by, bool anybodys) {
    return TakeBackAcknowledgement(store_.gate, request, by, anybodys, kNow);
  };
  EXPECT_TRUE(absl::IsNotFound(take_back(ci, true).status()));
  request.set_id(made->id());
  EXPECT_TRUE(absl::IsPermissionDenied(take_back({"other (token 4)", "", 4}, false).status()));
  EXPECT_TRUE(absl::IsPermissionDenied(take_back({"an ID token", "", 0}, false).status()));
  const auto taken = take_back(ci, false);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->taken_back_by(), "ci (token 3)");
  EXPECT_EQ(taken->taken_back_unix_ms(), absl::ToUnixMillis(kNow));
  v1::ListAcknowledgementsRequest list;
  list.set_project("acme/db");
  EXPECT_EQ(ListAcknowledgements(store_.gate, list)->acknowledgements_size(), 0);
  list.set_with_taken_back(true);
  EXPECT_EQ(ListAcknowledgements(store_.gate, list)->acknowledgements_size(), 1);

  request_.mutable_acknowledgement()->set_function("another");
  request.set_id(Acknowledge(store_.gate, request_, ci, kNow)->id());
  EXPECT_TRUE(take_back({"admin (token 5)", "", 5}, true).ok());
}

TEST_F(GateHandlersTest, ZeroIsNever) {
  request_.mutable_acknowledgement()->set_expires_unix_ms(0);
  const auto made = Acknowledge(store_.gate, request_, {}, kNow);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->expires_unix_ms(), 0);
  EXPECT_EQ(ToRecord(*made).expires, absl::InfiniteFuture());
}

TEST_F(GateHandlersTest, WhatIsOverOrSaysNothingIsRefused) {
  v1::AcknowledgeRequest over = request_;
  over.mutable_acknowledgement()->set_expires_unix_ms(absl::ToUnixMillis(kNow));
  EXPECT_TRUE(absl::IsInvalidArgument(Acknowledge(store_.gate, over, {}, kNow).status()));
  v1::AcknowledgeRequest silent = request_;
  silent.mutable_acknowledgement()->clear_reason();
  EXPECT_TRUE(absl::IsInvalidArgument(Acknowledge(store_.gate, silent, {}, kNow).status()));
}

TEST_F(GateHandlersTest, OnlyRunsOfTheProjectAreCounted) {
  v1::RecordGatedRequest request;
  request.set_project("acme/db");
  request.set_run("1");
  request.add_gated()->set_rule("more-work");
  EXPECT_TRUE(absl::IsNotFound(RecordGated(store_.reading, store_.gate, request).status()));
  for (int i = 0; i < 10'000; ++i) request.add_gated();
  EXPECT_TRUE(absl::IsInvalidArgument(RecordGated(store_.reading, store_.gate, request).status()));
}

TEST_F(GateHandlersTest, WithoutReportsThereAreNoStats) {
  v1::GetGateStatsRequest request;
  request.set_project("acme/db");
  const auto stats = GetGateStats(store_.reading, store_.gate, request);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->rules_size(), 0);
}

}  // namespace
}  // namespace gprofhub::reporter
