#include "cli/serve/page_options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "store/testing/temp_dir.h"

namespace gprofhub::cli {
namespace {

std::string FileWith(const std::string& text) {
  const std::string file = store::MakeTempDir() + "/key";
  std::ofstream(file) << text << "\n";
  return file;
}

TEST(PictureOptionsTest, PicturesAreWhereThePagesAre) {
  PageOptions pages;
  pages.url = "https://gprofhub.example/";
  const auto options = ReadPictureOptions(FileWith(std::string(32, 'k')), ComparisonPageUrl(pages));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host, "https://gprofhub.example");
  EXPECT_EQ(options->key, std::string(32, 'k'));
}

TEST(PictureOptionsTest, WithoutAKeyThereAreNone) {
  const auto options = ReadPictureOptions("", "");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->key.empty());
}

TEST(PictureOptionsTest, WhatCouldBeGuessedOrIsNowhereIsRefused) {
  const std::string url = "https://gprofhub.example/p/{project}/compare/{run}";
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadPictureOptions(FileWith(std::string(31, 'k')), url).status()));
  const std::string key = FileWith(std::string(32, 'k'));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadPictureOptions(key, "").status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadPictureOptions(key, "https://elsewhere.example/{run}").status()));
  EXPECT_FALSE(ReadPictureOptions("/nowhere/key", url).ok());
}

}  // namespace
}  // namespace gprofhub::cli
