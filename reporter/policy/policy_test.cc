#include "reporter/policy/policy.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParsePolicyTest, ReadsEveryField) {
  const auto policy = ParsePolicy(R"({
    "version": 1,
    "comment_above_percent": 2.5,
    "gates": [
      {"name": "ignore tests' own helpers", "functions": ["test_*"], "fails": false},
      {"name": "hot", "targets": ["//db:*"], "functions": ["json*", "sqlite3Vdbe*"],
       "metrics": ["calls", "instructions"], "verdicts": ["regressed", "new"],
       "min_cpu_percent": 0.1, "min_calls_percent": 20, "min_effect_percent": 5}
    ],
    "acknowledged": [
      {"function": "jsonAppendChar", "target": "//db:query_test", "until": "2027-01-31",
       "reason": "the cache", "not_a_regression": true}
    ]
  })",
                                  "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->comment_above_percent, 2.5);
  ASSERT_EQ(policy->gates.size(), 2u);
  EXPECT_FALSE(policy->gates[0].fails);
  EXPECT_THAT(policy->gates[0].verdicts, ElementsAre(v1::Finding::REGRESSED));
  const GateRule& hot = policy->gates[1];
  EXPECT_EQ(hot.name, "hot");
  EXPECT_THAT(hot.targets, ElementsAre("//db:*"));
  EXPECT_THAT(hot.functions, ElementsAre("json*", "sqlite3Vdbe*"));
  EXPECT_THAT(hot.metrics, ElementsAre(v1::Finding::CALLS, v1::Finding::INSTRUCTIONS));
  EXPECT_THAT(hot.verdicts, ElementsAre(v1::Finding::REGRESSED, v1::Finding::NEW));
  EXPECT_EQ(hot.min_cpu_percent, 0.1);
  EXPECT_EQ(hot.min_calls_percent, 20);
  EXPECT_EQ(policy->gates[0].min_calls_percent, std::nullopt);
  EXPECT_EQ(hot.min_effect_percent, 5);
  EXPECT_TRUE(hot.fails);
  ASSERT_EQ(policy->acknowledged.size(), 1u);
  const store::AcknowledgementRecord& said = policy->acknowledged[0];
  EXPECT_EQ(said.function, "jsonAppendChar");
  EXPECT_EQ(said.target, "//db:query_test");
  EXPECT_EQ(said.reason, "the cache");
  EXPECT_TRUE(said.not_a_regression);
  EXPECT_EQ(said.pull_request, "");
  EXPECT_EQ(said.expires, absl::FromCivil(absl::CivilDay(2027, 2, 1), absl::UTCTimeZone()))
      << "the day named is the last one";
}

TEST(ParsePolicyTest, SaysWhoOwnsWhat) {
  const auto policy = ParsePolicy(R"({"version": 1, "owners": [
      {"files": ["/db/"], "functions": ["json*"], "owners": ["@acme/db", "ada@acme.example"]},
      {"files": ["*"], "owners": ["@acme/all"]}]})",
                                  "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->owners.size(), 2u);
  EXPECT_THAT(policy->owners[0].files, ElementsAre("/db/"));
  EXPECT_THAT(policy->owners[0].functions, ElementsAre("json*"));
  EXPECT_THAT(policy->owners[0].owners, ElementsAre("@acme/db", "ada@acme.example"));
  EXPECT_EQ(ParsePolicy(R"({"version": 1, "owners": [{"files": ["*"]}]})", "p").status().message(),
            "p: owners[0].owners: must not be empty");
  EXPECT_EQ(
      ParsePolicy(R"({"version": 1, "owners": [{"owners": ["@x"]}]})", "p").status().message(),
      "p: owners[0]: must have files or functions");
}

TEST(ParsePolicyTest, SaysWhatAnOrderingIsMadeFrom) {
  const auto policy = ParsePolicy(R"({"version": 1, "ordering": {
      "workloads": [{"target": "//load:*", "weight": 5}, {"target": "//fuzz/*", "weight": 0}],
      "exclude": ["fake::*"], "history": 20, "half_life_days": 14}})",
                                  "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  const OrderingPolicy& ordering = policy->ordering;
  ASSERT_EQ(ordering.workloads.size(), 2u);
  EXPECT_EQ(ordering.workloads[0].target, "//load:*");
  EXPECT_EQ(ordering.workloads[0].weight, 5);
  EXPECT_EQ(ordering.workloads[1].weight, 0);
  EXPECT_EQ(ordering.exclude, std::vector<std::string>{"fake::*"});
  EXPECT_FALSE(ordering.with_tests);
  EXPECT_EQ(ordering.history, 20u);
  EXPECT_EQ(ordering.half_life_days, 14);
}

TEST(ParsePolicyTest, WhatIsNotSaidIsTheDefault) {
  const auto policy = ParsePolicy(R"({"version": 1})", "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->gates.size(), DefaultPolicy().gates.size());
  const auto none = ParsePolicy(R"({"version": 1, "gates": []})", "p.json");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->gates.empty()) << "nothing fails";
}

TEST(ParsePolicyTest, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "p.json: byte 1: this is no JSON"},
      {"{\"version\": 1,}", "p.json: byte 15: this is no JSON"},
      {"[]", "p.json: must be an object"},
      {"{}", "p.json: version: must be 1"},
      {R"({"version": 2})", "p.json: version: must be 1"},
      {R"({"version": 1.0})", "p.json: version: must be 1"},
      {R"({"version": 1, "gate": []})", "p.json: gate: is no field; there are acknowledged, "},
      {R"({"version": 1, "version": 1})", "p.json: version: is there twice"},
      {R"({"version": 1, "gates": {}})", "p.json: gates: must be a list"},
      {R"({"version": 1, "gates": [{}]})", "p.json: gates[0].name: is missing"},
      {R"({"version": 1, "gates": [{"name": ""}]})", "p.json: gates[0].name: must be a text"},
      {R"({"version": 1, "gates": [{"name": "a"}, 5]})", "p.json: gates[1]: must be an object"},
      {R"({"version": 1, "gates": [{"name": "a"}, {"name": "a"}]})",
       "p.json: gates[1].name: is the name of another rule"},
      {R"({"version": 1, "gates": [{"name": "a", "metrics": ["speed"]}]})",
       "p.json: gates[0].metrics[0]: must be one of calls, self_time"},
      {R"({"version": 1, "gates": [{"name": "a", "verdicts": []}]})",
       "p.json: gates[0].verdicts: must not be empty"},
      {R"({"version": 1, "gates": [{"name": "a", "functions": [1]}]})",
       "p.json: gates[0].functions[0]: must be a text"},
      {R"({"version": 1, "gates": [{"name": "a", "min_cpu_percent": -1}]})",
       "p.json: gates[0].min_cpu_percent: must be a number from 0 to 100"},
      {R"({"version": 1, "gates": [{"name": "a", "min_calls_percent": 101}]})",
       "p.json: gates[0].min_calls_percent: must be a number from 0 to 100"},
      {R"({"version": 1, "gates": [{"name": "a", "min_calls_percent": null}]})",
       "p.json: gates[0].min_calls_percent: must be a number from 0 to 100"},
      {R"({"version": 1, "gates": [{"name": "a", "fails": 1}]})",
       "p.json: gates[0].fails: must be true or false"},
      {R"({"version": 1, "comment_above_percent": 1e999})", "p.json: a number is out of range"},
      {R"({"version": 1, "acknowledged": [{"function": "f", "reason": "r"}]})",
       "p.json: acknowledged[0].until: is missing"},
      {R"({"version": 1, "acknowledged": [{"function": "f", "until": "2027-01-31"}]})",
       "p.json: acknowledged[0].reason: is missing"},
      {R"({"version": 1, "acknowledged": [{"function": "f", "reason": "r", "until": "soon"}]})",
       "p.json: acknowledged[0].until: must be a day"},
      {R"({"version": 1, "ordering": []})", "p.json: ordering: must be an object"},
      {R"({"version": 1, "ordering": {"history": 0}})",
       "p.json: ordering.history: must be a whole number from 1 to 100"},
      {R"({"version": 1, "ordering": {"workloads": [{"weight": 2}]}})",
       "p.json: ordering.workloads[0].target: is missing"},
      {R"({"version": 1, "ordering": {"workloads": [{"target": "//a", "weight": -1}]}})",
       "p.json: ordering.workloads[0].weight: must be a number from 0 to"},
      {"{\"version\": 1, \"\\u001b[31m\": 1}", "p.json: <U+001B>[31m: is no field"},
  };
  for (const auto& [text, message] : cases) {
    const absl::Status status = ParsePolicy(text, "p.json").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << text;
  }
}

TEST(ParsePolicyTest, RefusesWhatIsTooLong) {
  EXPECT_FALSE(ParsePolicy(std::string((1 << 20) + 1, ' '), "p.json").ok());
  std::string many = R"({"version": 1, "gates": [)";
  for (int i = 0; i < 1001; ++i) {
    absl::StrAppend(&many, i == 0 ? "" : ",", R"({"name": "r)", i, R"("})");
  }
  EXPECT_FALSE(ParsePolicy(many + "]}", "p.json").ok());
}

TEST(ParsePolicyTest, NamesTheJobThatIsStartedAgain) {
  EXPECT_EQ(DefaultPolicy().rerun_job, "");
  const auto policy = ParsePolicy(R"({"version": 1, "rerun": {"job": "profiled tests"}})", "f");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->rerun_job, "profiled tests");
  for (const char* bad :
       {R"({"version": 1, "rerun": {}})", R"({"version": 1, "rerun": "job"})",
        R"({"version": 1, "rerun": {"job": ""}})", R"({"version": 1, "rerun": {"job": 5}})",
        R"({"version": 1, "rerun": {"job": "x", "jobs": []}})"}) {
    EXPECT_EQ(ParsePolicy(bad, "f").status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
