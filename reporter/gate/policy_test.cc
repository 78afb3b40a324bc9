#include "reporter/gate/policy.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Owners(absl::string_view text, absl::string_view path) {
  return OwnersOfFile(ParseCodeOwners(text), path);
}

// Patterns from GitHub's documentation.
TEST(OwnerPatternMatches, ReadsGitHubsPatterns) {
  EXPECT_TRUE(OwnerPatternMatches("*", "a/b/c.cc"));
  EXPECT_TRUE(OwnerPatternMatches("*.js", "a/b/c.js"));
  EXPECT_FALSE(OwnerPatternMatches("*.js", "a/b/c.jsx"));
  EXPECT_TRUE(OwnerPatternMatches("/build/logs/", "build/logs/x/y.txt"));
  EXPECT_FALSE(OwnerPatternMatches("/build/logs/", "sub/build/logs/y.txt"));
  EXPECT_FALSE(OwnerPatternMatches("/build/logs/", "build/logs"));
  EXPECT_TRUE(OwnerPatternMatches("docs/*", "docs/getting-started.md"));
  EXPECT_FALSE(OwnerPatternMatches("docs/*", "docs/build-app/troubleshooting.md"));
  EXPECT_TRUE(OwnerPatternMatches("apps/", "deep/apps/x.cc"));
  EXPECT_TRUE(OwnerPatternMatches("/docs/", "docs/a/b.md"));
  EXPECT_TRUE(OwnerPatternMatches("/scripts/", "scripts/x"));
  EXPECT_TRUE(OwnerPatternMatches("**/logs", "build/logs/x"));
  EXPECT_TRUE(OwnerPatternMatches("**/logs", "deeply/nested/logs"));
  EXPECT_TRUE(OwnerPatternMatches("/apps/github", "apps/github/x"));
  EXPECT_TRUE(OwnerPatternMatches("table/format.cc", "table/format.cc"));
  EXPECT_FALSE(OwnerPatternMatches("table/format.cc", "x/table/format.cc"));
  EXPECT_TRUE(OwnerPatternMatches("a/**/b", "a/b"));
  EXPECT_TRUE(OwnerPatternMatches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(OwnerPatternMatches("a/**/b", "a/xb"));
  EXPECT_TRUE(OwnerPatternMatches("/a/?.cc", "a/b.cc"));
}

TEST(OwnerPatternMatches, TakesNoTimeForPatternsMadeToTakeIt) {
  std::string pattern, path;
  while (pattern.size() < 240) pattern += "**/";
  while (path.size() < 120) path += "a/";
  EXPECT_FALSE(OwnerPatternMatches(absl::StrCat(pattern, "b"), absl::StrCat(path, "c")));
  std::string stars;
  while (stars.size() < 240) stars += "*a";
  EXPECT_FALSE(OwnerPatternMatches(absl::StrCat(stars, "b"), std::string(5000, 'a')));
}

TEST(CodeOwners, TheLastMatchWins) {
  const char* const text =
      "# everything\n* @acme/all\n\n*.cc\t@ada  # C++\n/table/ @acme/tables table@acme.example\n"
      "/table/generated/\r\n";
  EXPECT_THAT(Owners(text, "README.md"), ElementsAre("@acme/all"));
  EXPECT_THAT(Owners(text, "db/x.cc"), ElementsAre("@ada"));
  EXPECT_THAT(Owners(text, "table/x.cc"), ElementsAre("@acme/tables", "table@acme.example"));
  EXPECT_THAT(Owners(text, "table/generated/x.cc"), IsEmpty()) << "nobody's";
}

TEST(CodeOwners, EachOfGitLabsSectionsHasItsOwners) {
  const char* const text =
      "* @root\n[Database][2] @db-team\n/db/\n/db/json/ @json\n!/db/generated/\n"
      "^[documentation]\n*.md @docs\n[DATABASE]\n/store/ @store\n";
  EXPECT_THAT(Owners(text, "db/a.cc"), ElementsAre("@root", "@db-team"));
  EXPECT_THAT(Owners(text, "db/json/a.md"), ElementsAre("@root", "@json", "@docs"));
  EXPECT_THAT(Owners(text, "db/generated/a.cc"), ElementsAre("@root"));
  EXPECT_THAT(Owners(text, "store/a.cc"), ElementsAre("@root", "@store"));
}

TEST(CodeOwners, APatternMayHaveBlanks) {
  EXPECT_THAT(Owners("/a\\ b/ @x", "a b/c"), ElementsAre("@x"));
}

TEST(CodeOwners, OnlyOwnersAreOwners) {
  EXPECT_THAT(Owners("* @a,@everyone [x](http://evil) <b>@b</b> `@c` @ plain @ok @d\x1b[2J", "f"),
              ElementsAre("@ok"));
  EXPECT_THAT(Owners(absl::StrCat("* @", std::string(500, 'a')), "f"), IsEmpty());
}

TEST(CodeOwners, BoundsWhatItKeeps) {
  std::string many;
  for (int i = 0; i < 30000; ++i) absl::StrAppend(&many, "/f", i, " @x\n");
  EXPECT_THAT(ParseCodeOwners(many).sections[0].entries, SizeIs(20000));
  std::string wide = "*";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&wide, " @x", i);
  EXPECT_THAT(Owners(wide, "f"), SizeIs(20));
  EXPECT_THAT(ParseCodeOwners(std::string(4 << 20, '*')).sections[0].entries, IsEmpty());
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

TEST(ParseStrictly, RefusesAFieldThatIsThereTwice) {
  EXPECT_TRUE(ParseStrictly(R"([{"a": 1}, {"a": 2}])", "f").ok());
  const absl::Status twice = ParseStrictly(R"({"x": {"a": 1, "b": 2, "a": 3}})", "f").status();
  EXPECT_EQ(twice.message(), "f: a: is there twice in one object");
  EXPECT_EQ(ParseStrictly("{", "f").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(JsonReader, KeepsTheFirstError) {
  JsonReader reader("f");
  reader.Fail("a", "is bad");
  reader.Fail("b", "is worse");
  EXPECT_EQ(reader.status().message(), "f: a: is bad");
}

TEST(JsonReader, WhatIsNotThereHasItsDefault) {
  JsonReader reader("f");
  const Json object = Json::object();
  EXPECT_EQ(reader.Number(object, "", "n", 10, 7), 7);
  EXPECT_TRUE(reader.Boolean(object, "", "b", true));
  EXPECT_THAT(reader.Texts(object, "", "t"), IsEmpty());
  EXPECT_EQ(reader.List(object, "", "l"), nullptr);
  EXPECT_TRUE(reader.status().ok());
}

TEST(JsonReader, NamesThePlace) {
  JsonReader reader("f");
  EXPECT_THAT(reader.Texts(Json{{"t", {"a", 5}}}, "g[2].", "t"), ElementsAre("a", ""));
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("f: g[2].t[1]: must be a text"));
}

TEST(JsonReader, BoundsNumbersAndTexts) {
  for (const Json& bad : {Json(-1), Json(11), Json("5")}) {
    JsonReader reader("f");
    EXPECT_EQ(reader.Number(Json{{"n", bad}}, "", "n", 10, 7), 7);
    EXPECT_FALSE(reader.status().ok()) << bad;
  }
  for (const std::string& bad : {std::string(), std::string(1001, 'a'), std::string(1, '\0')}) {
    JsonReader reader("f");
    reader.Text(Json(bad), "t");
    EXPECT_FALSE(reader.status().ok()) << bad.size();
  }
}

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
      {R"({"version": 1, "gate": []})", "p.json: gate: unknown field; did you mean \"gates\"?"},
      {R"({"version": 1, "limit": []})", "p.json: limit: unknown field; known are acknowledged, "},
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
      {"{\"version\": 1, \"\\u001b[31m\": 1}", "p.json: <U+001B>[31m: unknown field"},
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Finding At(const std::string& file, const std::string& function = "_Z5parsei") {
  v1::Finding finding;
  finding.set_function(function);
  finding.set_function_display("parse(int)");
  finding.mutable_site()->set_file(file);
  return finding;
}

TEST(OwnersOf, ThePolicyGoesBeforeCodeOwners) {
  const CodeOwners file = ParseCodeOwners("* @all\n/db/ @db\n");
  Policy policy;
  EXPECT_THAT(OwnersOf(policy, file, At("db/x.cc")), ElementsAre("@db"));
  EXPECT_THAT(OwnersOf(policy, file, At("./db/x.cc")), ElementsAre("@db"));
  EXPECT_THAT(OwnersOf(policy, file, At("")), IsEmpty());
  policy.owners = {{{"/db/json/"}, {"parse*"}, {"@json"}}, {{}, {"_Z4next*"}, {"@next"}}};
  EXPECT_THAT(OwnersOf(policy, file, At("db/json/x.cc")), ElementsAre("@json"));
  EXPECT_THAT(OwnersOf(policy, file, At("db/x.cc")), ElementsAre("@db"))
      << "file and function must fit";
  EXPECT_THAT(OwnersOf(policy, file, At("", "_Z4nextv")), ElementsAre("@next"));
}

}  // namespace

}  // namespace gprofhub::reporter
