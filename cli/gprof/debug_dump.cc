#include "cli/gprof/debug_dump.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing/rows.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {

namespace {

uint32_t Load32(absl::string_view bytes, size_t offset, bool big_endian) {
  uint32_t value = 0;
  if (bytes.size() - offset < sizeof value) return 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return big_endian ? __builtin_bswap32(value) : value;
}

std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat("\t", count, " ", what, count == 1 ? "" : "s", "\n");
}

}  // namespace

bool IsGnuGmon(absl::string_view content) { return absl::StartsWith(content, "gmon"); }

std::string Describe(const analyzer::ProfileRecords& records) {
  return absl::StrCat("File `", records.path, "' (version ", records.version, ") contains:\n",
                      Counted(records.histograms, "histogram record"),
                      Counted(records.arcs, "call-graph record"),
                      Counted(records.blocks, "basic-block count record"));
}

analyzer::ProfileRecords CountRecords(absl::string_view content, absl::string_view path,
                                      const profile::SymbolTable& symbols,
                                      const profile::RawProfile& profile, size_t all_arcs) {
  if (!IsGnuGmon(content)) {
    return {std::string(path), 0, profile.histograms.size(), all_arcs, profile.blocks.size()};
  }
  const bool big = symbols.big_endian;
  const size_t address = static_cast<size_t>(symbols.address_size);
  uint64_t histograms = 0;
  uint64_t arcs = 0;
  uint64_t blocks = 0;
  const uint32_t version = Load32(content, 4, big);
  // The reader has checked every length.
  for (size_t at = 20; at < content.size();) {
    const char tag = content[at++];
    if (tag == 0) {
      ++histograms;
      at += 2 * address + 24 + size_t{2} * Load32(content, at + 2 * address, big);
    } else if (tag == 1) {
      ++arcs;
      at += 2 * address + 4;
    } else if (tag == 2) {
      ++blocks;
      at += 4 + 2 * address * size_t{Load32(content, at, big)};
    } else {
      break;
    }
  }
  return {std::string(path), version, histograms, arcs, blocks};
}

namespace {

using analyzer::ChosenRun;

std::string DebugDumpCounted(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

absl::string_view TableName(SymspecTable table) {
  switch (table) {
    case SymspecTable::kIncludeGraph:
      return "include in call graph";
    case SymspecTable::kExcludeGraph:
      return "exclude from call graph";
    case SymspecTable::kIncludeArcs:
      return "include arcs";
    case SymspecTable::kExcludeArcs:
      return "exclude arcs";
    case SymspecTable::kIncludeFlat:
      return "include in flat profile";
    case SymspecTable::kExcludeFlat:
      return "exclude from flat profile";
    case SymspecTable::kIncludeTime:
      return "include time";
    case SymspecTable::kExcludeTime:
      return "exclude time";
    case SymspecTable::kIncludeAnnotated:
      return "include in annotated source";
    case SymspecTable::kExcludeAnnotated:
      return "exclude from annotated source";
    case SymspecTable::kIncludeCounts:
      return "include in execution counts";
    case SymspecTable::kExcludeCounts:
      return "exclude from execution counts";
  }
  return "";
}

// The number of rows that the symspec matches. `last` is the end of a run that counts.
uint64_t CountMatches(const analyzer::ListingRows& rows, absl::string_view symspec,
                      uint32_t ChosenRun::*last) {
  uint64_t count = 0;
  uint32_t counted_to = 0;
  for (const ChosenRun& run : ChosenRuns(rows, analyzer::Symspec::Parse(symspec))) {
    const uint32_t begin = std::max(run.first, counted_to);
    counted_to = std::max(counted_to, run.*last + 1);
    count += counted_to - std::min(begin, counted_to);
  }
  return count;
}

uint64_t CallsOf(const std::vector<profile::RawArc>& arcs) {
  return std::accumulate(arcs.begin(), arcs.end(), uint64_t{0},
                         [](uint64_t sum, const profile::RawArc& arc) { return sum + arc.count; });
}

std::string DescribeHistogram(const profile::Histogram& histogram) {
  const uint64_t samples =
      std::accumulate(histogram.bins.begin(), histogram.bins.end(), uint64_t{0});
  return absl::StrFormat(
      "  histogram 0x%x-0x%x: %s, %s, rate %d%s, dimension %s (%c)\n", histogram.low_pc,
      histogram.high_pc, DebugDumpCounted(histogram.bins.size(), "bin"),
      DebugDumpCounted(samples, "sample"), histogram.rate,
      histogram.rate_is_assumed ? " (assumed)" : "", histogram.dimension, histogram.abbreviation);
}

}  // namespace

DebugDump::DebugDump(const GprofOptions& options, const profile::SymbolTable& symbols)
    : options_(options),
      symbols_(symbols),
      rows_(symbols, options.listing.rows),
      finder_(rows_.table()) {}

std::string DebugDump::OfProgram() const {
  std::string out;
  if (Has(kDumpSymbols)) out += OfSymbols();
  if (!Has(kDumpSymspecs)) return out;
  for (const SymspecArgument& symspec : options_.symspecs.All()) out += OfSymspec(symspec);
  return out;
}

bool DebugDump::HasProfiles() const { return Has(kDumpArcs | kDumpRecords | kDumpBlocks); }

std::string DebugDump::OfProfile(absl::string_view content, absl::string_view path,
                                 const profile::RawProfile& profile,
                                 const std::vector<profile::CallsOut>& calls_out) const {
  const analyzer::ProfileRecords records =
      CountRecords(content, path, symbols_, profile, profile.arcs.size());
  const std::string format = profile::IsRecording(content) ? "recording"
                             : IsGnuGmon(content) ? absl::StrCat("gmon version ", records.version)
                                                  : "BSD gmon";
  std::string out = absl::StrFormat("profile %s: %s, %s, %s, %s\n", path, format,
                                    DebugDumpCounted(records.histograms, "histogram record"),
                                    DebugDumpCounted(records.arcs, "arc record"),
                                    DebugDumpCounted(records.blocks, "basic-block record"));
  if (Has(kDumpRecords)) {
    for (const profile::Histogram& histogram : profile.histograms)
      out += DescribeHistogram(histogram);
  }
  if (Has(kDumpArcs | kDumpRecords)) {
    for (const profile::RawArc& arc : profile.arcs) {
      absl::StrAppend(&out, "  arc ", Place(arc.from_pc), " -> ", Place(arc.self_pc), ": ",
                      DebugDumpCounted(arc.count, "call"), "\n");
    }
    for (const profile::CallsOut& calls : calls_out) {
      absl::StrAppend(&out, "  arcs into ", calls.path, ": ",
                      DebugDumpCounted(calls.arcs.size(), "arc"), ", ",
                      DebugDumpCounted(CallsOf(calls.arcs), "call"), "\n");
    }
  }
  if (Has(kDumpBlocks)) {
    for (const profile::BasicBlock& block : profile.blocks) {
      absl::StrAppend(&out, "  block ", Place(block.pc), ": ",
                      DebugDumpCounted(block.count, "execution"), "\n");
    }
  }
  return out;
}

std::string DebugDump::OfSymbols() const {
  const std::vector<profile::FunctionSymbol>& all = symbols_.functions;
  const auto local = std::count_if(all.begin(), all.end(),
                                   [](const profile::FunctionSymbol& one) { return one.is_local; });
  std::string out = absl::StrFormat(
      "image %s: %s, %d-byte addresses, %s-endian, code 0x%x-0x%x\n"
      "  %s (%d local) at 0x%x-0x%x, names from %s\n",
      options_.image, symbols_.architecture, symbols_.address_size,
      symbols_.big_endian ? "big" : "little", symbols_.text_low, symbols_.text_high,
      DebugDumpCounted(all.size(), "symbol"), local, all.front().address, all.back().address,
      options_.external_symbols.value_or(options_.image));
  if (!symbols_.lines.empty()) {
    absl::StrAppend(&out, "  ", DebugDumpCounted(symbols_.lines.size(), "line row"), ", ",
                    DebugDumpCounted(symbols_.files.size() - 1, "source file"), "\n");
  }
  absl::StrAppend(&out, "  ", DebugDumpCounted(rows_.size(), rows_.by_line() ? "line" : "function"),
                  " in the listings\n");
  return out;
}

std::string DebugDump::OfSymspec(const SymspecArgument& symspec) const {
  const absl::string_view text = symspec.text;
  const size_t slash = text.find('/');
  const bool is_of_arcs =
      symspec.table == SymspecTable::kIncludeArcs || symspec.table == SymspecTable::kExcludeArcs;
  const absl::string_view first = text.substr(0, slash);
  std::string matched;
  if (!is_of_arcs) {
    matched = DebugDumpCounted(CountMatches(rows_, first, &ChosenRun::last_chosen), "row");
  } else if (slash == absl::string_view::npos) {
    matched = "not FROM/TO, no effect";
  } else {
    matched = absl::StrCat(
        DebugDumpCounted(CountMatches(rows_, first, &ChosenRun::last_caller), "caller row"), ", ",
        DebugDumpCounted(CountMatches(rows_, text.substr(slash + 1), &ChosenRun::last_matched),
                         "callee row"));
  }
  return absl::StrCat("symspec \"", text, "\", ", TableName(symspec.table), ": ", matched, "\n");
}

std::string DebugDump::Place(uint64_t pc) const {
  const uint32_t row = finder_.ByAddress(pc);
  if (row == analyzer::kNoFunction) return absl::StrFormat("0x%x (?)", pc);
  std::string place = absl::StrFormat("0x%x (%s", pc, rows_.LinkageName(row));
  if (rows_.by_line() && rows_.Line(row) != 0) {
    absl::StrAppend(&place, " ", analyzer::WithoutDirectory(rows_.File(row)), ":", rows_.Line(row));
  }
  return place + ")";
}

}  // namespace gprofhub::cli
