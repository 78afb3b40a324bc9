#include "analyzer/exports/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "analyzer/exports/call_paths.h"
#include "analyzer/listing/prepare.h"
#include "proto/pprof.pb.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// main calls leaf once and ring three times; ring and link call each other, and
// link calls leaf twice. Of 100 samples main has 10, leaf 30, ring 20, link 40.
class ExportsTest : public ::testing::Test {
 protected:
  enum Place : uint64_t { kMain = 0x1000, kLeaf = 0x1100, kRing = 0x1200, kLink = 0x1300 };

  ExportsTest() {
    symbols_.text_low = kMain;
    symbols_.text_high = 0x1400;
    symbols_.files.push_back("src/a.c");
    Add(kMain, "main");
    Add(kLeaf, "leaf");
    Add(kRing, "ring");
    Add(kLink, "link");
    profile::Histogram histogram;
    histogram.low_pc = kMain;
    histogram.high_pc = 0x1400;
    histogram.rate = 100;
    histogram.bins.assign(0x400 / 0x10, 0);
    histogram.bins[0x00] = 10;
    histogram.bins[0x10] = 30;
    histogram.bins[0x20] = 20;
    histogram.bins[0x30] = 40;
    profile_.histograms.push_back(histogram);
    profile_.arcs = {{kMain + 8, kLeaf, 1},
                     {kMain + 16, kRing, 3},
                     {kRing + 8, kLink, 7},
                     {kLink + 8, kRing, 4},
                     {kLink + 16, kLeaf, 2}};
  }

  void Add(uint64_t address, const std::string& name) {
    profile::FunctionSymbol symbol;
    symbol.address = address;
    symbol.size = 0x100;
    symbol.name = name;
    symbol.file = 1;
    symbol.line = static_cast<uint32_t>(symbols_.functions.size()) * 10 + 1;
    symbol.is_function = true;
    symbols_.lines.push_back({address, symbol.file, symbol.line});
    symbols_.functions.push_back(symbol);
  }

  std::string Export(absl::string_view format, FurtherListings further = {}) {
    const ListingInput listing = PrepareListing(symbols_, profile_, {});
    const ExportInput input{listing, profile_, "app", std::move(further)};
    std::string text;
    const auto sink = [&](absl::string_view piece) { text.append(piece.data(), piece.size()); };
    FindFormat(ExportFormats(), format)->write(input, sink);
    return text;
  }

  static std::map<std::string, int64_t> Lines(const std::string& folded) {
    std::map<std::string, int64_t> lines;
    std::istringstream in(folded);
    for (std::string line; std::getline(in, line);) {
      const size_t space = line.rfind(' ');
      lines[line.substr(0, space)] = std::stoll(line.substr(space + 1));
    }
    return lines;
  }

  profile::SymbolTable symbols_;
  profile::RawProfile profile_;
};

TEST_F(ExportsTest, FormatsAreKnownByName) {
  EXPECT_EQ(FindFormat(ExportFormats(), "pprof")->extension, "pb");
  EXPECT_THAT(std::string(FindFormat(ExportFormats(), "xml").status().message()),
              HasSubstr("speedscope"));
}

TEST_F(ExportsTest, OnlyDownloadsIncludeGmon) {
  EXPECT_FALSE(FindFormat(ExportFormats(), "gmon").ok());
  EXPECT_EQ(FindFormat(DownloadFormats(), "gmon")->make_file(profile_)->substr(0, 4), "gmon");
  for (const ExportFormat& format : ExportFormats()) EXPECT_NE(format.write, nullptr);
}

// leaf's 0.3 s are shared 1 : 2 between main and the cycle, whose 0.6 s are all main's. Each path
// has exactly its share.
TEST_F(ExportsTest, FoldedPathsShareTimeByCalls) {
  EXPECT_THAT(Lines(Export("folded")),
              UnorderedElementsAre(Pair("main", 100000), Pair("main;leaf", 100000),
                                   Pair("main;ring", 200000), Pair("main;ring;link", 400000),
                                   Pair("main;ring;link;leaf", 200000)));
}

TEST_F(ExportsTest, PathsBeyondTheLimitKeepTheirTime) {
  const ListingInput listing = PrepareListing(symbols_, profile_, {});
  for (size_t limit = 0; limit < 8; ++limit) {
    const CallPaths paths = FindCallPaths(listing, profile_, limit);
    double sum = 0;
    for (const PathNode& node : paths.nodes) sum += node.samples;
    EXPECT_NEAR(sum, 100, 1e-9) << limit;
    EXPECT_FALSE(paths.measured);
  }
}

TEST_F(ExportsTest, RecordedStacksAreTakenAsTheyAre) {
  // 25 of leaf's samples below main, 5 below another object's frame.
  profile_.others = {{"libfoo.so", 0}};
  profile_.stacks = {
      {kLeaf + 4, 1, 25}, {kMain + 8, -1, 0}, {kLeaf + 4, 3, 5}, {0, -1, 0, /*other=*/1}};
  EXPECT_THAT(
      Lines(Export("folded")),
      UnorderedElementsAre(Pair("main;leaf", 250000), Pair("[libfoo.so];leaf", 50000),
                           Pair("main", 100000), Pair("ring", 200000), Pair("link", 400000)));
}

// 70 samples in libc, of which 20 have no stack; 3 in the vdso; 10 in none of the program's
// functions.
class SamplesElsewhereTest : public ExportsTest {
 protected:
  SamplesElsewhereTest() {
    profile_.others = {{"libc.so.6", 20}, {"[vdso]", 3}, {"never.so", 0}};
    symbols_.text_high = 0x1500;
    profile_.histograms[0].high_pc = 0x1500;
    profile_.histograms[0].bins.resize(0x500 / 0x10);
    profile_.histograms[0].low_pc = 0x0f00;
    profile_.histograms[0].bins.insert(profile_.histograms[0].bins.begin(), 0x10, 0);
    profile_.histograms[0].bins[0] = 10;
  }

  // libc's 50 samples below ring, which main called.
  void AddStacks() {
    profile_.stacks = {{0, 1, 50, /*other=*/1}, {kRing + 4, 2, 0}, {kMain + 16, -1, 0}};
  }

  static std::map<std::string, double> Others(const std::string& json) {
    std::map<std::string, double> seconds;
    const nlohmann::json document = nlohmann::json::parse(json);
    for (const nlohmann::json& other : document["others"]) {
      seconds[other["name"]] = other["self"];
    }
    return seconds;
  }
};

TEST_F(SamplesElsewhereTest, FoldedPathsHaveThemBelowTheirCallers) {
  AddStacks();
  const auto lines = Lines(Export("folded"));
  EXPECT_EQ(lines.at("main;ring;[libc.so.6]"), 500000);
  EXPECT_EQ(lines.at("[libc.so.6]"), 200000);
  EXPECT_EQ(lines.at("[vdso]"), 30000);
  EXPECT_EQ(lines.at("[app]"), 100000);
  int64_t sum = 0;
  for (const auto& [path, value] : lines) sum += value;
  EXPECT_EQ(sum, 1000000 + 500000 + 200000 + 30000 + 100000);
}

TEST_F(SamplesElsewhereTest, EstimatedPathsHaveThemWithoutCallers) {
  const auto lines = Lines(Export("folded"));
  EXPECT_EQ(lines.at("[libc.so.6]"), 200000);
  EXPECT_EQ(lines.at("[app]"), 100000);
  EXPECT_EQ(lines.count("[never.so]"), 0);
}

TEST_F(SamplesElsewhereTest, EveryFormatHasThem) {
  AddStacks();
  pprof::Profile pprof;
  ASSERT_TRUE(pprof.ParseFromString(Export("pprof")));
  int64_t samples = 0;
  for (const pprof::Sample& sample : pprof.sample()) samples += sample.value(0);
  EXPECT_EQ(samples, 183);
  const nlohmann::json speedscope = nlohmann::json::parse(Export("speedscope"));
  EXPECT_NEAR(speedscope["profiles"][0]["endValue"].get<double>(), 1.83, 1e-9);
  EXPECT_THAT(Export("callgrind"), HasSubstr("summary: 1730000\n"));
  EXPECT_THAT(Export("callgrind"), HasSubstr("[libc.so.6]\n0 700000\n"));
  EXPECT_THAT(Others(Export("json")), UnorderedElementsAre(Pair("libc.so.6", DoubleNear(0.7, 1e-9)),
                                                           Pair("[vdso]", DoubleNear(0.03, 1e-9))));
}

TEST_F(SamplesElsewhereTest, ListingsNameTheirShareAndKeepTheirTimes) {
  AddStacks();
  const ListingInput input = PrepareListing(symbols_, profile_, {});
  EXPECT_EQ(input.others_note,
            "not listed: 39.9% of all samples, in other objects (libc.so.6 38.3%, [vdso] 1.6%)\n");
  profile_.others.clear();
  profile_.stacks.clear();
  const ListingInput without = PrepareListing(symbols_, profile_, {});
  EXPECT_EQ(without.others_note, "");
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    EXPECT_EQ(input.graph.nodes[row].self, without.graph.nodes[row].self);
  }
}

// The frame of `ring` is missing: libc's code keeps no frame pointer.
TEST_F(SamplesElsewhereTest, AHiddenCallerIsKnownByItsCountedCall) {
  profile_.has_spontaneous = true;
  profile_.stacks = {{0, 1, 50, /*other=*/1}, {kMain + 16, -1, 0}};
  EXPECT_EQ(Lines(Export("folded")).at("main;ring;[libc.so.6]"), 500000);
}

TEST_F(ExportsTest, StartUpCodeAboveMainIsLeftOut) {
  profile_.others = {{"libc.so.6", 0}};
  profile_.stacks = {{kLeaf + 4, 1, 30}, {kMain + 8, 2, 0}, {0, -1, 0, /*other=*/1}};
  EXPECT_EQ(Lines(Export("folded")).at("main;leaf"), 300000);
}

TEST_F(ExportsTest, CallgrindHasExactCallsAndInclusiveCosts) {
  const std::string text = Export("callgrind");
  EXPECT_THAT(text, HasSubstr("event: us : Microseconds\nevents: us\nsummary: 1000000\n"));
  EXPECT_THAT(text, HasSubstr("fl=(1) src/a.c\nfn=(1) main\n1 100000\n"));
  // main's calls: of leaf 0.1 s below it, of the cycle 0.8 s.
  EXPECT_THAT(text, HasSubstr("cfn=(3) leaf\ncalls=1 11\n1 100000\n"));
  EXPECT_THAT(text, HasSubstr("cfn=(2) ring\ncalls=3 21\n1 800000\n"));
  EXPECT_THAT(text, HasSubstr("fn=(4)\n31 400000\n"));
}

TEST_F(ExportsTest, JsonHasFunctionsCyclesAndCalls) {
  profile_.blocks = {{kLeaf, 42}};
  const nlohmann::json document = nlohmann::json::parse(Export("json"));
  EXPECT_EQ(document["schema"], "gprofhub-gprof-1");
  ASSERT_EQ(document["functions"].size(), 4u);
  const nlohmann::json& main = document["functions"][0];
  EXPECT_EQ(main["name"], "main");
  EXPECT_EQ(main["file"], "src/a.c");
  EXPECT_NEAR(main["self"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(main["children"].get<double>(), 0.9, 1e-12);
  EXPECT_NEAR(document["functions"][1]["self_error"].get<double>(), std::sqrt(30) / 100, 1e-12);
  ASSERT_EQ(document["cycles"].size(), 1u);
  EXPECT_EQ(document["cycles"][0]["internal_calls"], 11);
  EXPECT_EQ(document["calls"].size(), 5u);
  EXPECT_EQ(document["blocks"][0]["count"], 42);
}

TEST_F(ExportsTest, JsonHasTheFurtherListingsThatWereAskedFor) {
  const nlohmann::json without = nlohmann::json::parse(Export("json"));
  for (const char* name : {"sources", "executions", "profiles", "function_order", "file_order"}) {
    EXPECT_FALSE(without.contains(name)) << name;
  }
  FurtherListings further;
  const ListingInput listing = PrepareListing(symbols_, profile_, {});
  further.sources.emplace();
  AnnotateSources(
      listing, {}, {}, [](const std::string&) { return 100u; },
      [&](SourceAnnotation annotation) { further.sources->push_back(std::move(annotation)); });
  further.executions = CountExecutions(listing, {}, {});
  further.profiles = {{"gmon.out", 1, 2, 3, 4}};
  further.function_order = {"ring", "link"};
  further.file_order.emplace();
  const nlohmann::json document = nlohmann::json::parse(Export("json", further));
  const nlohmann::json& source = document["sources"][0];
  EXPECT_EQ(source["file"], "src/a.c");
  EXPECT_EQ(source["executable_lines"], 4);
  EXPECT_EQ(source["executions"], 17);
  EXPECT_EQ(source["lines"][1], (nlohmann::json{{"line", 11}, {"counts", {3}}}));
  EXPECT_EQ(document["executions"][0], (nlohmann::json{{"linkage_name", "leaf"},
                                                       {"address", "0x1100"},
                                                       {"count", 3},
                                                       {"file", "src/a.c"},
                                                       {"line", 11}}));
  EXPECT_EQ(
      document["profiles"][0],
      (nlohmann::json{
          {"file", "gmon.out"}, {"version", 1}, {"histograms", 2}, {"arcs", 3}, {"blocks", 4}}));
  EXPECT_EQ(document["function_order"], (nlohmann::json{"ring", "link"}));
  EXPECT_EQ(document["file_order"], nlohmann::json::array());
}

TEST_F(ExportsTest, PprofAddsUpToTheProfile) {
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(Export("pprof")));
  EXPECT_EQ(profile.string_table(0), "");
  int64_t samples = 0, nanoseconds = 0;
  for (const pprof::Sample& sample : profile.sample()) {
    samples += sample.value(0);
    nanoseconds += sample.value(1);
    for (const uint64_t location : sample.location_id()) {
      ASSERT_GE(location, 1u);
      ASSERT_LE(location, static_cast<uint64_t>(profile.location_size()));
    }
  }
  EXPECT_EQ(samples, 100);
  EXPECT_EQ(nanoseconds, 1000000000);
}

TEST_F(ExportsTest, SpeedscopeWeighsEverySample) {
  const nlohmann::json document = nlohmann::json::parse(Export("speedscope"));
  const nlohmann::json& profile = document["profiles"][0];
  EXPECT_EQ(profile["unit"], "seconds");
  EXPECT_EQ(profile["samples"].size(), profile["weights"].size());
  double sum = 0;
  for (const nlohmann::json& weight : profile["weights"]) sum += weight.get<double>();
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_EQ(document["shared"]["frames"][profile["samples"][0][0].get<size_t>()]["name"], "main");
}

TEST_F(ExportsTest, NamesCannotBreakLinesOrFields) {
  symbols_.functions[1].name = "evil\n;main 999\xff";
  EXPECT_THAT(Export("folded"), Not(HasSubstr("evil\n")));
  EXPECT_THAT(Export("folded"), HasSubstr("main;evil??main 999\xff 100000\n"));
  EXPECT_THAT(Export("callgrind"), Not(HasSubstr("evil\n")));
  EXPECT_TRUE(nlohmann::json::accept(Export("json")));
  EXPECT_TRUE(nlohmann::json::accept(Export("speedscope")));
}

TEST_F(ExportsTest, AProfileWithoutSamplesHasItsCalls) {
  profile_.histograms.clear();
  EXPECT_EQ(Export("folded"), "");
  EXPECT_THAT(Export("callgrind"), HasSubstr("calls=3 21\n"));
  EXPECT_EQ(nlohmann::json::parse(Export("json"))["calls"].size(), 5u);
}

}  // namespace

}  // namespace gprofhub::analyzer
