// `gprofhub order`, with runs on a server and with local files.
#include "cli/order/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/client/output.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

TEST(ParseWeights, TakesAFactorBehindTheLastEqualsSign) {
  const auto weights = ParseWeights({"//db:*=2", "a=b/=0.5", "none=0"});
  ASSERT_TRUE(weights.ok()) << weights.status();
  ASSERT_EQ(weights->size(), 3u);
  EXPECT_EQ((*weights)[0].target, "//db:*");
  EXPECT_EQ((*weights)[0].weight, 2);
  EXPECT_EQ((*weights)[1].target, "a=b") << "a folder's slash does not count";
  EXPECT_EQ((*weights)[1].weight, 0.5);
  EXPECT_EQ((*weights)[2].weight, 0);
}

TEST(ParseWeights, RefusesWhatIsNoFactor) {
  for (const std::string text : {"x", "x=", "x=-1", "x=nan", "x=1e7", "x=y"}) {
    const absl::Status status = ParseWeights({text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--weight=" + text));
  }
}

TEST(FormatOrdering, HasAFormatForEachLinkerAndForPeople) {
  const std::vector<std::string> names = {"_Z5parsev", "main"};
  EXPECT_EQ(FormatOrdering(names, "text", "").value(), "1\tparse()\n2\tmain\n");
  EXPECT_THAT(FormatOrdering(names, "lld", "").value(), HasSubstr("\n_Z5parsev\nmain\n"));
  EXPECT_THAT(FormatOrdering(names, "gold", "").value(), HasSubstr(".text._Z5parsev\n"));
  EXPECT_THAT(FormatOrdering(names, "gnu-ld", "").value(), HasSubstr("*(.text._Z5parsev"));
  EXPECT_FALSE(FormatOrdering(names, "lld", "/nonexistent/program").ok());
}

TEST(FormatObjectFiles, OrdersFilesByTheirFirstFunction) {
  const std::string map = (EmptyTestFolder() / "map").string();
  ASSERT_TRUE(WriteFile(map,
                        "a.o:00000000 T first\nb.o:00000000 T second\n"
                        "c.o:00000000 T unused\n")
                  .ok());
  EXPECT_EQ(FormatObjectFiles({"second", "first"}, map).value(), "b.o\na.o\nc.o\n");
  EXPECT_EQ(FormatObjectFiles({}, "/nonexistent/map").status().code(), absl::StatusCode::kNotFound);
}

TEST(ReadOrdering, DoesNotMixFoldersWithAServersRuns) {
  OrderSource source;
  source.sources = {EmptyTestFolder().string(), "latest"};
  const absl::Status status = ReadOrdering(source).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be combined with local"));
}

namespace fs = std::filesystem;

TEST(PathOfLabel, IsBelowTheNearestWorkspaceAbove) {
  const fs::path folder = EmptyTestFolder();
  fs::create_directories(folder / "inner/deep");
  for (const char* marker : {"WORKSPACE", "inner/MODULE.bazel"}) {
    ASSERT_TRUE(WriteFile((folder / marker).string(), "").ok());
  }
  EXPECT_EQ(PathOfLabel("//a/b:c.order", (folder / "inner/deep").string()).value(),
            (folder / "inner/a/b/c.order").string());
  EXPECT_EQ(PathOfLabel("//:c.order", folder.string()).value(), (folder / "c.order").string());
}

TEST(PathOfLabel, LeadsOutOfNoWorkspace) {
  const std::string folder = EmptyTestFolder().string();
  for (const char* label : {"a/b:c", "//a/b", "//a/b:", "//../a:c", "//a:../../c", "@r//a:c", ""}) {
    EXPECT_EQ(PathOfLabel(label, folder).status().code(), absl::StatusCode::kInvalidArgument)
        << label;
  }
  EXPECT_EQ(PathOfLabel("//a:b", "/").status().code(), absl::StatusCode::kNotFound);
}

using ::testing::HasSubstr;
TEST_F(ParserRunsTest, OrderNamesTheFunctions) {
  UploadBoth();
  const std::string file = (folder_ / "order.txt").string();
  const CommandResult result = Run({"order", "--output", file});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const std::string order = ReadTestFile(file);
  for (const char* name : {"\nparse\n", "\nnext\n", "\nread_token\n"}) {
    EXPECT_NE(order.find(name), std::string::npos) << order;
  }
  EXPECT_EQ(Run({"order", "--output", "/nonexistent/order.txt"}).exit_code, kExitFailure);
}

TEST_F(ParserRunsTest, OrderTakesRunsOfSeveralCommitsTogether) {
  Upload(kParserBefore, 'a', "");                   // 10 calls
  Upload(kParserAfter, 'b', "");                    // 80 calls
  Upload(kParserAfter, 'c', std::string(40, 'b'));  // a pull request
  Upload(kParserBefore, 'd', "");
  server_->RunWorker();
  const auto calls = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"order", "--format=lld-call-graph"});
    const CommandResult result = Run(words);
    EXPECT_EQ(result.exit_code, kExitOk) << result.err;
    return result.out;
  };
  EXPECT_THAT(calls({}), HasSubstr("parse next 10\n"));
  EXPECT_THAT(calls({"bbbbbbb", "--history=9"}), HasSubstr("parse next 90\n"))
      << "what is newer is no history";
  EXPECT_THAT(calls({"--history=2"}), HasSubstr("parse next 90\n"));
  EXPECT_THAT(calls({"--history=3", "--half-life=7"}), HasSubstr("parse next 100\n"));
  EXPECT_THAT(calls({"ccccccc", "bbbbbbb", "bbbbbbb"}), HasSubstr("parse next 160\n"));
  EXPECT_EQ(calls({"--exclude", "next"}).find("next"), std::string::npos);
}

TEST_F(ParserRunsTest, OrderWeighsTargetsAsThePolicyFileSays) {
  UploadBoth();
  const std::string policy = (folder_ / "policy.json").string();
  std::ofstream(policy) << R"({"version": 1, "ordering": {"history": 5, "workloads": [
      {"target": "//:parser*", "weight": 0}]}})";
  const CommandResult none = Run({"order", "--policy", policy});
  EXPECT_EQ(none.exit_code, kExitNotFound);
  EXPECT_THAT(none.err, HasSubstr("no functions to order"));
  EXPECT_EQ(Run({"order", "--policy", policy, "--weight", "//:parser_test=2"}).exit_code, kExitOk);
  EXPECT_EQ(Run({"order", "--history=101"}).exit_code, kExitUsage);
}

TEST(LocalOrder, TakesStacksOfProductionBesideAFolder) {
  const fs::path folder = EmptyTestFolder();
  const std::string runs = RunsFolder("before", kParserBefore, 1);
  const std::string stacks = (folder / "production.folded").string();
  std::ofstream(stacks) << "parser;main;parse;next 5\nparser;main;report_error 2\n";
  const CommandResult mixed = AskForProfiles({"order", runs, stacks, "--weight", stacks + "=3",
                                              "--image", kParserBefore, "--format=lld-call-graph"});
  EXPECT_EQ(mixed.exit_code, kExitOk) << mixed.err;
  EXPECT_EQ(mixed.out.find("report_error"), std::string::npos) << "it is not in the program";
  EXPECT_THAT(mixed.out, HasSubstr("parse next 15\n"));
  std::ofstream(stacks) << "app;main;f(int) x\n";
  const CommandResult damaged = AskForProfiles({"order", stacks});
  EXPECT_EQ(damaged.exit_code, kExitNotFound) << damaged.err;
}

TEST(LocalOrder, GivesAnOrderingFileInAnotherFormat) {
  const std::string file = (EmptyTestFolder() / "app.order").string();
  ASSERT_EQ(
      AskForProfiles({"order", RunsFolder("before", kParserBefore, 1), "--output", file}).exit_code,
      kExitOk);
  const CommandResult gold = AskForProfiles({"order", file, "--format=gold"});
  EXPECT_EQ(gold.exit_code, kExitOk) << gold.err;
  EXPECT_THAT(gold.out, HasSubstr("\n.text.parse\n"));
}

// testdata/shop (sampled_profiles_test.cc) runs three small functions: adjacent, they occupy fewer
// cache lines than with two others between them.
TEST(LocalOrder, SaysByItsExitCodeThatTheOrderInUseHasFallenBehind) {
  const fs::path folder = EmptyTestFolder();
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
    return AskForProfiles(words);
  };
  const CommandResult behind = replay({far, near, "--max-drift", "l1i_misses=10"});
  EXPECT_EQ(behind.exit_code, kExitDrifted) << behind.err;
  EXPECT_THAT(behind.err, HasSubstr("gprofhub: l1i_misses: " + far + " has 3, " + near));
  EXPECT_EQ(nlohmann::json::parse(behind.out)["orders"].size(), 2u);
  const CommandResult ahead =
      replay({near, far, "--max-drift=l1i_misses=10", "--max-drift=pages=0"});
  EXPECT_EQ(ahead.exit_code, kExitOk) << ahead.err;
  EXPECT_EQ(replay({far, near, "--max-drift=l1i_misses=300"}).exit_code, kExitOk);
  const CommandResult one = replay({near, "--max-drift=pages=5"});
  EXPECT_EQ(one.exit_code, kExitUsage);
  EXPECT_THAT(one.err, HasSubstr("give the order in use, then the new one"));
}

TEST(LocalOrder, TakesNoMistypedFolderForARun) {
  const CommandResult result = AskForProfiles({"order", "profils/"});
  EXPECT_EQ(result.exit_code, kExitNotFound);
  EXPECT_THAT(result.err, HasSubstr("profils/ is neither a local path"));
}

// testdata/recorded: main calls parse, which calls next, which calls read_token.
TEST(LocalOrder, ForTheStartIsThatOfFirstCalls) {
  const fs::path folder = EmptyTestFolder();
  fs::copy_file("cli/testdata/recorded.recording", folder / "recorded.1.gprofhub");
  const auto order = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"order", folder.string(), "--image", "cli/testdata/recorded"};
    words.insert(words.end(), more.begin(), more.end());
    return AskForProfiles(words);
  };
  const CommandResult start = order({"--start-up"});
  EXPECT_EQ(start.exit_code, kExitOk) << start.err;
  EXPECT_THAT(start.out, HasSubstr("\nmain\nparse\nnext\nread_token\n"));
  EXPECT_THAT(start.err, HasSubstr("4 of 4 functions have a first call, in 1 order"));
  EXPECT_EQ(order({"--start-up"}).out, start.out);
  EXPECT_THAT(order({"--start-up", "--format=gold"}).out, HasSubstr(".text.main\n"));
  const CommandResult traces = order({"--format=llvm-traces"});
  EXPECT_EQ(traces.exit_code, kExitOk) << traces.err;
  EXPECT_THAT(traces.out, HasSubstr("parser.c;read_token,\n"));
  EXPECT_EQ(order({"--start-up", "--format=lld-call-graph"}).exit_code, kExitUsage);
}

TEST(LocalOrder, ForTheStartNeedsARecordingWithTheOrder) {
  EmptyTestFolder();
  const std::string gmons = RunsFolder("before", kParserBefore, 1).string();
  const CommandResult counted = AskForProfiles({"order", gmons, "--start-up"});
  EXPECT_EQ(counted.exit_code, kExitNotFound);
  EXPECT_THAT(counted.err, HasSubstr("no recording has the order of first calls; record with"));
  const CommandResult server = AskForProfiles({"order", "latest", "--start-up"});
  EXPECT_EQ(server.exit_code, kExitNotFound);
  EXPECT_THAT(server.err, HasSubstr("not in a server's profiles"));
}

TEST(LocalOrder, OrdersObjectFilesByAMap) {
  const fs::path folder = EmptyTestFolder();
  const std::string runs = RunsFolder("before", kParserBefore, 1);
  const std::string map = (folder / "app.map").string();
  std::ofstream(map)
      << "unused.o:00000000 T unused\nparse.o:00000000 T next\nmain.o:         U next\n"
         "main.o:00000000 T main\n";
  const CommandResult link = AskForProfiles({"order", runs, "--format=link", "--map", map});
  EXPECT_EQ(link.exit_code, kExitOk) << link.err;
  EXPECT_EQ(std::count(link.out.begin(), link.out.end(), '\n'), 3) << link.out;
  EXPECT_GT(link.out.find("unused.o"), link.out.find("parse.o")) << link.out;
  EXPECT_GT(link.out.find("unused.o"), link.out.find("main.o")) << link.out;
  EXPECT_EQ(AskForProfiles({"order", runs, "--format=link"}).exit_code, kExitUsage);
}

TEST(LocalOrder, TakesNoWrongCommandLineForWorkThatFailed) {
  const std::map<std::string, std::vector<std::string>> wrong = {
      {"--weight", {"--weight", "no_factor"}},
      {"--write", {"--write", "no/label"}},
      {"--map", {"--map", kParserBefore}},
      {"--binary", {"--replay", kParserBefore}},
      {"--max-drift",
       {"--replay", kParserBefore, "--binary", kParserBefore, "--max-drift", "pages"}}};
  for (const auto& [named, options] : wrong) {
    std::vector<std::string> words = {"order"};
    words.insert(words.end(), options.begin(), options.end());
    const CommandResult result = AskForProfiles(words);
    EXPECT_EQ(result.exit_code, kExitUsage) << named << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(named));
  }
}

TEST(LocalOrder, TakesAFolder) {
  EmptyTestFolder();
  const CommandResult result = AskForProfiles({"order", RunsFolder("before", kParserBefore, 1)});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_NE(result.out.find("\nnext\n"), std::string::npos) << result.out;
}

}  // namespace

}  // namespace gprofhub::cli
