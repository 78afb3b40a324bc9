#include "cli/order/page_picture.h"

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kColumns = 64;
constexpr size_t kSquare = 10;  // pixels, with a gap of one
constexpr size_t kMargin = 10;
constexpr size_t kTitle = 24;                                          // SVG only
constexpr const char* kColours[] = {"#e8e8e8", "#f0a860", "#a03020"};  // by PageTouch
constexpr uint8_t kPalette[] = {0xe8, 0xe8, 0xe8, 0xf0, 0xa8, 0x60,
                                0xa0, 0x30, 0x20, 0xff, 0xff, 0xff};
constexpr uint8_t kBackground = 3;

size_t Rows(const PageStrip& strip) { return (strip.pages.size() + kColumns - 1) / kColumns; }

size_t Touched(const PageStrip& strip, analyzer::PageTouch touch) {
  return static_cast<size_t>(std::count(strip.pages.begin(), strip.pages.end(), touch));
}

std::string Escape(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace

std::string PagesAsSvg(absl::Span<const PageStrip> strips) {
  const size_t width = 2 * kMargin + kColumns * kSquare;
  std::string body;
  size_t y = kMargin;
  for (const PageStrip& strip : strips) {
    const size_t startup = Touched(strip, analyzer::PageTouch::kStartup);
    absl::StrAppend(&body, "<text x=\"", kMargin, "\" y=\"", y + kTitle / 2, "\">",
                    Escape(strip.title), ": ", startup, " pages at start-up, ",
                    startup + Touched(strip, analyzer::PageTouch::kLater), " in all</text>\n");
    y += kTitle;
    for (size_t i = 0; i < strip.pages.size(); ++i) {
      absl::StrAppend(&body, "<rect x=\"", kMargin + i % kColumns * kSquare, "\" y=\"",
                      y + i / kColumns * kSquare, "\" width=\"", kSquare - 1, "\" height=\"",
                      kSquare - 1, "\" fill=\"", kColours[static_cast<size_t>(strip.pages[i])],
                      "\"/>\n");
    }
    y += Rows(strip) * kSquare + kMargin;
  }
  absl::StrAppend(&body, "<text x=\"", kMargin, "\" y=\"", y + kTitle / 2,
                  "\">Each square is a page of 4 KiB: dark, touched at start-up; light, touched "
                  "later; grey, never</text>\n");
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"",
                      y + kTitle + kMargin,
                      "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
                      "height=\"100%\" fill=\"#ffffff\"/>\n",
                      body, "</svg>\n");
}

absl::StatusOr<std::string> PagesAsPng(absl::Span<const PageStrip> strips) {
  const size_t width = 2 * kMargin + kColumns * kSquare;
  std::vector<uint8_t> pixels(width * kMargin, kBackground);
  for (const PageStrip& strip : strips) {
    const size_t top = pixels.size() / width;
    pixels.resize(pixels.size() + width * (Rows(strip) * kSquare + kMargin), kBackground);
    for (size_t i = 0; i < strip.pages.size(); ++i) {
      for (size_t y = 0; y + 1 < kSquare; ++y) {
        const size_t row = top + i / kColumns * kSquare + y;
        const size_t at = row * width + kMargin + i % kColumns * kSquare;
        std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(at), kSquare - 1,
                    static_cast<uint8_t>(strip.pages[i]));
      }
    }
  }

  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(pixels.size() / width);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = std::size(kPalette) / 3;
  std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = png.size();
  if (png_image_write_to_memory(&image, png.data(), &size, /*convert_to_8bit=*/0, pixels.data(),
                                static_cast<png_int_32>(width), kPalette) == 0) {
    return absl::InternalError(absl::StrCat("the PNG cannot be made: ", image.message));
  }
  png.resize(size);
  return png;
}

}  // namespace gprofhub::cli
