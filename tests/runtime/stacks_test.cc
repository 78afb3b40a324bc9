// From a real program's recording to measured times: stacks where call counts would mislead, the
// time in other modules, and the cost of profiling. All numbers of samples are the program's own
// (stacks_program.c).
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "analyzer/exports/exports.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/worker/compute_profile.h"
#include "analyzer/worker/target_profile.h"
#include "profile/elf/read_image.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

class StacksTest : public testing::Test {
 protected:
  // Once for all tests.
  static void SetUpTestSuite() {
    const fs::path folder = fs::path(testing::TempDir()) / "stacks";
    fs::create_directories(folder);
    setenv("GPROFHUB_PROFILE_DIR", folder.c_str(), 1);
    setenv("GPROFHUB_STACKS", "1", 1);
    // The program takes its samples itself; see samples.h.
    setenv("GPROFHUB_SAMPLER", "timer", 1);
    setenv("GPROFHUB_SAMPLE_RATE", "1", 1);
    std::string command;
    for (const std::string& word : CommandOf(ProgramPath("stacks_program"))) command += word + " ";
    FILE* const output = popen(command.c_str(), "r");
    ASSERT_EQ(std::fscanf(output, "%ld", &comparisons_), 1);
    ASSERT_EQ(pclose(output), 0);
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".gprofhub") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream bytes;
      bytes << file.rdbuf();
      const auto recording = profile::ReadRecording(bytes.str(), entry.path().string());
      ASSERT_TRUE(recording.ok()) << recording.status();
      recording_ = new profile::Recording(*recording);
    }
    ASSERT_NE(recording_, nullptr);
    symbols_ = new profile::SymbolTable(*profile::ReadElfSymbols(ProgramPath("stacks_program")));
    analyzer::TargetSum sum;
    const auto symbols_of = [](absl::string_view build_id) -> const profile::SymbolTable* {
      return build_id == symbols_->build_id ? symbols_ : nullptr;
    };
    ASSERT_TRUE(sum.AddRecording(*recording_, symbols_of).ok());
    profile_ = new profile::ComputedProfile(analyzer::ComputeProfile(sum.Take(), {}));
  }

  static const profile::FunctionCost& Function(const std::string& name) {
    for (const profile::FunctionCost& function : profile_->functions) {
      if (profile_->strings[function.name] == name) return function;
    }
    ADD_FAILURE() << "no function " << name;
    return profile_->functions[0];
  }

  struct Arc {
    uint64_t count = 0;
    double samples = 0;
  };
  static Arc ArcOf(const std::string& caller, const std::string& callee) {
    Arc sum;
    for (const profile::ArcCost& arc : profile_->arcs) {
      if (arc.caller == profile_->functions.size()) continue;
      if (profile_->strings[profile_->functions[arc.caller].name] != caller) continue;
      if (profile_->strings[profile_->functions[arc.callee].name] != callee) continue;
      sum.count += arc.count;
      sum.samples += arc.self_samples + arc.child_samples;
    }
    return sum;
  }

  static inline long comparisons_ = 0;
  static inline const profile::Recording* recording_ = nullptr;
  static inline const profile::SymbolTable* symbols_ = nullptr;
  static inline const profile::ComputedProfile* profile_ = nullptr;
};

TEST_F(StacksTest, CallersAreChargedWhatTheyCausedNotWhatTheyCalled) {
  const Arc cheap = ArcOf("cheap", "work");
  const Arc dear = ArcOf("dear", "work");
  EXPECT_EQ(cheap.count, 100);
  EXPECT_EQ(dear.count, 100);
  // By call counts it would be 500 each.
  EXPECT_DOUBLE_EQ(cheap.samples, 100);
  EXPECT_DOUBLE_EQ(dear.samples, 900);
  EXPECT_DOUBLE_EQ(profile_->stack_samples, 1200);
  EXPECT_DOUBLE_EQ(profile_->complete_stack_samples, 1200);
}

TEST_F(StacksTest, ListingOfTheImageIsMeasured) {
  const profile::RawProfile part = profile::ProfileOfModule(*recording_, 0);
  ASSERT_TRUE(recording_->modules[0].is_program);
  const analyzer::ListingInput input = analyzer::PrepareListing(*symbols_, part, {});
  EXPECT_EQ(input.measured_note.find("children: measured on the call stacks of "), 0);
  double cheap = 0;
  double dear = 0;
  for (uint32_t i = 0; i < input.graph.arcs.size(); ++i) {
    const analyzer::GraphArc& arc = input.graph.arcs[i];
    if (input.rows.LinkageName(arc.callee) != "work") continue;
    (input.rows.LinkageName(arc.caller) == "dear" ? dear : cheap) += input.graph.TimeOf(i).self;
  }
  // One sample a second.
  EXPECT_DOUBLE_EQ(cheap, 100);
  EXPECT_DOUBLE_EQ(dear, 900);
}

TEST_F(StacksTest, TimeInLibcIsItsCallersThoughItKeepsNoFramePointer) {
  const double libc = Function("[libc.so.6]").self_samples;
  EXPECT_TRUE(Function("[libc.so.6]").is_module);
  EXPECT_DOUBLE_EQ(libc, 200);
  EXPECT_DOUBLE_EQ(ArcOf("copy", "[libc.so.6]").samples, 200);
  EXPECT_DOUBLE_EQ(Function("copy").child_samples, 200);
}

TEST_F(StacksTest, FoldedPathsHaveTheTimeInLibcBelowItsCaller) {
  const profile::RawProfile part = profile::ProfileOfModule(*recording_, 0);
  const analyzer::ListingInput input = analyzer::PrepareListing(*symbols_, part, {});
  std::string folded;
  analyzer::FindFormat(analyzer::ExportFormats(), "folded")
      ->write({input, part, "stacks_program"},
              [&](absl::string_view piece) { folded.append(piece.data(), piece.size()); });
  EXPECT_EQ(folded,
            "main;cheap;work 100000000\n"
            "main;copy;[libc.so.6] 200000000\n"
            "main;dear;work 900000000\n");
  EXPECT_EQ(input.others_note,
            "not listed: 16.7% of all samples, in other objects (libc.so.6 16.7%)\n");
}

TEST_F(StacksTest, CallsFromLibcAreCountedAndKeepTheirCaller) {
  EXPECT_EQ(Function("compare").calls, comparisons_);
#ifdef __SANITIZE_ADDRESS__
  constexpr long kOfTheSanitizer = 999;  // its qsort compares all neighbours itself, too
#else
  constexpr long kOfTheSanitizer = 0;
#endif
  EXPECT_EQ(ArcOf("[libc.so.6]", "compare").count, comparisons_ - kOfTheSanitizer);
  const analyzer::ListingInput input =
      analyzer::PrepareListing(*symbols_, profile::ProfileOfModule(*recording_, 0), {});
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (input.rows.LinkageName(row) != "compare") continue;
    EXPECT_EQ(input.graph.nodes[row].calls, comparisons_);
    EXPECT_EQ(input.graph.SpontaneousCalls(row), comparisons_);
  }
}

TEST_F(StacksTest, CountingIsOverheadAndEverySampleIsAccountedFor) {
  EXPECT_EQ(Function("nothing").calls, 50);
  EXPECT_EQ(recording_->overhead_samples, 50);
  EXPECT_EQ(recording_->samples, 1250);
  EXPECT_EQ(recording_->periods, 1250);
  EXPECT_DOUBLE_EQ(profile_->total_samples, 1200);
  EXPECT_DOUBLE_EQ(profile_->overhead_samples, 50);
  const double self = std::accumulate(profile_->functions.begin(), profile_->functions.end(),
                                      profile_->unattributed_samples,
                                      [](double sum, const profile::FunctionCost& function) {
                                        return sum + function.self_samples;
                                      });
  EXPECT_NEAR(self, profile_->total_samples, 1e-6 * profile_->total_samples);
}

}  // namespace
}  // namespace gprofhub::tests
