#include "cli/order/page_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kUntouched = 0xe8e8e8;
constexpr uint32_t kLater = 0xf0a860;
constexpr uint32_t kStartup = 0xa03020;
constexpr uint32_t kWhite = 0xffffff;

std::vector<PageStrip> TwoStrips() {
  std::vector<analyzer::PageTouch> pages(65, analyzer::PageTouch::kNever);
  pages[1] = analyzer::PageTouch::kLater;
  pages[64] = analyzer::PageTouch::kStartup;
  return {{"before <1>", pages}, {"after", {analyzer::PageTouch::kStartup}}};
}

struct Picture {
  png_image image = {};
  std::vector<uint8_t> bytes;  // three of each pixel

  uint32_t At(size_t x, size_t y) const {
    const uint8_t* pixel = &bytes[3 * (y * image.width + x)];
    return uint32_t{pixel[0]} << 16 | uint32_t{pixel[1]} << 8 | pixel[2];
  }
};

Picture Decode(const std::string& png) {
  Picture picture;
  picture.image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&picture.image, png.data(), png.size()), 0);
  picture.image.format = PNG_FORMAT_RGB;
  picture.bytes.resize(PNG_IMAGE_SIZE(picture.image));
  EXPECT_NE(png_image_finish_read(&picture.image, nullptr, picture.bytes.data(), 0, nullptr), 0);
  return picture;
}

TEST(PagesAsPng, HasASquareForEachPage) {
  const absl::StatusOr<std::string> png = PagesAsPng(TwoStrips());
  ASSERT_TRUE(png.ok()) << png.status();
  const Picture picture = Decode(*png);
  EXPECT_EQ(picture.image.width, 660u);
  EXPECT_EQ(picture.image.height, 60u);
  EXPECT_EQ(picture.At(0, 0), kWhite);
  EXPECT_EQ(picture.At(10, 10), kUntouched);
  EXPECT_EQ(picture.At(18, 18), kUntouched);
  EXPECT_EQ(picture.At(19, 19), kWhite) << "the gap between squares";
  EXPECT_EQ(picture.At(20, 10), kLater);
  EXPECT_EQ(picture.At(10, 20), kStartup) << "the second row";
  EXPECT_EQ(picture.At(20, 20), kWhite) << "no page";
  EXPECT_EQ(picture.At(10, 40), kStartup) << "the second strip";
}

TEST(PagesAsSvg, NamesStripsAndCountsTheirPages) {
  const std::string svg = PagesAsSvg(TwoStrips());
  EXPECT_THAT(svg, HasSubstr("before &lt;1&gt;: 1 pages at start-up, 2 in all"));
  EXPECT_THAT(svg, HasSubstr("after: 1 pages at start-up, 1 in all"));
}

}  // namespace
}  // namespace gprofhub::cli
