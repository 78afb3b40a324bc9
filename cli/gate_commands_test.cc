// check, ack and stats as a user types them, against a server in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "profile/codec/computed.h"
#include "reporter/testing/profile_builder.h"
#include "store/testing/temp_store.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

class GateCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = EmptyTestFolder();
    server_ = CommandServer::Start(folder_);
    ASSERT_NE(server_, nullptr);
    Upload('a', "", 100);
  }

  // A run in which main calls a function `calls` times.
  void Upload(char commit, const std::string& pull_request, uint64_t calls,
              const std::string& function = "_Z5parsei", double samples = 5000) {
    reporter::ProfileBuilder builder;
    builder.Function("main", samples / 50, samples).Function(function, samples);
    builder.Arc("", "main", 1).Arc("main", function, calls, 34);
    const store::Blob gmon = store::MakeBlob("gmon");
    const store::Blob bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = std::string("run-") + commit;
    execution.run.commit = std::string(40, commit);
    execution.run.pull_request = pull_request;
    if (!pull_request.empty()) execution.run.base_commit = std::string(40, 'a');
    execution.run.configuration = "k8-opt";
    execution.run.started = kNow + absl::Seconds(commit);
    execution.execution.target = "//db:query_test";
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    const store::Store& store = server_->store();
    ASSERT_TRUE(store.ingest.RecordExecution(execution, kNow).ok());
    const auto job = store.jobs.Claim("worker", kNow, absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    const absl::Status done = store.jobs.Complete(
        **job, {store::MakeBlob(profile::EncodeComputedProfile(builder.Build())), {}}, kNow);
    ASSERT_TRUE(done.ok()) << done;
  }

  CommandResult Run(const std::vector<std::string>& words) {
    return RunCommandLine({AddCheckCommand, AddAckCommand, AddStatsCommand}, server_->Asked(words));
  }

  std::string PolicyFile(const std::string& text) {
    const std::string path = (folder_ / "policy.json").string();
    std::ofstream(path) << text;
    return path;
  }

  fs::path folder_;
  std::unique_ptr<CommandServer> server_;
};

TEST_F(GateCommandTest, CheckPassesAndFailsByItsExitCode) {
  Upload('b', "12", 100);
  EXPECT_EQ(Run({"check"}).exit_code, 0);
  Upload('c', "12", 800);
  const CommandResult failed = Run({"check"});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.err;
  EXPECT_THAT(failed.out,
              HasSubstr("1 change fails the check; 1 test would be decided by 1 more run: gprofhub "
                        "rerun-list 3\n"));
  EXPECT_THAT(failed.out, HasSubstr("FAILS  more-work: "));
  EXPECT_THAT(failed.out, HasSubstr("parse(int)"));
  EXPECT_EQ(Run({"check", std::string(40, 'b')}).exit_code, 0);
}

TEST_F(GateCommandTest, WithoutABaseThereIsNothingToFail) {
  const CommandResult result = Run({"check"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing to compare with yet"));
}

TEST_F(GateCommandTest, ThePolicyFileDecides) {
  Upload('c', "12", 800);
  EXPECT_EQ(Run({"check", "--policy", PolicyFile(R"({"version": 1, "gates": []})")}).exit_code, 0);
  const CommandResult wrong =
      Run({"check", "--policy", PolicyFile(R"({"version": 1, "gate": []})")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("policy.json: gate: unknown field"));
  EXPECT_EQ(Run({"check", "--policy", (folder_ / "gone.json").string()}).exit_code, 2);
  EXPECT_EQ(Run({"check", "--format=xml"}).exit_code, 2);
}

TEST_F(GateCommandTest, JsonSaysWhatIsGated) {
  Upload('c', "12", 800);
  const CommandResult result = Run({"check", "--format=json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["conclusion"], "failure");
  ASSERT_FALSE(json["gated"].empty());
  const auto& gated = json["gated"][0];
  EXPECT_EQ(gated["rule"], "more-work");
  EXPECT_EQ(gated["finding"]["function"], "_Z5parsei");
  EXPECT_EQ(gated["finding"]["target"], "//db:query_test");
  EXPECT_EQ(gated["finding"]["before"], 100);
  EXPECT_EQ(gated["finding"]["after"], 800);
  EXPECT_GT(gated["finding"]["impact"], 0.01);
  EXPECT_TRUE(gated["acknowledged"].is_null());
}

TEST_F(GateCommandTest, AnAcknowledgedChangePasses) {
  Upload('c', "#12", 800);
  EXPECT_EQ(
      Run({"ack", "parse*", "--reason", "no", "--pull-request", "13", "--author", "x"}).exit_code,
      0);
  EXPECT_EQ(Run({"check"}).exit_code, 1) << "that was for another pull request";
  const CommandResult said = Run({"ack", "parse(int)", "--reason", "the new syntax",
                                  "--pull-request", "12", "--author", "somebody"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("acknowledgement 2 expires on "));
  const CommandResult passed = Run({"check"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out;
  EXPECT_THAT(passed.out, HasSubstr("by somebody: the new syntax"));
  const auto json = nlohmann::json::parse(Run({"check", "--format=json"}).out);
  EXPECT_EQ(json["gated"][0]["acknowledged"]["reason"], "the new syntax");
  const CommandResult list = Run({"ack", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("parse(int), somebody: the new syntax"));
  const auto listed = nlohmann::json::parse(Run({"ack", "--list", "--format=json"}).out);
  ASSERT_EQ(listed["acknowledgements"].size(), 2u);
  const auto& one = listed["acknowledgements"][listed["acknowledgements"][0]["id"] == 2 ? 0 : 1];
  EXPECT_EQ(one["function"], "parse(int)");
  EXPECT_EQ(one["pull_request"], "12");
  EXPECT_EQ(one["reason"], "the new syntax");
  EXPECT_EQ(one["not_a_regression"], false);
  EXPECT_TRUE(one["until"].is_string());
  EXPECT_EQ(Run({"ack", "f", "--reason", "r", "--format=json"}).exit_code, 2)
      << "it prints no list";
}

TEST_F(GateCommandTest, AnAcknowledgementNeedsAFunctionAndAReason) {
  EXPECT_EQ(Run({"ack", "f"}).exit_code, 2);
  EXPECT_EQ(Run({"ack", "--reason", "because"}).exit_code, 2);
  EXPECT_EQ(Run({"ack", "f", "--reason", "because", "--expires-days", "0"}).exit_code, 2);
}

TEST_F(GateCommandTest, WhatACheckGatedCountsOnce) {
  EXPECT_THAT(Run({"stats"}).out, HasSubstr("Nothing was gated yet."));
  Upload('c', "#12", 800);
  EXPECT_EQ(Run({"check"}).exit_code, 1);
  EXPECT_EQ(Run({"check"}).exit_code, 1);
  EXPECT_EQ(
      Run({"ack", "parse*", "--reason", "noise", "--pull-request", "12", "--not-a-regression"})
          .exit_code,
      0);
  const auto json = nlohmann::json::parse(Run({"stats", "--format=json"}).out);
  ASSERT_EQ(json["rules"].size(), 1u);
  EXPECT_EQ(json["rules"][0]["rule"], "more-work");
  EXPECT_EQ(json["rules"][0]["gated"], 1);
  EXPECT_EQ(json["rules"][0]["not_a_regression"], 1);
  // The reporter counts the same for the same pull request.
  const auto gated = server_->store().gate.ListGated("default");
  ASSERT_TRUE(gated.ok()) << gated.status();
  ASSERT_EQ(gated->size(), 1u);
  EXPECT_EQ(gated->front().pull_request, "12");
  EXPECT_EQ(gated->front().function, "_Z5parsei");
}

TEST_F(GateCommandTest, StatsShowTheRateOfFalseAlarms) {
  const store::GatedRecord gated = {"default",   "12",         "slower", "//db:query_test",
                                    "_Z5parsei", "parse(int)", 1};
  store::GatedRecord other = gated;
  other.function = other.function_display = "main";
  ASSERT_TRUE(server_->store().gate.AddGated({gated, other}).ok());
  EXPECT_EQ(Run({"ack", "parse(int)", "--reason", "noise", "--not-a-regression"}).exit_code, 0);
  const CommandResult text = Run({"stats"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("50.0%"));
  const auto json = nlohmann::json::parse(Run({"stats", "--format=json"}).out);
  EXPECT_EQ(json["rules"][0]["rule"], "slower");
  EXPECT_EQ(json["rules"][0]["gated"], 2);
  EXPECT_EQ(json["rules"][0]["not_a_regression"], 1);
  EXPECT_EQ(json["rules"][0]["false_alarm_rate"], 0.5);
  EXPECT_EQ(json["rerun_requests"], 0);
}

TEST_F(GateCommandTest, StatsCountHowOftenPeopleAskedForARerun) {
  store::RerunRequestRecord asked;
  asked.project = "default";
  asked.pull_request = "12";
  asked.commit = std::string(40, 'a');
  asked.run_id = 1;
  asked.author = "ada";
  asked.source = "comment/1";
  asked.created = kNow;
  ASSERT_TRUE(server_->store().gate.AddRerunRequest(asked).ok());
  EXPECT_THAT(Run({"stats"}).out, HasSubstr("0 tests in 0 runs; requested by people 1 time.\n"));
  EXPECT_EQ(nlohmann::json::parse(Run({"stats", "--format=json"}).out)["rerun_requests"], 1);
}

// Built from testdata/parser.c: next is called 10 and 80 times.
TEST_F(GateCommandTest, LocalProfilesNeedNoServer) {
  server_->Stop();
  std::vector<std::string> sides;
  for (const std::string& name : {std::string("before"), std::string("after")}) {
    const fs::path side = folder_ / name;
    fs::create_directories(side);
    fs::copy_file("cli/testdata/" + name, side / name);
    fs::copy_file("cli/testdata/" + name + ".gmon", side / (name + ".gmon"));
    sides.push_back(side.string());
  }
  const std::string policy =
      PolicyFile(R"({"version": 1, "gates": [{"name": "any", "min_cpu_percent": 0}]})");
  const CommandResult result =
      Run({"check", sides[1], "--base", sides[0], "--format=json", "--policy", policy});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(json.is_object()) << result.err;
  EXPECT_EQ(json["gated"][0]["rule"], "any");
  EXPECT_EQ(json["gated"][0]["finding"]["function"], "next");
  EXPECT_EQ(Run({"check", sides[1], "--base", "gone"}).exit_code, kExitNotFound);
}

TEST_F(GateCommandTest, ASymbolThatIsNotUtf8FailsAsOthersDo) {
  Upload('b', "12", 100, "caf\xE9");
  Upload('c', "12", 800, "caf\xE9");
  const CommandResult failed = Run({"check", "--base", std::string(40, 'b')});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("caf<0xE9>"));
  EXPECT_EQ(Run({"ack", "caf<0xE9>", "--reason", "new", "--pull-request", "12"}).exit_code, 0);
  EXPECT_EQ(Run({"check", "--base", std::string(40, 'b')}).exit_code, 0);
}

TEST_F(GateCommandTest, WithoutSamplesThePolicySaysWhetherCallsFail) {
  Upload('b', "12", 100, "f", 0);
  Upload('c', "12", 800, "f", 0);
  const std::vector<std::string> check = {"check", "--base", std::string(40, 'b'), "--format=json"};
  const CommandResult passed = Run(check);
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_EQ(nlohmann::json::parse(passed.out)["unsampled"], 1);
  std::vector<std::string> with_policy = check;
  with_policy.insert(with_policy.end(), {"--policy", PolicyFile(R"({"version": 1, "gates": [
      {"name": "calls", "min_calls_percent": 5}]})")});
  const CommandResult failed = Run(with_policy);
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.err;
  const auto gated = nlohmann::json::parse(failed.out)["gated"][0];
  EXPECT_TRUE(gated["finding"]["impact"].is_null());
  EXPECT_GT(gated["finding"]["share_of_calls"], 0.05);
}

}  // namespace

}  // namespace gprofhub::cli
