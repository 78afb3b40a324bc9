#include "cli/order/replay.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analyzer/ordering/linker_files.h"
#include "analyzer/ordering/replay.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "profile/elf/file.h"
#include "profile/elf/read_image.h"

namespace gprofhub::cli {

namespace {

const NamedMetric* FindMetric(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kReplayMetrics), std::end(kReplayMetrics),
                                   [&](const NamedMetric& metric) { return metric.name == name; });
  return found == std::end(kReplayMetrics) ? nullptr : found;
}

}  // namespace

absl::StatusOr<std::vector<DriftLimit>> ParseDriftLimits(absl::Span<const std::string> texts) {
  std::vector<DriftLimit> limits;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const NamedMetric* metric = FindMetric(text.substr(0, equals));
    double percent = 0;
    if (equals == std::string::npos || metric == nullptr ||
        !absl::SimpleAtod(text.substr(equals + 1), &percent) || !std::isfinite(percent) ||
        percent < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--max-drift=", text, ": must be METRIC=PERCENT, with a percentage from 0 on and one of ",
          absl::StrJoin(kReplayMetrics, ", ", [](std::string* out, const NamedMetric& known) {
            absl::StrAppend(out, known.name);
          })));
    }
    limits.push_back({*metric, percent});
  }
  return limits;
}

std::vector<std::string> DriftsBeyond(absl::Span<const DriftLimit> limits,
                                      absl::string_view current_name,
                                      const analyzer::ReplayMetrics& current,
                                      absl::string_view renewed_name,
                                      const analyzer::ReplayMetrics& renewed) {
  std::vector<std::string> drifts;
  for (const DriftLimit& limit : limits) {
    const uint64_t now = current.*limit.metric.value;
    const uint64_t then = renewed.*limit.metric.value;
    const double allowed = static_cast<double>(then) * (1 + limit.percent / 100);
    if (static_cast<double>(now) <= allowed) continue;
    drifts.push_back(absl::StrFormat("%s: %s has %d, %s has %d: more than %g%% higher",
                                     limit.metric.name, current_name, now, renewed_name, then,
                                     limit.percent));
  }
  return drifts;
}

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
                    startup + Touched(strip, analyzer::PageTouch::kLater), " in total</text>\n");
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
    return absl::InternalError(absl::StrCat("cannot encode the PNG: ", image.message));
  }
  png.resize(size);
  return png;
}

namespace {

constexpr size_t kMostMissedShown = 20;
// A program with addresses below this is position-independent.
constexpr uint64_t kFixedAddress = 0x10000;
constexpr uint64_t kValgrindBias = 0x108000;

absl::StatusOr<analyzer::InstructionTrace> ReadTrace(const ReplayArguments& arguments,
                                                     const profile::SymbolTable& program) {
  uint64_t bias = program.text_low < kFixedAddress ? kValgrindBias : 0;
  if (arguments.load_bias != "auto" && !absl::SimpleHexAtoi(arguments.load_bias, &bias)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--load-bias=", arguments.load_bias, ": must be hexadecimal"));
  }
  if (arguments.trace == "-") {
    return analyzer::ReadLackeyTrace(std::cin, "standard input", program, bias);
  }
  std::ifstream file(arguments.trace, std::ios::binary);
  std::string begin(32, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (!analyzer::IsStoredTrace(begin)) {
    file.clear();
    file.seekg(0);
    if (!file) return absl::NotFoundError(absl::StrCat(arguments.trace, " cannot be read"));
    return analyzer::ReadLackeyTrace(file, arguments.trace, program, bias);
  }
  ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(arguments.trace));
  return analyzer::DecodeTrace(bytes, arguments.trace);
}

// Names from a symbol file, or from a linked program by address.
absl::StatusOr<std::vector<std::string>> ReadNames(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path));
  if (!profile::IsElf(text)) return analyzer::ParseSymbolFile(text);
  ASSIGN_OR_RETURN(const profile::SymbolTable symbols,
                   profile::ReadElfSymbols(path, {.with_lines = false}));
  std::vector<std::string> names;
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (symbol.is_function) names.push_back(symbol.name);
  }
  return names;
}

nlohmann::ordered_json ToJson(const analyzer::ReplayMetrics& metrics) {
  nlohmann::ordered_json json;
  for (const NamedMetric& metric : kReplayMetrics) {
    json[std::string(metric.name)] = metrics.*metric.value;
  }
  return json;
}

// The replayed orders with their display names; the first is the program as linked.
using Results = std::vector<std::pair<std::string, analyzer::Replayed>>;

absl::StatusOr<Results> ReplayAll(const analyzer::Replayer& replayer,
                                  const std::vector<std::string>& orders) {
  Results results;
  results.emplace_back("as linked", replayer.Replay({}));
  for (const std::string& order : orders) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadNames(order));
    results.emplace_back(order, replayer.Replay(names));
  }
  return results;
}

std::string ReplayJson(const ReplayArguments& arguments, uint64_t instructions,
                       const analyzer::ReplayLimit& limit, const Results& results) {
  nlohmann::ordered_json json = {
      {"trace", arguments.trace},
      {"binary", arguments.binary},
      {"instructions", instructions},
      {"limit", {{"startup_pages", limit.startup_pages}, {"pages", limit.pages}}},
      {"as_linked", ToJson(results[0].second.metrics)},
      {"orders", nlohmann::ordered_json::array()}};
  for (size_t i = 1; i < results.size(); ++i) {
    nlohmann::ordered_json order = {{"order", results[i].first}};
    order.update(ToJson(results[i].second.metrics));
    json["orders"].push_back(std::move(order));
  }
  return JsonText(json);
}

std::string ReplayTable(const ReplayArguments& arguments, uint64_t instructions,
                        const analyzer::ReplayLimit& limit, const Results& results) {
  std::vector<Table::Align> columns(6, Table::Align::kRight);
  columns[0] = Table::Align::kLeft;
  Table table(columns);
  table.AddRow({"", "start-up", "", "iTLB misses", "iTLB misses", "L1I"});
  table.AddRow({"order", "pages", "pages", "64 entries", "16 entries", "misses"});
  for (const auto& [name, replayed] : results) {
    const analyzer::ReplayMetrics& metrics = replayed.metrics;
    table.AddRow({name, absl::StrCat(metrics.startup_pages), absl::StrCat(metrics.pages),
                  absl::StrCat(metrics.itlb_misses_64), absl::StrCat(metrics.itlb_misses_16),
                  absl::StrCat(metrics.l1i_misses)});
  }
  table.AddRow({"code of the functions that ran", absl::StrFormat("%.1f", limit.startup_pages),
                absl::StrFormat("%.1f", limit.pages)});
  return absl::StrCat("Instruction fetches over ", instructions, " instructions of ",
                      base::Printable(arguments.binary), "\n\n", table.Text());
}

// Draws the pages that the first and the last order touch, as <report>.svg and <report>.png.
absl::Status WritePictures(const Results& results, const std::string& report) {
  const size_t before = results.size() > 2 ? 1 : 0;
  const std::vector<PageStrip> strips = {{results[before].first, results[before].second.pages},
                                         {results.back().first, results.back().second.pages}};
  ASSIGN_OR_RETURN(const std::string png, PagesAsPng(strips));
  RETURN_IF_ERROR(WriteFile(absl::StrCat(report, ".svg"), PagesAsSvg(strips)));
  return WriteFile(absl::StrCat(report, ".png"), png);
}

}  // namespace

absl::StatusOr<ReplayReport> ReplayOrders(const ReplayArguments& arguments,
                                          const std::string& report) {
  ASSIGN_OR_RETURN(const profile::SymbolTable program,
                   profile::ReadElfSymbols(arguments.binary, {.with_lines = false}));
  ASSIGN_OR_RETURN(const analyzer::InstructionTrace trace, ReadTrace(arguments, program));
  ASSIGN_OR_RETURN(const analyzer::Replayer replayer, analyzer::Replayer::Create(program, trace));

  ASSIGN_OR_RETURN(const Results results, ReplayAll(replayer, arguments.orders));
  ReplayReport made;
  if (!arguments.max_drift.empty()) {
    const auto& [current_name, current] = results[1];
    const auto& [renewed_name, renewed] = results.back();
    made.drifts = DriftsBeyond(arguments.max_drift, current_name, current.metrics, renewed_name,
                               renewed.metrics);
  }
  if (report.empty()) {
    made.text = ReplayJson(arguments, trace.instructions, replayer.Limit(), results);
    return made;
  }
  made.text = ReplayTable(arguments, trace.instructions, replayer.Limit(), results);
  RETURN_IF_ERROR(WritePictures(results, report));
  return made;
}

absl::StatusOr<std::string> StoreTrace(const ReplayArguments& arguments, const std::string& path) {
  ASSIGN_OR_RETURN(const profile::SymbolTable program,
                   profile::ReadElfSymbols(arguments.binary, {.with_lines = false}));
  ASSIGN_OR_RETURN(const analyzer::InstructionTrace trace, ReadTrace(arguments, program));
  const std::string bytes = analyzer::EncodeTrace(trace);
  RETURN_IF_ERROR(WriteFile(path, bytes));
  return absl::StrCat(path, ": ", trace.instructions, " instructions in ", bytes.size(),
                      " bytes\n");
}

absl::StatusOr<Verified> VerifyOrder(const std::string& binary,
                                     const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(const profile::SymbolTable symbols,
                   profile::ReadElfSymbols(binary, {.with_lines = false}));
  const analyzer::Placement placement = analyzer::CheckPlacement(symbols, names);
  Verified verified;
  verified.all_placed = placement.missed.empty() && placement.present > 0;
  verified.text = absl::StrCat(
      binary, ": ", placement.placed, " of ", placement.present, " functions are in order, in ",
      placement.span, " bytes with ", placement.strangers, " other functions between them; ",
      placement.asked - placement.present, " of the ordering are not in the program\n");
  const size_t shown = std::min(kMostMissedShown, placement.missed.size());
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&verified.text, "  out of order: ", placement.missed[i], "\n");
  }
  if (placement.missed.size() > shown) {
    absl::StrAppend(&verified.text, "  and ", placement.missed.size() - shown, " more\n");
  }
  if (!verified.all_placed) {
    absl::StrAppend(&verified.text,
                    "  A linker moves sections: compile with -ffunction-sections, and link with "
                    "this ordering. lld places every function; gold and GNU ld place sections.\n");
  }
  return verified;
}

}  // namespace gprofhub::cli
