// For clients' and workers' data, a small change takes a few bytes, and decoding restores all of
// it.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/table_layout.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "profile/gmon/writer.h"
#include "profile/layouts/describe_content.h"
#include "profile/raw_profile.h"
#include "profile/testing/sample_profile.h"
#include "store/packing/content_delta.h"
#include "store/packing/table_delta.h"

namespace gprofhub::store {
namespace {

using base::ContentKind;
using base::TableLayout;

std::string FileOf(const std::string& name) {
  const absl::StatusOr<std::string> bytes =
      base::ReadFile(absl::StrCat("tests/fuzz/corpus/", name));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

// Bytes of `content` encoded against `base`; nullopt: unknown form.
std::optional<size_t> SizeBeside(ContentKind kind, const std::string& content,
                                 const std::string& base) {
  const TableLayout layout = profile::DescribeContent(kind, content);
  const TableLayout base_layout = profile::DescribeContent(kind, base);
  if (layout.empty() || base_layout.empty()) return std::nullopt;
  const std::optional<std::string> packed = PackTables(content, layout, base, base_layout);
  if (!packed.has_value()) {
    ADD_FAILURE() << "what is described is not packed";
    return std::nullopt;
  }
  const absl::StatusOr<std::string> again = UnpackTables(*packed, base);
  EXPECT_TRUE(again.ok() && *again == content);
  return packed->size();
}

// A program of 300 functions, each of which calls three; `grown` of them have grown.
profile::RawProfile ProgramProfile(unsigned grown, unsigned samples_seed) {
  std::mt19937 random(1);
  std::vector<uint64_t> addresses = {0x401000};
  for (unsigned i = 0; i < 300; ++i) {
    const uint64_t size = 16 + random() % 500;
    addresses.push_back(addresses.back() + size + (i % 10 == 5 && i / 10 < grown ? 16 : 0));
  }
  profile::RawProfile profile;
  for (size_t i = 0; i < 300; ++i) {
    for (size_t k = 1; k <= 3; ++k) {
      profile.arcs.push_back({addresses[i] + 4 * k, addresses[(7 * i + k) % 300], random() % 1000});
    }
  }
  profile::Histogram histogram = {addresses.front(), addresses.back(), 1000, "seconds", 's', {}};
  histogram.bins.resize((addresses.back() - addresses.front()) / 4);
  std::mt19937 samples(samples_seed);
  for (int i = 0; i < 200; ++i) ++histogram.bins[samples() % histogram.bins.size()];
  profile.histograms.push_back(histogram);
  return profile;
}

TEST(KnownFormsTest, OfAProfileSamplesAndWhatGrewTakeRoom) {
  for (const int address_size : {8, 4}) {
    profile::GmonWriteOptions options;
    options.address_size = address_size;
    const std::string base = *profile::WriteGmon(ProgramProfile(0, 1), options);
    const std::string same = *profile::WriteGmon(ProgramProfile(0, 2), options);
    const std::string grown = *profile::WriteGmon(ProgramProfile(5, 2), options);
    const size_t samples = *SizeBeside(ContentKind::kProfile, same, base);
    EXPECT_LT(samples, 330u) << "200 of them, at more than a byte each";
    EXPECT_LT(*SizeBeside(ContentKind::kProfile, grown, base), samples + 5 * 10);
    EXPECT_GT(PackContent(grown, base).size(), 4 * samples);
  }
}

TEST(KnownFormsTest, AProfileOfAllRecordsComesBack) {
  profile::RawProfile profile = ProgramProfile(0, 1);
  profile.blocks = {{0x401000, 7}, {0x401020, 9}};
  profile.histograms.push_back(profile.histograms[0]);
  const std::string bytes = *profile::WriteGmon(profile);
  EXPECT_LT(*SizeBeside(ContentKind::kProfile, bytes, bytes), 700u);
  EXPECT_TRUE(SizeBeside(ContentKind::kProfile, bytes, *profile::WriteGmon(profile::RawProfile()))
                  .has_value());
}

TEST(KnownFormsTest, FilesOfProgramsComeBack) {
  for (const std::string name : {"64-little", "32-little"}) {
    const std::string gmon = FileOf("gmon_reader/" + name);
    EXPECT_TRUE(SizeBeside(ContentKind::kProfile, gmon, gmon).has_value()) << name;
  }
  for (const std::string name : {"orderly_with_stacks", "counters_in_the_text"}) {
    const std::string recording = FileOf("recording_reader/" + name);
    const std::optional<size_t> size = SizeBeside(ContentKind::kProfile, recording, recording);
    ASSERT_TRUE(size.has_value()) << name;
    EXPECT_LT(*size, 400u) << name;
  }
}

TEST(KnownFormsTest, OtherOrdersOfBytesAndFormatsAreLeftAsTheyAre) {
  const std::string gmon = FileOf("gmon_reader/64-little");
  for (const std::string name : {"32-big", "bsd44"}) {
    const std::string other = FileOf("gmon_reader/" + name);
    EXPECT_FALSE(SizeBeside(ContentKind::kProfile, other, gmon).has_value()) << name;
  }
  EXPECT_FALSE(SizeBeside(ContentKind::kProfile, "", gmon).has_value());
  EXPECT_FALSE(SizeBeside(ContentKind::kResult, "\xFF\xFF\xFF", "").has_value());
}

TEST(KnownFormsTest, WhatIsCutIsNotDescribedOrComesBack) {
  for (const std::string name :
       {"gmon_reader/64-little", "recording_reader/counters_in_the_text"}) {
    const std::string whole = FileOf(name);
    for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 300) {
      SizeBeside(ContentKind::kProfile, whole.substr(0, size), whole);
    }
  }
  const std::string bundle = ContentOf(profile::SampleBundle(1))->bytes;
  for (size_t size = 0; size < bundle.size(); ++size) {
    SizeBeside(ContentKind::kSymbols, bundle.substr(0, size), bundle);
  }
}

TEST(KnownFormsTest, OfSymbolsTheBuildIdTakesRoom) {
  const std::string base = ContentOf(profile::SampleBundle(1))->bytes;
  const std::string next = ContentOf(profile::SampleBundle(2))->bytes;
  EXPECT_LT(*SizeBeside(ContentKind::kSymbols, next, base), 170u);
}

// A result with random samples; an arc propagates a third.
std::string ResultContent(unsigned seed, bool has_new_function) {
  std::mt19937 random(seed);
  profile::ComputedProfile profile;
  profile.strings = {"", "image", "file.cc"};
  for (uint32_t i = 0; i < 200; ++i) {
    if (i == 100 && !has_new_function) continue;
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(absl::StrCat("function", i));
    function.image = 1;
    function.file = 2;
    function.line = 10 * i;
    function.calls = 1000 * i + 7;
    function.self_samples = static_cast<double>(random() % 16);
    profile.functions.push_back(function);
  }
  const uint32_t functions = static_cast<uint32_t>(profile.functions.size());
  for (uint32_t i = 0; i < functions; ++i) {
    const uint32_t callee = functions - 1 - i;
    profile.arcs.push_back(
        {i, callee, 2, 10 * i, 16 * i, 1000 * i, profile.functions[callee].self_samples / 3, 0});
  }
  return ContentOf(profile::EncodeComputedProfile(profile))->bytes;
}

TEST(KnownFormsTest, OfAResultSamplesTakeRoomAndAFunctionThatCame) {
  const std::string base = ResultContent(1, false);
  const size_t samples = *SizeBeside(ContentKind::kResult, ResultContent(2, false), base);
  EXPECT_LT(samples, 320u) << "of 200 functions, at half a byte to a byte each";
  EXPECT_LT(*SizeBeside(ContentKind::kResult, ResultContent(2, true), base), samples + 120);
}

}  // namespace
}  // namespace gprofhub::store
