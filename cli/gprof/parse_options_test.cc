#include "cli/gprof/parse_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command/version.h"

namespace gprofhub::cli {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Parsed {
  ParsedOptions options;
  std::string out;
  std::string err;

  const GprofOptions& operator*() const { return std::get<GprofOptions>(options); }
  const GprofOptions* operator->() const { return &std::get<GprofOptions>(options); }
  int code() const { return std::get<int>(options); }
};

Parsed Parse(std::vector<std::string> arguments) {
  std::string program = "gprof";
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Parsed parsed;
  parsed.options = ParseGprofOptions(static_cast<int>(argv.size()), argv.data());
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

std::vector<std::string> Profiles(const GprofOptions& options) {
  std::vector<std::string> names;
  for (size_t at = 0; at < options.profiles.size(); at += names.back().size() + 1) {
    names.emplace_back(options.profiles.c_str() + at);
  }
  return names;
}

TEST(GprofOptions, WithoutArgumentsAreGnuGprofs) {
  const Parsed parsed = Parse({});
  EXPECT_EQ(parsed->program, "gprof");
  EXPECT_EQ(parsed->image, "a.out");
  EXPECT_THAT(Profiles(*parsed), ElementsAre("gmon.out"));
  EXPECT_EQ(parsed->wanted, 0u);
  EXPECT_TRUE(parsed->listing.explain);
}

TEST(GprofOptions, OperandsMayStandBetweenOptions) {
  const Parsed parsed = Parse({"-b", "app", "one", "-p", "two", "--", "-q"});
  EXPECT_EQ(parsed->image, "app");
  EXPECT_THAT(Profiles(*parsed), ElementsAre("one", "two", "-q"));
  EXPECT_EQ(parsed->wanted, unsigned{kFlatListing});
  EXPECT_FALSE(parsed->listing.explain);
}

TEST(GprofOptions, ShortOnesMayShareAnArgument) {
  const Parsed parsed = Parse({"-blxm", "3", "-t5", "-A"});
  EXPECT_FALSE(parsed->listing.explain);
  EXPECT_TRUE(parsed->listing.rows.by_line);
  EXPECT_TRUE(parsed->all_lines);
  EXPECT_EQ(parsed->min_count, 3u);
  EXPECT_EQ(parsed->table_length, 5u);
  EXPECT_EQ(parsed->wanted, unsigned{kAnnotatedSource});
}

TEST(GprofOptions, LongOnesMayBeAbbreviated) {
  EXPECT_TRUE(Parse({"--all"})->all_lines);
  const Parsed ambiguous = Parse({"--fi"});
  EXPECT_EQ(ambiguous.code(), 1);
  EXPECT_THAT(ambiguous.err, HasSubstr("option '--fi' is ambiguous"));
}

TEST(GprofOptions, ListingsAreAskedForOrRuledOut) {
  EXPECT_EQ(Parse({"-p", "-q"})->wanted, unsigned{kFlatListing | kGraphListing});
  const Parsed without_flat = Parse({"-P"});
  EXPECT_EQ(without_flat->wanted, 0u);
  EXPECT_EQ(without_flat->decided, unsigned{kFlatListing});
  EXPECT_EQ(Parse({"-Pmain"})->wanted, unsigned{kFlatListing}) << "all of it but main";
  EXPECT_EQ(Parse({"-i", "-C", "-r", "-s"})->wanted,
            unsigned{kFileInfo | kExecutionCounts | kFunctionOrder | kSum});
}

TEST(GprofOptions, SymspecsKeepTheirOrderAndTheirTables) {
  std::vector<std::string> texts;
  std::vector<SymspecTable> tables;
  for (const SymspecArgument& one : Parse({"-qa/b", "-k", "c/d", "-Qe/f"})->symspecs.All()) {
    texts.push_back(one.text);
    tables.push_back(one.table);
  }
  EXPECT_THAT(texts, ElementsAre("a/b", "c/d", "e/f"));
  EXPECT_THAT(tables, ElementsAre(SymspecTable::kIncludeArcs, SymspecTable::kExcludeArcs,
                                  SymspecTable::kExcludeArcs));
}

TEST(GprofOptions, DebugLevelsAddUp) {
  EXPECT_EQ(Parse({"-b"})->debug, 0u);
  EXPECT_EQ(Parse({"-d64", "--debug=16"})->debug, 80u);
  EXPECT_EQ(Parse({"-d"})->debug, ~0u);
  EXPECT_EQ(Parse({"--debug", "-d2"})->debug, ~0u);
  EXPECT_EQ(Parse({"-d", "64"})->image, "64") << "the number is part of the argument";
}

TEST(GprofOptions, TheTraditionalStyleHasTheLinkersNames) {
  EXPECT_FALSE(Parse({"-T", "--demangle"})->listing.demangling);
  EXPECT_FALSE(Parse({"--no-demangle"})->listing.demangling);
  EXPECT_EQ(Parse({"--demangle=rust"})->listing.demangling, profile::DemanglingStyle::kRust);
}

TEST(GprofOptions, OurOwnAreTakenInFullAndNotAsOperandsBehindTwoDashes) {
  const Parsed parsed = Parse({"--expected-error", "--format=json", "app", "--exact-clones"});
  EXPECT_TRUE(parsed->listing.expected_error);
  EXPECT_EQ(parsed->export_format, "json");
  EXPECT_EQ(parsed->listing.rows.policy, analyzer::SymbolPolicy::kExact);
  EXPECT_EQ(Parse({"--", "--exact-clones"})->image, "--exact-clones");
}

TEST(GprofOptions, CyclesAreBrokenFromANumberOfFunctionsOn) {
  EXPECT_EQ(Parse({"-b"})->break_cycles, 0u);
  EXPECT_EQ(Parse({"--break-cycles"})->break_cycles, 2u);
  EXPECT_FALSE(Parse({"--break-cycles"})->cut_cycles);
  EXPECT_EQ(Parse({"--cut-cycles=17"})->break_cycles, 17u);
  EXPECT_TRUE(Parse({"--cut-cycles=17"})->cut_cycles);
  for (const char* wrong : {"--break-cycles=", "--break-cycles=1", "--cut-cycles=x",
                            "--cut-cycles=-3", "--break-cyclesx"}) {
    const Parsed refused = Parse({wrong});
    EXPECT_EQ(refused.code(), 1) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("minimum number of functions")) << wrong;
  }
  EXPECT_THAT(Parse({"--break-cycles", "--format=json"}).err, HasSubstr("apply to listings"));
}

TEST(GprofOptions, PathMapsAreTwoFolders) {
  const Parsed parsed = Parse({"--path-map=/old=/new=er", "--path-map=a=b"});
  ASSERT_EQ(parsed->path_map.size(), 2u);
  EXPECT_EQ(parsed->path_map[0].from, "/old");
  EXPECT_EQ(parsed->path_map[0].to, "/new=er");
  for (const char* wrong : {"--path-map=x", "--path-map==x", "--path-map=x="}) {
    const Parsed refused = Parse({wrong});
    EXPECT_EQ(refused.code(), 1) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("not of the form OLD=NEW")) << wrong;
  }
}

TEST(GprofOptions, ArgumentsComeFromAFile) {
  const std::string path = testing::TempDir() + "/arguments";
  std::ofstream(path) << "-b 'my app' \"my gmon\"\n-m 7";
  const Parsed parsed = Parse({"@" + path});
  EXPECT_FALSE(parsed->listing.explain);
  EXPECT_EQ(parsed->image, "my app");
  EXPECT_THAT(Profiles(*parsed), ElementsAre("my gmon"));
  EXPECT_EQ(parsed->min_count, 7u);
  EXPECT_EQ(Parse({"@/no/such/file"})->image, "@/no/such/file");
}

TEST(GprofOptions, HelpAndVersionAreDone) {
  EXPECT_EQ(Parse({"--help"}).code(), 0);
  EXPECT_THAT(Parse({"-h"}).out, StartsWith("Usage: gprof [-["));
  EXPECT_THAT(Parse({"-v"}).out, StartsWith(std::string("gprofhub gprof ") + kVersion +
                                            ", compatible with GNU gprof 2.40\n"));
}

TEST(GprofOptions, WhatIsWrongIsAnError) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--no-such-option"},
                                                {"-m"},
                                                {"-Ox"},
                                                {"--demangle=klingon"},
                                                {"-r", "-R", "map"}}) {
    const Parsed parsed = Parse(wrong);
    EXPECT_EQ(parsed.code(), 1) << wrong[0];
    EXPECT_NE(parsed.err, "") << wrong[0];
  }
}

}  // namespace

}  // namespace gprofhub::cli
