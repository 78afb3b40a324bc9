#include "profile/gmon/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/gmon/reader.h"

namespace gprofhub::profile {

namespace {

RawProfile Sample() {
  RawProfile profile;
  Histogram histogram;
  histogram.low_pc = 0x1000;
  histogram.high_pc = 0x1010;
  histogram.rate = 250;
  histogram.bins = {3, 0, 65535, 1};
  profile.histograms.push_back(histogram);
  profile.arcs.push_back({0x1004, 0x1008, 7});
  return profile;
}

TEST(BsdWriter, WhatIsWrittenIsRead) {
  for (const int size : {4, 8}) {
    for (const bool big_endian : {false, true}) {
      const auto bytes = WriteBsd(Sample(), {size, big_endian}, true);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      GmonReadOptions options;
      options.format = GmonReadOptions::Format::kBsd;
      options.address_size = size;
      options.big_endian = big_endian;
      const auto read = ReadGmon(*bytes, "gmon.sum", options);
      ASSERT_TRUE(read.ok()) << read.status();
      ASSERT_EQ(read->histograms.size(), 1u);
      EXPECT_EQ(read->histograms[0].rate, 250u);
      EXPECT_EQ(read->histograms[0].bins, Sample().histograms[0].bins);
      ASSERT_EQ(read->arcs.size(), 1u);
      EXPECT_EQ(read->arcs[0].count, 7u);
    }
  }
}

TEST(BsdWriter, WithoutAVersionTheHeaderIsShort) {
  const auto bytes = WriteBsd(Sample(), {8, false}, false);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->size(), 20u + 4 * 2 + 3 * 8);
}

TEST(BsdWriter, WhatTheFormatHasNoPlaceForIsRefused) {
  const auto expect_refused = [](const RawProfile& profile, const char* what) {
    const auto bytes = WriteBsd(profile, {4, false}, true);
    EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(bytes.status().message()), testing::HasSubstr(what));
  };
  RawProfile profile = Sample();
  profile.histograms.push_back(profile.histograms[0]);
  expect_refused(profile, "a second histogram");
  profile = Sample();
  profile.histograms[0].bins[1] = 65536;
  expect_refused(profile, "a bin of 65536 samples");
  profile = Sample();
  profile.blocks.push_back({0x1000, 1});
  expect_refused(profile, "basic blocks");
  profile = Sample();
  profile.arcs[0].count = uint64_t{1} << 32;
  expect_refused(profile, "4294967296 calls");
}

}  // namespace

}  // namespace gprofhub::profile
