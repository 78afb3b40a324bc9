// The subcommands as a user types them: against a server in this process, and
// on local files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/worker.h"
#include "cli/changes_command.h"
#include "cli/diff_command.h"
#include "cli/listing_command.h"
#include "cli/order_command.h"
#include "cli/report_command.h"
#include "cli/runs_command.h"
#include "cli/serve/grpc_server.h"
#include "cli/serve/query_service.h"
#include "cli/trend_command.h"
#include "profile/elf_symbols.h"
#include "profile/sha256.h"
#include "profile/symbol_bundle.h"
#include "store/store.h"

namespace gprofhub {
namespace {

namespace fs = std::filesystem;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);
// Built from testdata/parser.c: next is called 10 and 80 times.
constexpr char kBefore[] = "cli/testdata/before";
constexpr char kAfter[] = "cli/testdata/after";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return bytes.str();
}

struct Result {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Result RunCommand(const std::vector<std::string>& words) {
  CLI::App app("gprofhub");
  app.require_subcommand(1);
  CommandMain run;
  AddRunsCommand(app, run);
  AddReportCommand(app, run);
  AddDiffCommand(app, run);
  AddTrendCommand(app, run);
  AddChangesCommand(app, run);
  AddListingCommand(app, run);
  AddOrderCommand(app, run);
  Result result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    result.exit_code = run();
  } catch (const CLI::ParseError&) {
    result.exit_code = kExitUsage;
  }
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

fs::path EmptyFolder() {
  const fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

// ---- Against a server ----

class ServerCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = EmptyFolder();
    auto store = OpenStore("sqlite:" + folder_.string());
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    authorizer_ = std::make_unique<Authorizer>(*store_);
    service_ = std::make_unique<QueryService>(*store_, *authorizer_);
    auto server = GrpcServer::Start({"127.0.0.1", 0}, {service_.get()});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  void Upload(const std::string& program, char commit, const std::string& base) {
    const auto symbols = ReadElfSymbols(program);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    const Blob gmon = MakeBlob(ReadFile(program + ".gmon"));
    const Blob bundle = MakeBlob(EncodeSymbolBundle(*symbols));
    NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = std::string("run-") + commit;
    execution.run.commit = std::string(40, commit);
    execution.run.branch = base.empty() ? "main" : "feature";
    execution.run.base_commit = base;
    execution.run.pull_request = base.empty() ? "" : "12";
    execution.run.configuration = "k8-opt";
    execution.run.started = kNow + absl::Seconds(commit);
    execution.run.committed = execution.run.started;
    execution.execution.target = "//:parser_test";
    execution.execution.status = "PASSED";
    execution.profiles = {{"gmon.1", symbols->build_id, gmon.name}};
    execution.images = {{symbols->build_id, bundle.name}};
    execution.blobs = {gmon, bundle};
    const auto recorded = store_->RecordExecution(execution, kNow);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  void Analyze() {
    WorkerOptions options;
    options.name = "test";
    Worker worker(*store_, options);
    for (absl::StatusOr<bool> more = true; more.ok() && *more;) more = worker.RunOnce();
  }

  void UploadBoth() {
    Upload(kBefore, 'a', "");
    Upload(kAfter, 'b', std::string(40, 'a'));
    Analyze();
  }

  Result Run(std::vector<std::string> words) {
    words.push_back("--server");
    words.push_back(server_->address().ToString());
    return RunCommand(words);
  }

  static Blob MakeBlob(std::string bytes) { return {Sha256Hex(bytes), std::move(bytes)}; }

  fs::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<QueryService> service_;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(ServerCommandTest, RunsListsWhatWasUploaded) {
  UploadBoth();
  const Result table = Run({"runs"});
  EXPECT_EQ(table.exit_code, kExitOk) << table.err;
  EXPECT_NE(table.out.find("bbbbbbbbbbbb"), std::string::npos) << table.out;
  const Result waited = Run({"runs", "--wait=5", "--format=json"});
  EXPECT_EQ(waited.exit_code, kExitOk) << waited.err;
  EXPECT_EQ(waited.err, "analysed 2 of 2 targets in 2 runs\n");
  const auto json = nlohmann::json::parse(waited.out);
  EXPECT_EQ(json["runs"][0]["jobs_done"], 1);
  EXPECT_EQ(json["runs"][0]["targets"][0]["state"], "analyzed");
}

TEST_F(ServerCommandTest, WaitGivesUpInTheEnd) {
  Upload(kBefore, 'a', "");
  const Result waited = Run({"runs", "--wait=0"});
  EXPECT_EQ(waited.exit_code, kExitUnavailable);
  EXPECT_NE(waited.err.find("is a worker running"), std::string::npos) << waited.err;
  const Result none = Run({"runs", "--wait", "--project", "other"});
  EXPECT_EQ(none.exit_code, kExitNotFound);
}

TEST_F(ServerCommandTest, ReportNamesTheArcToBlame) {
  UploadBoth();
  const Result json = Run({"report", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["compared"]["baseline_reason"], "merge base");
  const auto& cause = report["findings"][0];
  EXPECT_EQ(cause["function"], "next");
  EXPECT_EQ(cause["caller"], "parse");
  EXPECT_EQ(cause["before"], 10);
  EXPECT_EQ(cause["after"], 80);
  // The call is in line 16; glibc's gmon rounds its address down to 16 bytes.
  EXPECT_GE(cause["site"]["line"], 14);
  EXPECT_LE(cause["site"]["line"], 16);
  EXPECT_EQ(cause["follows"], nlohmann::json::array({"read_token"}));

  const Result markdown = Run({"report", "bbbbbbb", "--format=markdown"});
  EXPECT_EQ(markdown.out.find("<!-- gprofhub:default -->\n**gprofhub: 1 change costs about "), 0u)
      << markdown.out;
}

TEST_F(ServerCommandTest, ReportFailsOnWhatItIsToldTo) {
  UploadBoth();
  EXPECT_EQ(Run({"report", "--fail-on=regressed", "--fail-above=0"}).exit_code, kExitFailure);
  EXPECT_EQ(Run({"report", "--fail-on=improved", "--fail-above=0"}).exit_code, kExitOk);
  EXPECT_EQ(Run({"report", "--fail-on=nonsense"}).exit_code, kExitUsage);
}

TEST_F(ServerCommandTest, DiffTakesTwoRuns) {
  UploadBoth();
  const Result result = Run({"diff", "bbbbbbb", "aaaaaaa", "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["findings"][0]["verdict"], "improved");
  EXPECT_EQ(report["compared"]["baseline_reason"], "given");
  EXPECT_EQ(Run({"diff", "ccccccc", "aaaaaaa"}).exit_code, kExitNotFound);
}

TEST_F(ServerCommandTest, TrendFollowsAFunction) {
  UploadBoth();
  const Result csv = Run({"trend", "next", "--format=csv"});
  ASSERT_EQ(csv.exit_code, kExitOk) << csv.err;
  EXPECT_NE(csv.out.find(",main,1,10,"), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find(",feature,2,80,"), std::string::npos) << csv.out;
  EXPECT_EQ(Run({"trend", "absent"}).exit_code, kExitNotFound);
}

TEST_F(ServerCommandTest, ChangesNamesTheCommitAndTheArc) {
  for (const char commit : {'a', 'b', 'c'}) Upload(kBefore, commit, "");
  for (const char commit : {'d', 'e'}) Upload(kAfter, commit, "");
  Upload(kAfter, 'f', std::string(40, 'a'));  // a pull request
  Analyze();
  const Result json = Run({"changes", "--format=json"});
  ASSERT_EQ(json.exit_code, kExitOk) << json.err;
  const auto changes = nlohmann::json::parse(json.out);
  EXPECT_EQ(changes["schema"], 1);
  EXPECT_EQ(changes["branch"], "main");
  EXPECT_EQ(changes["runs"], 5);
  ASSERT_EQ(changes["events"].size(), 1u) << json.out;
  const auto& event = changes["events"][0];
  EXPECT_EQ(event["commit"], std::string(40, 'd'));
  EXPECT_EQ(event["last_before"]["commit"], std::string(40, 'c'));
  EXPECT_EQ(event["function"], "next");
  EXPECT_EQ(event["caller"], "parse");
  EXPECT_EQ(event["before"], 10);
  EXPECT_EQ(event["after"], 80);
  EXPECT_EQ(event["exact"], true);
  EXPECT_EQ(event["confirmed"], true);
  EXPECT_EQ(event["following_functions"], 1);
  EXPECT_EQ(event["targets"], nlohmann::json::array({"//:parser_test"}));

  const Result text = Run({"changes", "--target", "//:parser_test"});
  EXPECT_EQ(text.out.find("1 change in 5 runs of main, configuration k8-opt\n"), 0u) << text.out;
  EXPECT_NE(text.out.find("dddddddddddd, run 4  (after cccccccccccc)\n  + next  ["),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("1 other function changed here"), std::string::npos) << text.out;
  EXPECT_EQ(Run({"changes", "--branch", "absent"}).exit_code, kExitNotFound);
  EXPECT_EQ(Run({"changes", "--limit", "1"}).exit_code, kExitUsage);

  const Result trend = Run({"trend", "next"});
  EXPECT_NE(trend.out.find("  <- calls\n"), std::string::npos) << trend.out;
}

TEST_F(ServerCommandTest, ListingPrintsTheMergedProfile) {
  UploadBoth();
  const Result flat = Run({"listing", "aaaaaaa", "--flat", "--brief"});
  ASSERT_EQ(flat.exit_code, kExitOk) << flat.err;
  EXPECT_EQ(flat.out.rfind("Flat profile:", 0), 0u) << flat.out;
  EXPECT_NE(flat.out.find("read_token"), std::string::npos);
  const Result graph = Run({"listing", "--graph", "--brief"});
  EXPECT_NE(graph.out.find("parse"), std::string::npos) << graph.err;
  EXPECT_NE(graph.out.find("80"), std::string::npos);
  EXPECT_EQ(Run({"listing", "--target", "//:other"}).exit_code, kExitNotFound);
}

TEST_F(ServerCommandTest, OrderNamesTheFunctions) {
  UploadBoth();
  const std::string file = (folder_ / "order.txt").string();
  const Result result = Run({"order", "--output", file});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const std::string order = ReadFile(file);
  for (const char* name : {"\nparse\n", "\nnext\n", "\nread_token\n"}) {
    EXPECT_NE(order.find(name), std::string::npos) << order;
  }
  EXPECT_EQ(Run({"order", "--output", "/nonexistent/order.txt"}).exit_code, kExitUnavailable);
}

TEST_F(ServerCommandTest, OrderTakesRunsOfSeveralCommitsTogether) {
  Upload(kBefore, 'a', "");                   // 10 calls
  Upload(kAfter, 'b', "");                    // 80 calls
  Upload(kAfter, 'c', std::string(40, 'b'));  // a pull request
  Upload(kBefore, 'd', "");
  Analyze();
  const auto calls = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"order", "--format=lld-call-graph"});
    const Result result = Run(words);
    EXPECT_EQ(result.exit_code, kExitOk) << result.err;
    return result.out;
  };
  EXPECT_THAT(calls({}), testing::HasSubstr("parse next 10\n"));
  EXPECT_THAT(calls({"bbbbbbb", "--history=9"}), testing::HasSubstr("parse next 90\n"))
      << "what is newer is no history";
  EXPECT_THAT(calls({"--history=2"}), testing::HasSubstr("parse next 90\n"));
  EXPECT_THAT(calls({"--history=3", "--half-life=7"}), testing::HasSubstr("parse next 100\n"));
  EXPECT_THAT(calls({"ccccccc", "bbbbbbb", "bbbbbbb"}), testing::HasSubstr("parse next 160\n"));
  EXPECT_EQ(calls({"--exclude", "next"}).find("next"), std::string::npos);
}

TEST_F(ServerCommandTest, OrderWeighsTargetsAsThePolicyFileSays) {
  UploadBoth();
  const std::string policy = (folder_ / "policy.json").string();
  std::ofstream(policy) << R"({"version": 1, "ordering": {"history": 5, "workloads": [
      {"target": "//:parser*", "weight": 0}]}})";
  const Result none = Run({"order", "--policy", policy});
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.err, testing::HasSubstr("no function is left to order"));
  EXPECT_EQ(Run({"order", "--policy", policy, "--weight", "//:parser_test=2"}).exit_code, kExitOk);
  EXPECT_EQ(Run({"order", "--history=101"}).exit_code, kExitUsage);
}

TEST_F(ServerCommandTest, WhatTheServerRefusesIsSaidInItsWords) {
  UploadBoth();
  const Result run = Run({"report", "99"});
  EXPECT_EQ(run.exit_code, kExitNotFound);
  EXPECT_EQ(
      run.err,
      "gprofhub: project \"default\" has no run \"99\"; `gprofhub runs` lists what there is\n");
  const Result function = Run({"trend", "a"});
  EXPECT_EQ(function.exit_code, kExitFailure);
  EXPECT_THAT(function.err,
              testing::StartsWith("gprofhub: function \"a\" is ambiguous; it may be one of\n  "));
}

TEST_F(ServerCommandTest, ATokenIsAskedForOnceThereIsOne) {
  UploadBoth();
  const auto token = MakeToken(*store_, "default", "test", kNow);
  ASSERT_TRUE(token.ok()) << token.status();
  const Result refused = Run({"report"});
  EXPECT_EQ(refused.exit_code, kExitUnavailable);
  EXPECT_NE(refused.err.find("--token-file"), std::string::npos) << refused.err;
  const std::string file = (folder_ / "token").string();
  std::ofstream(file) << token->token << "\n";
  EXPECT_EQ(Run({"report", "--token-file", file}).exit_code, kExitOk);
}

TEST(Commands, SayHowToStartAServerThatIsNotThere) {
  const Result result = RunCommand({"runs", "--server", "127.0.0.1:1"});
  EXPECT_EQ(result.exit_code, kExitUnavailable);
  EXPECT_NE(result.err.find("start one with `gprofhub serve`"), std::string::npos) << result.err;
}

// ---- On local files ----

// A folder with a run in each of `runs` folders; with the program in each.
fs::path RunsFolder(const std::string& name, const std::string& program, int runs) {
  const fs::path folder = fs::path(testing::TempDir()) /
                          testing::UnitTest::GetInstance()->current_test_info()->name() / name;
  for (int i = 0; i < runs; ++i) {
    const fs::path run = folder / absl::StrCat("run", i);
    fs::create_directories(run);
    fs::copy_file(program, run / "program");
    fs::copy_file(program + ".gmon", run / "gmon.out.17");
  }
  return folder;
}

TEST(LocalDiff, TakesFoldersWithARunEach) {
  EmptyFolder();
  const fs::path before = RunsFolder("before", kBefore, 3);
  const fs::path after = RunsFolder("after", kAfter, 2);
  const Result result = RunCommand({"diff", before, after, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["compared"]["base"]["executions"], 3);
  EXPECT_EQ(report["findings"][0]["function"], "next");
  EXPECT_EQ(report["findings"][0]["before"], 10);
  EXPECT_EQ(report["findings"][0]["after"], 80);
  EXPECT_EQ(report["findings"][0]["exact"], true);
}

TEST(LocalDiff, MarksWhatLiesInThePatch) {
  EmptyFolder();
  const fs::path before = RunsFolder("before", kBefore, 1);
  const fs::path after = RunsFolder("after", kAfter, 1);
  const Result plain = RunCommand({"diff", before, after, "--format=json"});
  ASSERT_EQ(plain.exit_code, kExitOk) << plain.err;
  const auto site = nlohmann::json::parse(plain.out)["findings"][0]["site"];
  const std::string file = site["file"], line = absl::StrCat(site["line"].get<uint32_t>());
  const fs::path patch = after / "change.patch";
  std::ofstream(patch) << "diff --git a/" << file << " b/" << file << "\n--- a/" << file
                       << "\n+++ b/" << file << "\n@@ -" << line << " +" << line
                       << " @@\n-old\n+new\n";
  const Result result = RunCommand({"diff", before, after, "--format=json", "--patch", patch});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_EQ(nlohmann::json::parse(plain.out)["findings"][0]["in_diff"], false);
  EXPECT_EQ(nlohmann::json::parse(result.out)["findings"][0]["in_diff"], true);
  EXPECT_EQ(RunCommand({"diff", before, after, "--patch", after / "absent"}).exit_code,
            kExitNotFound);
}

TEST(LocalDiff, EqualSidesHaveNoChangedCounts) {
  EmptyFolder();
  const fs::path before = RunsFolder("before", kBefore, 1);
  const Result result = RunCommand({"diff", before, before, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  for (const auto& finding : nlohmann::json::parse(result.out)["findings"]) {
    EXPECT_NE(finding["metric"], "calls");
  }
}

TEST(LocalDiff, TakesSingleProfilesWithTheirProgram) {
  const std::string gmon = std::string(kBefore) + ".gmon";
  const Result result = RunCommand({"diff", gmon, gmon, "--image", kBefore});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_EQ(RunCommand({"diff", gmon, gmon}).exit_code, kExitNotFound) << "no program";
}

TEST(LocalDiff, RefusesAProfileOfAnotherProgram) {
  const fs::path folder = EmptyFolder();
  fs::copy_file(std::string(kBefore) + ".gmon", folder / "gmon.out");
  fs::copy_file("/bin/true", folder / "program");
  const Result result = RunCommand({"diff", folder, folder});
  EXPECT_EQ(result.exit_code, kExitFailure);
  EXPECT_NE(result.err.find("program"), std::string::npos) << result.err;
}

TEST(LocalDiff, SaysWhatIsMissing) {
  const fs::path folder = EmptyFolder();
  EXPECT_EQ(RunCommand({"diff", folder, folder}).exit_code, kExitNotFound);
  const Result one = RunCommand({"diff", folder, folder / "absent"});
  EXPECT_EQ(one.exit_code, kExitNotFound);
  EXPECT_NE(one.err.find("absent is no file or folder"), std::string::npos) << one.err;
}

TEST(LocalDiff, CountsAProcessThatLeftARecordingAndAGmonFileOnce) {
  const fs::path folder = EmptyFolder() / "recorded";
  fs::create_directories(folder);
  for (const char* name : {"recorded", "recorded.gmon", "recorded.recording"}) {
    fs::copy_file(fs::path("cli/testdata") / name, folder / name);
  }
  const Result result =
      RunCommand({"diff", std::string(kBefore) + ".gmon", folder, "--format=json"});
  EXPECT_EQ(result.exit_code, kExitNotFound) << "the base has no program beside it";
  const fs::path before = RunsFolder("before", kBefore, 1);
  const Result both = RunCommand({"diff", before, folder, "--format=json"});
  ASSERT_EQ(both.exit_code, kExitOk) << both.err;
  const auto report = nlohmann::json::parse(both.out);
  EXPECT_EQ(report["findings"][0]["function"], "next");
  EXPECT_EQ(report["findings"][0]["after"], 80);
}

TEST(LocalDiff, TakesSharedObjectsGmonFilesForWhatTheRecordingSays) {
  const fs::path folder = EmptyFolder() / "shared";
  fs::create_directories(folder);
  for (const char* name : {"shared.gmon", "shared.library.gmon", "shared.recording"}) {
    fs::copy_file(fs::path("cli/testdata") / name, folder / name);
  }
  const Result order = RunCommand({"order", folder, "--image", "cli/testdata/shared"});
  EXPECT_EQ(order.exit_code, kExitOk) << order.err;
  EXPECT_THAT(order.out, testing::HasSubstr("\nmain\n"));
}

TEST(LocalDiff, SaysWhichProgramARecordingWants) {
  const fs::path folder = EmptyFolder();
  fs::copy_file("cli/testdata/recorded.recording", folder / "recording");
  fs::copy_file("/bin/true", folder / "recorded");
  const Result result = RunCommand({"diff", folder, folder});
  EXPECT_EQ(result.exit_code, kExitNotFound);
  EXPECT_NE(result.err.find("build-id"), std::string::npos) << result.err;
}

// A release in `folder` with a run of `program`.
void AddRelease(const fs::path& folder, const std::string& name, const std::string& program) {
  fs::create_directories(folder / name);
  fs::copy_file(program, folder / name / "program");
  fs::copy_file(program + ".gmon", folder / name / "gmon.out.17");
}

TEST(LocalChanges, TakesAFolderWithASubfolderPerRelease) {
  const fs::path folder = EmptyFolder();
  for (const char* name : {"1.0", "1.1", "1.2"}) AddRelease(folder, name, kBefore);
  for (const char* name : {"2.0", "2.1"}) AddRelease(folder, name, kAfter);
  // A release of two runs, and what is none.
  AddRelease(folder / "2.2", "run1", kAfter);
  AddRelease(folder / "2.2", "run2", kAfter);
  fs::create_directories(folder / "notes");
  const Result result = RunCommand({"changes", folder, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto changes = nlohmann::json::parse(result.out);
  EXPECT_EQ(changes["runs"], 6);
  ASSERT_EQ(changes["events"].size(), 1u) << result.out;
  EXPECT_EQ(changes["events"][0]["run_id"], "2.0");
  EXPECT_EQ(changes["events"][0]["last_before"]["run_id"], "1.2");
  EXPECT_EQ(changes["events"][0]["function"], "next");

  const Result newest = RunCommand({"changes", folder, "--limit=4", "--format=json"});
  EXPECT_EQ(nlohmann::json::parse(newest.out)["events"][0]["last_before"]["run_id"], "1.2");
  const Result text = RunCommand({"changes", folder});
  EXPECT_NE(text.out.find("\n2.0  (after 1.2)\n"), std::string::npos) << text.out;
}

TEST(LocalChanges, SaysWhatIsMissing) {
  const fs::path folder = EmptyFolder();
  const Result empty = RunCommand({"changes", folder});
  EXPECT_EQ(empty.exit_code, kExitNotFound);
  EXPECT_NE(empty.err.find("one subfolder per release"), std::string::npos) << empty.err;
  EXPECT_EQ(RunCommand({"changes", folder / "absent"}).exit_code, kExitNotFound);
  EXPECT_EQ(RunCommand({"changes", folder, "--branch", "main"}).exit_code, kExitUsage);
  fs::create_directories(folder / "1.0");
  fs::copy_file(std::string(kBefore) + ".gmon", folder / "1.0" / "gmon.out");
  EXPECT_EQ(RunCommand({"changes", folder}).exit_code, kExitNotFound) << "no program";
}

TEST(LocalOrder, TakesStacksOfProductionBesideAFolder) {
  const fs::path folder = EmptyFolder();
  const std::string runs = RunsFolder("before", kBefore, 1);
  const std::string stacks = (folder / "production.folded").string();
  std::ofstream(stacks) << "parser;main;parse;next 5\nparser;main;report_error 2\n";
  const Result mixed = RunCommand({"order", runs, stacks, "--weight", stacks + "=3", "--image",
                                   kBefore, "--format=lld-call-graph"});
  EXPECT_EQ(mixed.exit_code, kExitOk) << mixed.err;
  EXPECT_EQ(mixed.out.find("report_error"), std::string::npos) << "it is not in the program";
  EXPECT_THAT(mixed.out, testing::HasSubstr("parse next 15\n"));
  std::ofstream(stacks) << "app;main;f(int) x\n";
  const Result damaged = RunCommand({"order", stacks});
  EXPECT_EQ(damaged.exit_code, kExitNotFound) << damaged.err;
}

TEST(LocalOrder, GivesAnOrderingFileInAnotherFormat) {
  const std::string file = (EmptyFolder() / "app.order").string();
  ASSERT_EQ(RunCommand({"order", RunsFolder("before", kBefore, 1), "--output", file}).exit_code,
            kExitOk);
  const Result gold = RunCommand({"order", file, "--format=gold"});
  EXPECT_EQ(gold.exit_code, kExitOk) << gold.err;
  EXPECT_THAT(gold.out, testing::HasSubstr("\n.text.parse\n"));
}

// testdata/shop (sampled_profiles_test.cc) runs three small functions: side by side
// they lie in fewer cache lines than with two others between.
TEST(LocalOrder, SaysByItsExitCodeThatTheOrderInUseHasFallenBehind) {
  const fs::path folder = EmptyFolder();
  const std::string trace = (folder / "trace").string();
  const std::string near = (folder / "near.order").string();
  const std::string far = (folder / "far.order").string();
  std::ofstream(trace) << "I  109550,4\nI  1094c0,4\nI  1094e0,4\n";
  std::ofstream(near) << "_ZN4shop5NeverEv\n_ZN4shop4CartC1Ei\n_ZN4shop4CartD1Ev\n";
  std::ofstream(far) << "_ZN4shop5NeverEv\n_ZN4shop4WorkEi\n_ZN4shop4CartC1Ei\n"
                        "_ZN4shop4WorkEPKc\n_ZN4shop4CartD1Ev\n";
  const auto replay = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"order", "--replay", trace, "--binary", "cli/testdata/shop"};
    words.insert(words.end(), more.begin(), more.end());
    return RunCommand(words);
  };
  const Result behind = replay({far, near, "--max-drift", "l1i_misses=10"});
  EXPECT_EQ(behind.exit_code, kExitDrifted) << behind.err;
  EXPECT_THAT(behind.err, testing::HasSubstr("gprofhub: l1i_misses: " + far + " has 3, " + near));
  EXPECT_EQ(nlohmann::json::parse(behind.out)["orders"].size(), 2u);
  const Result ahead = replay({near, far, "--max-drift=l1i_misses=10", "--max-drift=pages=0"});
  EXPECT_EQ(ahead.exit_code, kExitOk) << ahead.err;
  EXPECT_EQ(replay({far, near, "--max-drift=l1i_misses=300"}).exit_code, kExitOk);
  const Result one = replay({near, "--max-drift=pages=5"});
  EXPECT_EQ(one.exit_code, kExitFailure);
  EXPECT_THAT(one.err, testing::HasSubstr("name the order in use, then the new one"));
}

TEST(LocalOrder, TakesNoMistypedFolderForARun) {
  const Result result = RunCommand({"order", "profils/"});
  EXPECT_EQ(result.exit_code, kExitNotFound);
  EXPECT_THAT(result.err, testing::HasSubstr("profils/ is no folder or file here"));
}

TEST(LocalOrder, OrdersObjectFilesByAMap) {
  const fs::path folder = EmptyFolder();
  const std::string runs = RunsFolder("before", kBefore, 1);
  const std::string map = (folder / "app.map").string();
  std::ofstream(map)
      << "unused.o:00000000 T unused\nparse.o:00000000 T next\nmain.o:         U next\n"
         "main.o:00000000 T main\n";
  const Result link = RunCommand({"order", runs, "--format=link", "--map", map});
  EXPECT_EQ(link.exit_code, kExitOk) << link.err;
  EXPECT_EQ(std::count(link.out.begin(), link.out.end(), '\n'), 3) << link.out;
  EXPECT_GT(link.out.find("unused.o"), link.out.find("parse.o")) << link.out;
  EXPECT_GT(link.out.find("unused.o"), link.out.find("main.o")) << link.out;
  EXPECT_EQ(RunCommand({"order", runs, "--format=link"}).exit_code, kExitFailure);
}

TEST(LocalOrder, TakesAFolder) {
  EmptyFolder();
  const Result result = RunCommand({"order", RunsFolder("before", kBefore, 1)});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_NE(result.out.find("\nnext\n"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace gprofhub
