// The PNG holds its pixels unpacked (deflate's stored blocks, RFC 1950 and 1951), with
// a palette of the four colours: a picture of 600 pages has 150 KiB.
#include "cli/page_picture.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub {
namespace {

constexpr size_t kColumns = 64;
constexpr size_t kSquare = 10;  // pixels, with a gap of one
constexpr size_t kMargin = 10;
constexpr size_t kTitle = 24;  // SVG only
constexpr const char* kColours[] = {"#e8e8e8", "#f0a860", "#a03020"};  // by PageTouch
constexpr uint8_t kPalette[] = {0xe8, 0xe8, 0xe8, 0xf0, 0xa8, 0x60,
                                0xa0, 0x30, 0x20, 0xff, 0xff, 0xff};
constexpr uint8_t kBackground = 3;

size_t Rows(const PageStrip& strip) { return (strip.pages.size() + kColumns - 1) / kColumns; }

size_t Touched(const PageStrip& strip, PageTouch touch) {
  return static_cast<size_t>(std::count(strip.pages.begin(), strip.pages.end(), touch));
}

std::string Escape(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

void AppendBigEndian(std::string& bytes, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
}

uint32_t Crc(const std::string& bytes) {
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

uint32_t Adler(const std::string& bytes) {
  uint32_t low = 1;
  uint32_t high = 0;
  for (const char byte : bytes) {
    low = (low + static_cast<uint8_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

void AppendChunk(std::string& png, const std::string& type, const std::string& data) {
  AppendBigEndian(png, static_cast<uint32_t>(data.size()));
  absl::StrAppend(&png, type, data);
  AppendBigEndian(png, Crc(type + data));
}

std::string Stored(const std::string& bytes) {
  constexpr size_t kMost = 65535;
  std::string packed = "\x78\x01";
  for (size_t at = 0; at < bytes.size(); at += kMost) {
    const size_t size = std::min(kMost, bytes.size() - at);
    packed.push_back(at + size == bytes.size() ? 1 : 0);
    for (const size_t word : {size, ~size}) {
      packed.push_back(static_cast<char>(word));
      packed.push_back(static_cast<char>(word >> 8));
    }
    packed.append(bytes, at, size);
  }
  AppendBigEndian(packed, Adler(bytes));
  return packed;
}

}  // namespace

std::string PagesAsSvg(absl::Span<const PageStrip> strips) {
  const size_t width = 2 * kMargin + kColumns * kSquare;
  std::string body;
  size_t y = kMargin;
  for (const PageStrip& strip : strips) {
    const size_t startup = Touched(strip, PageTouch::kStartup);
    absl::StrAppend(&body, "<text x=\"", kMargin, "\" y=\"", y + kTitle / 2, "\">",
                    Escape(strip.title), ": ", startup, " pages at start-up, ",
                    startup + Touched(strip, PageTouch::kLater), " in all</text>\n");
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

std::string PagesAsPng(absl::Span<const PageStrip> strips) {
  const size_t width = 2 * kMargin + kColumns * kSquare;
  std::string pixels;
  const auto add_rows = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      pixels.push_back(0);  // no filter
      pixels.append(width, static_cast<char>(kBackground));
    }
  };
  add_rows(kMargin);
  for (const PageStrip& strip : strips) {
    const size_t top = pixels.size() / (width + 1);
    add_rows(Rows(strip) * kSquare + kMargin);
    for (size_t i = 0; i < strip.pages.size(); ++i) {
      for (size_t y = 0; y + 1 < kSquare; ++y) {
        const size_t row = top + i / kColumns * kSquare + y;
        const size_t at = row * (width + 1) + 1 + kMargin + i % kColumns * kSquare;
        std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(at), kSquare - 1,
                    static_cast<char>(strip.pages[i]));
      }
    }
  }

  std::string header;
  AppendBigEndian(header, static_cast<uint32_t>(width));
  AppendBigEndian(header, static_cast<uint32_t>(pixels.size() / (width + 1)));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // eight bits, palette
  std::string png = "\x89PNG\r\n\x1a\n";
  AppendChunk(png, "IHDR", header);
  AppendChunk(png, "PLTE", std::string(std::begin(kPalette), std::end(kPalette)));
  AppendChunk(png, "IDAT", Stored(pixels));
  AppendChunk(png, "IEND", "");
  return png;
}

}  // namespace gprofhub
