#include "cli/gprof/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"
#include "profile/testing/shared_file.h"

namespace gprofhub::cli {

namespace {

HistogramHeads One(const std::string& path, uint64_t low, uint64_t bins, uint32_t rate = 100) {
  return {{path, low, low + 2 * bins, bins, rate, "seconds", 's'}};
}

std::string Refusal(const std::vector<std::optional<HistogramHeads>>& profiles, size_t checked) {
  size_t found = 0;
  const absl::Status status = CheckHistograms(profiles, "gprof", found);
  EXPECT_EQ(found, checked);
  return std::string(status.message());
}

TEST(HistogramCheckTest, AcceptsEqualAndSeparateRanges) {
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 0, 8), One("c", 16, 8), HistogramHeads()}, 4), "");
}

TEST(HistogramCheckTest, NamesProfilesOfDifferentRates) {
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 16, 8, 50)}, 1),
            "gprof: b: incompatible sampling: the histogram has 50 per \"seconds\", the histogram "
            "of a has 100; list the two profiles separately");
}

TEST(HistogramCheckTest, AcceptsAnyRateBeforeOneThatIsAssumed) {
  HistogramHeads assumed = One("b", 0, 8, 100);
  assumed[0].rate_is_assumed = true;
  EXPECT_EQ(Refusal({One("a", 0, 8, 50), assumed, One("c", 0, 8, 50)}, 3), "");
  EXPECT_NE(Refusal({assumed, One("a", 0, 8, 50)}, 1), "");
}

TEST(HistogramCheckTest, ReportsTheDimensionBeforeTheRate) {
  HistogramHeads other = One("b", 0, 8, 50);
  other[0].dimension = "misses";
  EXPECT_EQ(Refusal({One("a", 0, 8), other}, 1),
            "gprof: dimension unit changed between histogram records\ngprof: from 'seconds'\n"
            "gprof: to 'misses'");
  other[0].dimension = "seconds";
  other[0].abbreviation = 'm';
  EXPECT_EQ(Refusal({One("a", 0, 8), other}, 1),
            "gprof: dimension abbreviation changed between histogram records\ngprof: from 's'\n"
            "gprof: to 'm'");
}

TEST(HistogramCheckTest, ReportsScalesBeforeOverlaps) {
  HistogramHeads wide = One("b", 0, 8);
  wide[0].bins = 4;
  EXPECT_EQ(Refusal({One("a", 0, 8), wide}, 1), "gprof: different scales in histogram records");
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 14, 8)}, 1), "gprof: overlapping histogram records");
}

TEST(HistogramCheckTest, ComparesTheHistogramsOfOneProfile) {
  HistogramHeads two = One("a", 0, 8);
  two.push_back(One("a", 4, 8)[0]);
  EXPECT_EQ(Refusal({two}, 0), "gprof: overlapping histogram records");
}

TEST(HistogramCheckTest, ComparesBsdProfilesWithTheFirst) {
  HistogramHeads bsd = One("b", 16, 8, 50);
  bsd[0].is_bsd = true;
  EXPECT_EQ(Refusal({One("a", 0, 8), bsd}, 1),
            "b: profiling rate incompatible with first gmon file");
  bsd[0].rate = 100;
  EXPECT_EQ(Refusal({One("a", 0, 8), bsd}, 1), "b: incompatible with first gmon file");
}

TEST(HistogramCheckTest, StopsAtTheFirstProfileThatCouldNotBeRead) {
  EXPECT_EQ(Refusal({One("a", 0, 8), std::nullopt, One("b", 14, 8)}, 1), "");
}

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kSelf = 0x1000;
constexpr size_t kProfiles = 40;

class Profiles : public ::testing::Test {
 protected:
  Profiles() : folder_(fs::path(::testing::TempDir()) / "profiles") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    symbols_.text_low = kSelf;
    symbols_.text_high = kSelf + 64;
    symbols_.functions.emplace_back();
    symbols_.functions.back().address = kSelf;
    symbols_.functions.back().name = "f";
    options_.program = "gprof";
    options_.profiles.clear();
  }
  ~Profiles() override { fs::remove_all(folder_); }

  static profile::RawProfile Profile(uint64_t calls, uint64_t samples, uint32_t rate = 100) {
    profile::RawProfile profile;
    profile.arcs.push_back({kSelf + 8, kSelf, calls});
    profile.histograms.emplace_back();
    profile.histograms.back().low_pc = kSelf;
    profile.histograms.back().high_pc = kSelf + 64;
    profile.histograms.back().rate = rate;
    profile.histograms.back().bins = {samples, 0};
    return profile;
  }
  static std::string Bytes(const profile::RawProfile& profile) {
    const auto bytes = profile::WriteGmon(profile);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return *bytes;
  }

  // The next one on the command line.
  void Add(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    options_.profiles += path + '\0';
  }

  absl::StatusOr<profile::RawProfile> Read() {
    records_.clear();
    return ReadProfiles(options_, symbols_, dump_ ? &*dump_ : nullptr, nullptr, records_);
  }

  const fs::path folder_;
  GprofOptions options_;
  profile::SymbolTable symbols_;
  std::vector<analyzer::ProfileRecords> records_;
  std::optional<DebugDump> dump_;
};

TEST_F(Profiles, AreAddedUp) {
  for (uint64_t i = 1; i <= kProfiles; ++i) {
    Add("gmon." + std::to_string(i), Bytes(Profile(i, 10 * i)));
  }
  const auto sum = Read();
  ASSERT_TRUE(sum.ok()) << sum.status();
  ASSERT_EQ(sum->arcs.size(), 1u);
  EXPECT_EQ(sum->arcs[0].count, kProfiles * (kProfiles + 1) / 2);
  ASSERT_EQ(sum->histograms.size(), 1u);
  EXPECT_EQ(sum->histograms[0].bins[0], 10 * kProfiles * (kProfiles + 1) / 2);
}

// Of a test's processes those count that have data of the image.
TEST_F(Profiles, ProcessesOfASharedFileAreAddedUp) {
  profile::SharedFile shared;
  uint32_t pid = 0;
  for (const auto& [program, calls] : {std::pair("/bin/p", 5), {"/bin/other", 6}, {"/bin/p", 7}}) {
    profile::RecordingBuilder builder;
    builder.Add<gprofhub_module>(GPROFHUB_MODULES,
                                 {profile::ModuleRecord(program, 0x10000, 0x20000, 0x10000)});
    builder.AddTable(GPROFHUB_ARCS, {{0x10000 + kSelf, 0x10008 + kSelf, uint64_t(calls), 0}});
    shared.Add(builder.Bytes(), ++pid);
  }
  Add("processes.gprofhub", shared.bytes());
  symbols_.build_id = "ab06";
  const auto sum = Read();
  ASSERT_TRUE(sum.ok()) << sum.status();
  ASSERT_EQ(sum->arcs.size(), 1u);
  EXPECT_EQ(sum->arcs[0].count, 12);
  symbols_.build_id = "abcd";
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("no process in it has data"));
}

// Two threads read the files, and the later of two errors may be found first: it is in a short file
// behind long ones.
TEST_F(Profiles, EndInTheFirstErrorInTheOrderGiven) {
  profile::RawProfile large = Profile(1, 1);
  large.arcs.assign(20'000, large.arcs[0]);
  const std::string sound = Bytes(large);
  for (const size_t first : {size_t{0}, size_t{1}, kProfiles / 2, kProfiles - 2}) {
    options_.profiles.clear();
    for (size_t i = 0; i < kProfiles; ++i) {
      const std::string name = "gmon." + std::to_string(i);
      if (i == first) {
        Add(name, sound.substr(0, sound.size() - 1));
      } else if (i > first) {
        Add(name, "short");
      } else {
        Add(name, sound);
      }
    }
    const auto sum = Read();
    ASSERT_FALSE(sum.ok());
    EXPECT_THAT(std::string(sum.status().message()),
                AllOf(HasSubstr("gmon." + std::to_string(first)),
                      Not(HasSubstr("too short to be a gmon file"))));
  }
}

TEST_F(Profiles, ThatCannotBeAddedUpComeBeforeThoseThatCannotBeRead) {
  Add("gmon.1", Bytes(Profile(1, 1)));
  Add("gmon.2", Bytes(Profile(1, 1, 250)));
  Add("gmon.3", "short");
  const auto sum = Read();
  ASSERT_FALSE(sum.ok());
  EXPECT_THAT(std::string(sum.status().message()), HasSubstr("gmon.2"));
}

TEST_F(Profiles, ThatAreMissingEndTheList) {
  Add("gmon.1", Bytes(Profile(1, 1)));
  options_.profiles += (folder_ / "gone").string() + '\0';
  Add("gmon.3", "short");
  const auto sum = Read();
  ASSERT_FALSE(sum.ok());
  EXPECT_THAT(std::string(sum.status().message()), HasSubstr("gone"));
}

TEST_F(Profiles, OfOtherFormatsSayWhatAGmonFileIs) {
  Add("gmon.1", std::string(100, 'x'));
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("gmon.1"));
}

TEST_F(Profiles, AreDumpedInTheOrderGivenUpToTheError) {
  options_.debug = kDumpArcs;
  dump_.emplace(options_, symbols_);
  for (uint64_t i = 1; i <= 3; ++i) Add("gmon." + std::to_string(i), Bytes(Profile(i, 1)));
  Add("gmon.4", "short");
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(Read().ok());
  const std::string out = ::testing::internal::GetCapturedStdout();
  size_t at = 0;
  for (uint64_t i = 1; i <= 3; ++i) {
    const std::string calls = i == 1 ? ": 1 call\n" : ": " + std::to_string(i) + " calls\n";
    at = out.find("gmon." + std::to_string(i) + ": gmon version 1", at);
    ASSERT_NE(at, std::string::npos) << out;
    at = out.find("  arc 0x1008 (f) -> 0x1000 (f)" + calls, at);
    ASSERT_NE(at, std::string::npos) << out;
  }
  EXPECT_EQ(out.find("gmon.4"), std::string::npos) << out;
}

TEST_F(Profiles, AreDescribedUpToTheError) {
  options_.wanted = kFileInfo;
  options_.export_format = "json";  // prints nothing by the way
  Add("gmon.1", Bytes(Profile(1, 1)));
  Add("gmon.2", Bytes(Profile(2, 1)));
  ASSERT_TRUE(Read().ok());
  EXPECT_EQ(records_.size(), 2u);
  Add("gmon.3", "short");
  Add("gmon.4", Bytes(Profile(2, 1)));
  EXPECT_FALSE(Read().ok());
  EXPECT_EQ(records_.size(), 2u);
}

}  // namespace

}  // namespace gprofhub::cli
