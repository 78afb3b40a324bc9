#include "cli/order/replay.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/linker_files/placement.h"
#include "analyzer/linker_files/symbol_file.h"
#include "analyzer/replay/instruction_trace.h"
#include "analyzer/replay/replay.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cli/order/page_picture.h"
#include "cli/output/json_text.h"
#include "cli/output/table.h"
#include "cli/output/write_file.h"
#include "profile/elf/magic.h"
#include "profile/image/read_image.h"

namespace gprofhub::cli {
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
  const absl::StatusOr<std::string> bytes = base::ReadFile(arguments.trace);
  if (!bytes.ok()) return bytes.status();
  return analyzer::DecodeTrace(*bytes, arguments.trace);
}

// Names from a symbol file, or from a linked program by address.
absl::StatusOr<std::vector<std::string>> ReadNames(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return text.status();
  if (!profile::IsElf(*text)) return analyzer::ParseSymbolFile(*text);
  const absl::StatusOr<profile::SymbolTable> symbols =
      profile::ReadElfSymbols(path, {.with_lines = false});
  if (!symbols.ok()) return symbols.status();
  std::vector<std::string> names;
  for (const profile::FunctionSymbol& symbol : symbols->functions) {
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
    const absl::StatusOr<std::vector<std::string>> names = ReadNames(order);
    if (!names.ok()) return names.status();
    results.emplace_back(order, replayer.Replay(*names));
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
  const absl::StatusOr<std::string> png = PagesAsPng(strips);
  if (!png.ok()) return png.status();
  if (absl::Status status = WriteFile(absl::StrCat(report, ".svg"), PagesAsSvg(strips));
      !status.ok()) {
    return status;
  }
  return WriteFile(absl::StrCat(report, ".png"), *png);
}

}  // namespace

absl::StatusOr<ReplayReport> ReplayOrders(const ReplayArguments& arguments,
                                          const std::string& report) {
  const absl::StatusOr<profile::SymbolTable> program =
      profile::ReadElfSymbols(arguments.binary, {.with_lines = false});
  if (!program.ok()) return program.status();
  const absl::StatusOr<analyzer::InstructionTrace> trace = ReadTrace(arguments, *program);
  if (!trace.ok()) return trace.status();
  const absl::StatusOr<analyzer::Replayer> replayer = analyzer::Replayer::Create(*program, *trace);
  if (!replayer.ok()) return replayer.status();

  const absl::StatusOr<Results> results = ReplayAll(*replayer, arguments.orders);
  if (!results.ok()) return results.status();
  ReplayReport made;
  if (!arguments.max_drift.empty()) {
    const auto& [current_name, current] = (*results)[1];
    const auto& [renewed_name, renewed] = results->back();
    made.drifts = DriftsBeyond(arguments.max_drift, current_name, current.metrics, renewed_name,
                               renewed.metrics);
  }
  if (report.empty()) {
    made.text = ReplayJson(arguments, trace->instructions, replayer->Limit(), *results);
    return made;
  }
  made.text = ReplayTable(arguments, trace->instructions, replayer->Limit(), *results);
  if (absl::Status status = WritePictures(*results, report); !status.ok()) return status;
  return made;
}

absl::StatusOr<std::string> StoreTrace(const ReplayArguments& arguments, const std::string& path) {
  const absl::StatusOr<profile::SymbolTable> program =
      profile::ReadElfSymbols(arguments.binary, {.with_lines = false});
  if (!program.ok()) return program.status();
  const absl::StatusOr<analyzer::InstructionTrace> trace = ReadTrace(arguments, *program);
  if (!trace.ok()) return trace.status();
  const std::string bytes = analyzer::EncodeTrace(*trace);
  if (absl::Status written = WriteFile(path, bytes); !written.ok()) return written;
  return absl::StrCat(path, ": ", trace->instructions, " instructions in ", bytes.size(),
                      " bytes\n");
}

absl::StatusOr<Verified> VerifyOrder(const std::string& binary,
                                     const std::vector<std::string>& names) {
  const absl::StatusOr<profile::SymbolTable> symbols =
      profile::ReadElfSymbols(binary, {.with_lines = false});
  if (!symbols.ok()) return symbols.status();
  const analyzer::Placement placement = analyzer::CheckPlacement(*symbols, names);
  Verified verified;
  verified.all_placed = placement.missed.empty() && placement.present > 0;
  verified.text = absl::StrCat(
      binary, ": ", placement.placed, " of ", placement.present, " functions stand as ordered, in ",
      placement.span, " bytes with ", placement.strangers, " others between; ",
      placement.asked - placement.present, " of the ordering's are not in it\n");
  const size_t shown = std::min(kMostMissedShown, placement.missed.size());
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&verified.text, "  not as ordered: ", placement.missed[i], "\n");
  }
  if (placement.missed.size() > shown) {
    absl::StrAppend(&verified.text, "  and ", placement.missed.size() - shown, " more\n");
  }
  if (!verified.all_placed) {
    absl::StrAppend(&verified.text,
                    "  A linker moves sections: compile with -ffunction-sections, and link with "
                    "this ordering.\n");
  }
  return verified;
}

}  // namespace gprofhub::cli
