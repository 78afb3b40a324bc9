#include "profile/gmon/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "profile/gmon/writer.h"
#include "profile/merge.h"
#include "profile/testing/sample_profile.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;

std::string Encode(const RawProfile& profile, int address_size = 8, bool big_endian = false) {
  auto bytes = WriteGmon(profile, {address_size, big_endian});
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

struct Layout {
  int address_size;
  bool big_endian;
};

class EveryLayout : public ::testing::TestWithParam<Layout> {};

TEST_P(EveryLayout, IsFoundAndReadBack) {
  const std::string bytes = Encode(SmallProfile(), GetParam().address_size, GetParam().big_endian);
  auto profile = ReadGmon(bytes, "gmon.out");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ExpectEqualProfiles(*profile, SmallProfile());
}

// An embedded program's: the mode bit is set in addresses of Thumb code, and only there.
RawProfile ThumbProfile(uint64_t bit) {
  RawProfile profile;
  profile.histograms = {{0x8001, 0x8011, 100, "seconds", 's', {1, 2, 3, 4}, false}};
  profile.arcs = {{0x8004 | bit, 0x8020 | bit, 3}, {0x8024, 0x8040 | bit, 4}};
  profile.blocks = {{0x8004 | bit, 5}, {0x8024, 6}};
  return profile;
}

TEST_P(EveryLayout, AddressesOfThumbCodeAreReadWithoutTheirModeBit) {
  GmonReadOptions options;
  const std::string bytes = Encode(ThumbProfile(1), GetParam().address_size, GetParam().big_endian);
  ExpectEqualProfiles(*ReadGmon(bytes, "gmon.out", options), ThumbProfile(1));
  options.has_mode_bit = true;
  ExpectEqualProfiles(*ReadGmon(bytes, "gmon.out", options), ThumbProfile(0));
}

TEST(ModeBit, IsThatOfArm) {
  EXPECT_TRUE(GmonOptionsFor("arm")->has_mode_bit);
  EXPECT_FALSE(GmonOptionsFor("aarch64")->has_mode_bit);
  EXPECT_FALSE(GmonOptionsFor("i386")->has_mode_bit);
}

// Reads with the bytes overwritten that are reported as read.
RawProfile ReadAndDestroy(std::string bytes, const GmonReadOptions& options = {}) {
  const auto file = OpenGmon(bytes, "gmon.out", options);
  EXPECT_TRUE(file.ok()) << file.status();
  std::vector<RawArc> arcs;
  size_t before = 0;
  GmonCursor cursor = file->Read();
  for (auto next = cursor.NextArcs(); !next.empty(); next = cursor.NextArcs()) {
    arcs.insert(arcs.end(), next.begin(), next.end());
    EXPECT_GT(cursor.offset(), before);
    before = cursor.offset();
    std::fill(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(before), '\xff');
  }
  EXPECT_EQ(cursor.offset(), bytes.size());
  RawProfile profile = cursor.TakeRest();
  profile.arcs = std::move(arcs);
  return profile;
}

TEST_P(EveryLayout, WhatHasBeenReadIsNotLookedAtAgain) {
  RawProfile many = SmallProfile();
  many.blocks.clear();  // they are after the arcs
  for (uint64_t i = 0; i < 1000; ++i) many.arcs.push_back({0x1030 + i, 0x1020, i});
  ExpectEqualProfiles(ReadAndDestroy(Encode(many, GetParam().address_size, GetParam().big_endian)),
                      many);
}

TEST_P(EveryLayout, EveryPrefixGivesAResultOrAnError) {
  const std::string bytes = Encode(SmallProfile(), GetParam().address_size, GetParam().big_endian);
  int whole_records = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto profile = ReadGmon(bytes.substr(0, size), "gmon.out",
                            {.address_size = GetParam().address_size, .big_endian = {}});
    whole_records += profile.ok();
    EXPECT_TRUE(profile.ok() || absl::StrContains(profile.status().message(), "gmon.out"));
  }
  // The header alone, and the ends of the first three of the four records.
  EXPECT_EQ(whole_records, 4);
}

TEST_P(EveryLayout, EveryChangedByteGivesAResultOrAnError) {
  const std::string bytes = Encode(SmallProfile(), GetParam().address_size, GetParam().big_endian);
  int errors = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      auto profile = ReadGmon(changed, "gmon.out");
      errors += !profile.ok();
      ReadGmon(changed, "gmon.out",
               {.format = GmonReadOptions::Format::kBsd, .address_size = {}, .big_endian = {}})
          .IgnoreError();
    }
  }
  // At least: every change of a byte of the magic or the version.
  EXPECT_GE(errors, 9 * 8);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLayout,
                         ::testing::Values(Layout{8, false}, Layout{8, true}, Layout{4, false},
                                           Layout{4, true}),
                         [](const auto& info) {
                           return std::to_string(8 * info.param.address_size) +
                                  (info.param.big_endian ? "BigEndian" : "LittleEndian");
                         });

void ExpectError(const std::string& bytes, absl::StatusCode code, const std::string& message,
                 const GmonReadOptions& options = {}) {
  auto profile = ReadGmon(bytes, "t/gmon.out", options);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.status().code(), code) << profile.status();
  EXPECT_THAT(profile.status().message(), HasSubstr(message));
  EXPECT_THAT(profile.status().message(), HasSubstr("t/gmon.out"));
}

TEST(GmonReader, EmptyFile) { ExpectError("", absl::StatusCode::kDataLoss, "is empty"); }

TEST(GmonReader, NotAProfile) {
  ExpectError("PK\3\4 and more bytes than a header has", absl::StatusCode::kInvalidArgument,
              "magic at byte 0: \"PK\\x03\\x04\" is not \"gmon\"");
}

TEST(GmonReader, HeaderCutOff) {
  ExpectError("gmon\1", absl::StatusCode::kDataLoss, "needs 20 bytes but the file has 5");
}

TEST(GmonReader, OtherVersion) {
  std::string bytes = Encode(SmallProfile());
  bytes[4] = 2;
  ExpectError(bytes, absl::StatusCode::kInvalidArgument, "version at byte 4: 2");
}

TEST(GmonReader, OtherByteOrderThanTheImage) {
  ExpectError(Encode(SmallProfile(), 8, true), absl::StatusCode::kInvalidArgument, "byte order",
              {.address_size = 8, .big_endian = false});
}

TEST(GmonReader, UnknownTag) {
  std::string bytes = Encode(SmallProfile());
  bytes[20] = 9;
  ExpectError(bytes, absl::StatusCode::kDataLoss,
              "record 1, tag at byte 20: 9 is not 0 (histogram)");
}

TEST(GmonReader, MoreBinsThanBytes) {
  std::string bytes = Encode(SmallProfile());
  bytes.replace(37, 4, "\xff\xff\xff\xff");
  ExpectError(bytes, absl::StatusCode::kDataLoss,
              "record 1 (histogram), bins at byte 61: 4294967295 entries",
              {.address_size = 8, .big_endian = {}});
}

TEST(GmonReader, MoreBlocksThanBytes) {
  RawProfile profile;
  profile.blocks.push_back({0x1008, 12});
  std::string bytes = Encode(profile);
  bytes.replace(21, 4, "\xff\xff\xff\xff");
  ExpectError(bytes, absl::StatusCode::kDataLoss,
              "record 1 (basic blocks), blocks at byte 25: 4294967295 entries",
              {.address_size = 8, .big_endian = {}});
}

TEST(GmonReader, ReversedRange) {
  RawProfile profile = SmallProfile();
  std::swap(profile.histograms[0].low_pc, profile.histograms[0].high_pc);
  ExpectError(Encode(profile), absl::StatusCode::kDataLoss, "[0x1040, 0x1000) is empty or reversed",
              {.address_size = 8, .big_endian = {}});
}

TEST(GmonReader, RateZero) {
  RawProfile profile = SmallProfile();
  profile.histograms[0].rate = 0;
  ExpectError(Encode(profile), absl::StatusCode::kDataLoss, "rate at byte 41: is 0");
}

TEST(GmonReader, OverlappingHistograms) {
  RawProfile profile = SmallProfile();
  profile.histograms.push_back(profile.histograms[0]);
  profile.histograms[1].low_pc += 8;
  ExpectError(Encode(profile), absl::StatusCode::kDataLoss,
              "record 2 (histogram), low_pc at byte 70");
}

TEST(GmonReader, HistogramWithoutBinsIsLeftOut) {
  RawProfile profile;
  profile.histograms.push_back({0x1000, 0x1000, 100, "seconds", 's', {}});
  auto read = ReadGmon(Encode(profile), "gmon.out");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->histograms.empty());
}

TEST(GmonReader, HeaderAloneIsAnEmptyProfile) {
  auto read = ReadGmon(Encode({}), "gmon.out");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->histograms.empty());
  EXPECT_TRUE(read->arcs.empty());
}

TEST(GmonReader, FileThatFitsBothAddressSizesIsAmbiguous) {
  // 21 arcs of 13 bytes are as long as 13 of 21 bytes; every byte that either reading interprets as
  // a tag is 1.
  RawProfile profile;
  for (int i = 0; i < 21; ++i) profile.arcs.push_back({0x01010101, 0x01010101, 0x01010101});
  const std::string bytes = Encode(profile, 4);
  ExpectError(bytes, absl::StatusCode::kInvalidArgument, "both with 8-byte and with 4-byte");
  auto read = ReadGmon(bytes, "gmon.out", {.address_size = 4, .big_endian = {}});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->arcs.size(), 21u);
}

TEST(GmonReader, BadAddressSizeOption) {
  EXPECT_EQ(ReadGmon(Encode({}), "gmon.out", {.address_size = 3, .big_endian = {}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

std::string Number(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

// Two bins, one arc; little endian, 8-byte addresses.
std::string Bsd(bool with_version) {
  std::string bytes = Number(0x1000, 8) + Number(0x1008, 8);
  bytes += Number(with_version ? 44 : 24, 4);
  if (with_version) bytes += Number(0x51879, 4) + Number(250, 4) + std::string(12, '\0');
  bytes += Number(3, 2) + Number(4, 2);
  return bytes + Number(0x1004, 8) + Number(0x1000, 8) + Number(9, 8);
}

const GmonReadOptions kBsd = {
    .format = GmonReadOptions::Format::kBsd, .address_size = {}, .big_endian = {}};

TEST(GmonReader, BsdFileIsReadWhenAskedFor) {
  for (const bool with_version : {false, true}) {
    auto read = ReadGmon(Bsd(with_version), "gmon.out", kBsd);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->histograms.size(), 1u);
    EXPECT_EQ(read->histograms[0].bins, (std::vector<uint64_t>{3, 4}));
    EXPECT_EQ(read->histograms[0].rate, with_version ? 250u : 100u);
    ASSERT_EQ(read->arcs.size(), 1u);
    EXPECT_EQ(read->arcs[0].from_pc, 0x1004u);
    EXPECT_EQ(read->arcs[0].count, 9u);
  }
}

TEST(GmonReader, WhatHasBeenLoadedOfABsdFileIsNotReadAgain) {
  std::string bytes = Bsd(true);
  for (int i = 0; i < 1000; ++i) bytes += Number(0x1004, 8) + Number(0x1000 + i, 8) + Number(i, 8);
  const auto profile = ReadGmon(bytes, "gmon.out", kBsd);
  ASSERT_TRUE(profile.ok()) << profile.status();
  ExpectEqualProfiles(ReadAndDestroy(bytes, kBsd), *profile);
}

TEST(GmonReader, BsdFileIsNeverGuessed) {
  ExpectError(Bsd(true), absl::StatusCode::kInvalidArgument, "read only on request");
}

TEST(GmonReader, BsdFileCutOff) {
  std::string bytes = Bsd(true);
  bytes.resize(50);
  ExpectError(bytes, absl::StatusCode::kDataLoss, "arc 1, from_pc at byte 44: needs 8 bytes", kBsd);
}

TEST(GmonReader, BsdEveryPrefixGivesAResultOrAnError) {
  for (const bool with_version : {false, true}) {
    const std::string bytes = Bsd(with_version);
    int results = 0;
    for (size_t size = 0; size < bytes.size(); ++size) {
      results += ReadGmon(bytes.substr(0, size), "gmon.out", kBsd).ok();
    }
    EXPECT_LT(results, 4);
  }
}

TEST(GmonWriter, CountsTooLargeForTheirFieldAreSplitAndAddUp) {
  RawProfile profile = SmallProfile();
  profile.histograms[0].bins = {70000, 0, 200000, 1};
  profile.arcs = {{0x1010, 0x1020, 10'000'000'000}};
  auto read = ReadGmon(Encode(profile), "gmon.out");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->arcs.size(), 3u);
  ProfileMerger merger;
  ASSERT_TRUE(merger.Add(*std::move(read)).ok());
  ExpectEqualProfiles(merger.Take(), profile);
}

TEST(GmonWriter, AddressTooLargeFor32Bits) {
  RawProfile profile;
  profile.arcs.push_back({0x100000000, 0, 1});
  EXPECT_EQ(WriteGmon(profile, {4, false}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(GmonWriter, CountsThatWouldFillTheDiskAreRefused) {
  RawProfile profile;
  profile.arcs.push_back({1, 2, UINT64_MAX});
  EXPECT_THAT(WriteGmon(profile).status().message(), HasSubstr("4 GiB"));
}

// A file as glibc writes it.
std::string AsGlibc(std::string bytes) { return bytes.replace(8, 12, 12, '\0'); }

FunctionSymbol Function(uint64_t address, uint64_t size, const std::string& name) {
  FunctionSymbol symbol;
  symbol.address = address;
  symbol.size = size;
  symbol.name = name;
  symbol.is_function = true;
  return symbol;
}

// "first" ends within the block at 0x1020, in which "second" begins.
SymbolTable SharedBlocks() {
  SymbolTable image;
  image.functions = {Function(0x1000, 0x25, "first"), Function(0x1025, 0x1b, "second"),
                     Function(0x1040, 4, "third"),    Function(0x2000, 32, "callee"),
                     Function(0x2020, 32, "other"),   Function(0x3000, 32, "pointed")};
  image.shared_returns = {{0x1022, 0x2000}, {0x102b, 0x2020}, {0x102f, 0}};
  return image;
}

std::vector<uint64_t> CallersOf(const std::string& bytes, const SymbolTable& image,
                                bool to_middle = false) {
  GmonReadOptions options;
  options.image = &image;
  options.to_middle = to_middle;
  const auto profile = ReadGmon(bytes, "gmon.out", options);
  EXPECT_TRUE(profile.ok()) << profile.status();
  std::vector<uint64_t> callers;
  for (const RawArc& arc : profile->arcs) callers.push_back(arc.from_pc);
  return callers;
}

TEST(RoundedCallers, AreResolvedByTheCallsInTheirBlock) {
  RawProfile profile;
  profile.arcs = {{0x1020, 0x2008, 1}, {0x1020, 0x2028, 2}, {0x1020, 0x3000, 3}};
  for (const Layout layout : {Layout{8, false}, Layout{8, true}}) {
    const std::string bytes = Encode(profile, layout.address_size, layout.big_endian);
    // By the callee: in "first", in "second", and where the code does not contain it.
    EXPECT_THAT(CallersOf(AsGlibc(bytes), SharedBlocks()),
                testing::ElementsAre(0x1021, 0x102a, 0x102e));
  }
}

TEST(RoundedCallers, FilesWithExactCallersAreLeft) {
  RawProfile profile;
  profile.arcs = {{0x1020, 0x2028, 2}};
  EXPECT_THAT(CallersOf(Encode(profile), SharedBlocks(), true), testing::ElementsAre(0x1020));
  profile.arcs.push_back({0x1011, 0x2008, 2});
  EXPECT_THAT(CallersOf(AsGlibc(Encode(profile)), SharedBlocks(), true),
              testing::ElementsAre(0x1020, 0x1011));
}

TEST(RoundedCallers, BecomeTheMiddleOfTheBlockWithinTheFunction) {
  RawProfile profile;
  profile.arcs = {{0x1010, 0x2008, 1}, {0x1040, 0x2008, 1}};
  const std::string bytes = AsGlibc(Encode(profile));
  EXPECT_THAT(CallersOf(bytes, SharedBlocks(), true), testing::ElementsAre(0x1018, 0x1043));
  EXPECT_THAT(CallersOf(bytes, SharedBlocks()), testing::ElementsAre(0x1010, 0x1040));
}

TEST(RoundedCallers, OfASumAreItsFunctions) {
  RawProfile profile;
  profile.arcs = {{0x1025, 0x2000, 1}, {0x1040, 0x2000, 1}};
  GmonWriteOptions of_sum;
  of_sum.has_exact_callers = false;
  const std::string bytes = WriteGmon(profile, of_sum).value_or("");
  EXPECT_THAT(CallersOf(bytes, SharedBlocks(), true), testing::ElementsAre(0x1026, 0x1041));
  EXPECT_THAT(CallersOf(bytes, SharedBlocks()), testing::ElementsAre(0x1025, 0x1040));
  profile.arcs.push_back({0x1041, 0x2000, 1});
  EXPECT_THAT(CallersOf(AsGlibc(Encode(profile)), SharedBlocks(), true),
              testing::ElementsAre(0x1025, 0x1040, 0x1041));
}

TEST(RoundedCallers, BetweenFunctionsAreOfTheOneThatBeginsInTheBlock) {
  SymbolTable image = SharedBlocks();
  image.functions[0].size = 0x1c;
  image.shared_returns.clear();
  RawProfile profile;
  profile.arcs = {{0x1020, 0x2008, 1}};
  EXPECT_THAT(CallersOf(AsGlibc(Encode(profile)), image, true), testing::ElementsAre(0x1026));
}

TEST(RoundedCallers, OfFourByteWordsAreMultiplesOfEight) {
  SymbolTable image = SharedBlocks();
  image.address_size = 4;
  RawProfile profile;
  profile.arcs = {{0x1028, 0x2008, 1}};
  EXPECT_THAT(CallersOf(AsGlibc(Encode(profile, 4)), image), testing::ElementsAre(0x102e));
}

}  // namespace

}  // namespace gprofhub::profile
