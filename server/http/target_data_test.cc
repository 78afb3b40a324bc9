#include "server/http/target_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/target_images.h"
#include "analyzer/worker/worker.h"
#include "profile/codec/message.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"
#include "reporter/testing/profile_builder.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kText = 0x10000;
constexpr uint64_t kFunctionBytes = 0x400;  // four of them fill a page
constexpr size_t kFunctions = 40;
constexpr size_t kRanEach = 4;

std::string NameOf(size_t function) { return absl::StrCat("f", function); }

// Of 40 functions each fourth runs: one on each of ten pages. The k-th is called k times and once.
profile::SymbolTable Symbols() {
  profile::SymbolTable symbols;
  symbols.build_id = std::string(40, 'b');
  symbols.architecture = "x86_64";
  symbols.image_name = "program";
  symbols.text_low = kText;
  symbols.text_high = kText + kFunctions * kFunctionBytes;
  for (size_t i = 0; i < kFunctions; ++i) {
    profile::FunctionSymbol function;
    function.address = kText + i * kFunctionBytes;
    function.size = kFunctionBytes;
    function.name = NameOf(i);
    function.is_function = true;
    symbols.functions.push_back(std::move(function));
  }
  return symbols;
}

profile::RawProfile Profile() {
  profile::RawProfile profile;
  for (size_t i = 0; i < kFunctions; i += kRanEach) {
    profile.arcs.push_back({0, kText + i * kFunctionBytes, i + 1});
  }
  return profile;
}

class TargetDataTest : public testing::Test {
 protected:
  // Records an execution with one profile of the image, analyses it and finds its target.
  void Record(const profile::SymbolTable& symbols, const std::string& process,
              const std::string& bytes) {
    const store::Blob profile = store::MakeBlob(bytes);
    const store::Blob bundle = store::MakeBlob(profile::EncodeSymbolBundle(symbols));
    store::NewExecution execution;
    execution.run.project = "acme";
    execution.run.run_key = "one";
    execution.run.commit = std::string(40, 'a');
    execution.run.branch = "main";
    execution.run.configuration = "k8-opt";
    execution.run.started = execution.run.committed = absl::FromUnixSeconds(1'700'000'000);
    execution.execution.target = "//:test";
    execution.execution.status = "PASSED";
    execution.profiles = {{process, symbols.build_id, profile.name}};
    execution.images = {{symbols.build_id, bundle.name}};
    execution.blobs = {profile, bundle};
    ASSERT_TRUE(store_.ingest.RecordExecution(execution, execution.run.started).ok());
    analyzer::WorkerOptions options;
    options.name = "test";
    options.quiet = absl::ZeroDuration();
    analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                            options);
    for (absl::StatusOr<bool> more = true; more.ok() && *more;) more = worker.RunOnce();
    const auto target = FindTargetOfRun(pages_, "acme", "latest", "//:test");
    ASSERT_TRUE(target.ok()) << target.status();
    target_ = *target;
  }

  store::Store store_ =
      *store::OpenStore("sqlite:" + store::MakeTempDir(), store::OpenMode::kCreate);
  PageStore pages_ = {store_.reading, store_.blobs, store_.gate, store_.invocations};
  TargetOfRun target_;
};

class OrderedPagesTest : public TargetDataTest {
 protected:
  void SetUp() override {
    Record(Symbols(), "gmon.1", *profile::WriteGmon(Profile()));
    const auto profile = ReadComputed(pages_, target_);
    ASSERT_TRUE(profile.ok()) << profile.status();
    profile_ = *profile;
  }

  // Those that ran, the most called first.
  static std::vector<std::string> MostCalledFirst() {
    std::vector<std::string> order;
    for (size_t i = 0; i < kFunctions; i += kRanEach) order.insert(order.begin(), NameOf(i));
    return order;
  }

  KeptProfile profile_;
};

// The program's f0 has 9 samples, and 6 of a library below it; 5 are in no module.
std::string RecordingWithALibrary() {
  profile::RecordingBuilder builder;
  builder.Add<gprofhub_module>(
      GPROFHUB_MODULES, {profile::ModuleRecord("/bin/p", 0x10000, 0x30000, 0),
                         profile::ModuleRecord("/lib/libfoo.so", 0x50000, 0x60000, 0x50000, 1)});
  builder.AddTable(GPROFHUB_STACKS, {{0x10100, 0, 9, 0}, {0x50300, 1, 6, 0}});
  builder.AddTable(GPROFHUB_SAMPLES, {{0x10100, 0, 9, 0}, {0x50300, 0, 6, 0}, {0x90000, 0, 5, 0}});
  return profile::PackRecording(builder.Bytes());
}

class SamplesElsewhereTest : public TargetDataTest {
 protected:
  void SetUp() override {
    profile::SymbolTable symbols = Symbols();
    symbols.build_id = "ab06";  // ModuleRecord's
    Record(symbols, "p.1.gprofhub", RecordingWithALibrary());
  }
};

TEST_F(SamplesElsewhereTest, FlameGraphHasThemBelowTheirCaller) {
  const auto graph = ReadFlameGraph(pages_, target_, nullptr);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE((*graph)->is_measured);
  const nlohmann::json root = nlohmann::json::parse((*graph)->json);
  // 250 samples a second.
  EXPECT_EQ(root["value"], 20 * 4000);
  const nlohmann::json& unknown = root["children"][0];
  EXPECT_EQ(unknown["name"], "[unknown]");
  EXPECT_EQ(unknown["value"], 5 * 4000);
  const nlohmann::json& f0 = root["children"][1];
  EXPECT_EQ(f0["value"], 15 * 4000);
  EXPECT_EQ(f0["children"][0]["name"], "[libfoo.so]");
  EXPECT_EQ(f0["children"][0]["value"], 6 * 4000);
}

TEST_F(SamplesElsewhereTest, OnlyGmonLeavesThemOut) {
  const auto files = ListFiles(pages_, target_);
  ASSERT_TRUE(files.ok()) << files.status();
  for (const ListedFile& file : *files) {
    EXPECT_DOUBLE_EQ(file.left_out, file.format.name == "gmon" ? 11.0 / 20 : 0) << file.name;
  }
}

TEST_F(OrderedPagesTest, AnOrderPutsWhatRanTogether) {
  const auto pages = PagesInOrder(pages_, target_, *profile_, MostCalledFirst());
  ASSERT_TRUE(pages.ok()) << pages.status();
  ASSERT_THAT(*pages, SizeIs(1));
  const OrderedPages& image = pages->front();
  EXPECT_EQ(image.image, "program");
  EXPECT_EQ(std::count(image.as_linked.begin(), image.as_linked.end(), true), 10);
  // Ten functions of a quarter of a page fill two and a half.
  ASSERT_GE(image.in_order.size(), 4u);
  EXPECT_EQ(std::count(image.in_order.begin(), image.in_order.end(), true), 3);
  EXPECT_THAT(std::vector<bool>(image.in_order.begin(), image.in_order.begin() + 4),
              ElementsAre(true, true, true, false));
}

TEST_F(OrderedPagesTest, FunctionsThatMoveHaveTheirPlacesAndCalls) {
  const auto pages = PagesInOrder(pages_, target_, *profile_, MostCalledFirst());
  ASSERT_TRUE(pages.ok()) << pages.status();
  const std::vector<MovedFunction>& moved = pages->front().moved;
  ASSERT_THAT(moved, SizeIs(10));
  EXPECT_EQ(moved.front().name, "f36");
  EXPECT_EQ(moved.front().calls, 37u);
  EXPECT_EQ(moved.front().place_now, 37u);
  EXPECT_EQ(moved.front().place_then, 1u);
  EXPECT_EQ(moved.back().name, "f0");
  EXPECT_EQ(moved.back().place_now, 1u);
  EXPECT_EQ(moved.back().place_then, 10u);
}

TEST_F(OrderedPagesTest, WhatDidNotRunOrIsNotThereMovesNothing) {
  const std::vector<std::string> order = {"f1", "gone", "f4"};
  const auto pages = PagesInOrder(pages_, target_, *profile_, order);
  ASSERT_TRUE(pages.ok()) << pages.status();
  ASSERT_THAT(*pages, SizeIs(1));
  ASSERT_THAT(pages->front().moved, SizeIs(1));
  EXPECT_EQ(pages->front().moved.front().name, "f4");
  const std::vector<std::string> nothing = {"f1", "gone"};
  EXPECT_THAT(*PagesInOrder(pages_, target_, *profile_, nothing), IsEmpty());
}

TEST_F(OrderedPagesTest, EachOrderHasItsPages) {
  const auto counts = CountPagesInOrders(
      pages_, target_, *profile_,
      std::vector<std::vector<std::string>>{{}, MostCalledFirst(), {"f0", "f4", "f8", "f12"}});
  ASSERT_TRUE(counts.ok()) << counts.status();
  // Four of them share the first page, the other six have one each.
  EXPECT_THAT(*counts, ElementsAre(10u, 3u, 7u));
}

TEST_F(OrderedPagesTest, ATargetWithoutProfilesIsAnError) {
  TargetOfRun none = target_;
  none.target.label = "//:none";
  EXPECT_FALSE(PagesInOrder(pages_, none, *profile_, MostCalledFirst()).ok());
}

profile::SymbolTable Program(uint64_t size) {
  profile::SymbolTable program;
  for (const char* const name : {"main", "idle"}) {
    profile::FunctionSymbol& function = program.functions.emplace_back();
    function.address = 0x1000 + (program.functions.size() - 1) * size;
    function.size = size;
    function.name = name;
    function.is_function = true;
  }
  return program;
}

profile::ComputedProfile OnlyMain() {
  reporter::ProfileBuilder builder;
  builder.Function("main", 1, 50).Arc("", "main", 1);
  return builder.Build();
}

// The memory charged before a replay is an upper bound: 16 bytes of a function that ran are an
// address of eight, and a number of its block, and of its line, of four.
TEST(ReplayMemoryTest, GrowsWithWhatFunctionsAreSaidToHave) {
  const profile::ComputedProfile profile = OnlyMain();
  const uint64_t small = ReplayMemory(Program(16), profile);
  const uint64_t large = ReplayMemory(Program(16 << 20), profile);
  EXPECT_LT(small, 4096u);
  EXPECT_GE(large, uint64_t{1 << 20} * (8 + 4 + 4 + 4 + 4));
  EXPECT_LE(large, uint64_t{1 << 20} * 64);
}

TEST(ReplayMemoryTest, DoesNotWrap) {
  const uint64_t bytes = ReplayMemory(Program(UINT64_MAX), OnlyMain());
  EXPECT_GE(bytes, uint64_t{1} << 36);
}

}  // namespace

}  // namespace gprofhub::server
