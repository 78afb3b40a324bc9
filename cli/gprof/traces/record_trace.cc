#include "cli/gprof/traces/record_trace.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/functions/function_table.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {
namespace {

// Fields of a file of either byte order, one after another.
class Fields {
 public:
  Fields(absl::string_view content, const profile::SymbolTable& symbols)
      : rest_(content), symbols_(symbols) {}

  bool AtEnd() const { return rest_.empty(); }
  void Skip(size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }
  uint64_t Address() { return Number(static_cast<size_t>(symbols_.address_size)); }
  uint64_t Number(size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes && i < rest_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(rest_[symbols_.big_endian ? i : bytes - 1 - i]);
      value = value << 8 | byte;
    }
    Skip(bytes);
    return value;
  }

 private:
  absl::string_view rest_;
  const profile::SymbolTable& symbols_;
};

}  // namespace

RecordTrace::RecordTrace(const profile::SymbolTable& symbols, const analyzer::ListingRows& rows,
                         unsigned levels, uint64_t last, const ChosenArcs& chosen)
    : symbols_(symbols),
      rows_(rows),
      levels_(levels),
      chosen_(chosen),
      arcs_(rows, levels),
      table_(rows, last) {}

uint32_t RecordTrace::Find(uint64_t pc, std::string& out) const {
  const SymbolSearch search = table_.Search(pc);
  if (Has(kTraceLookups)) out += table_.Trace(search);
  return search.is_found ? analyzer::FindByAddress(rows_.table(), pc) : analyzer::kNoFunction;
}

void RecordTrace::AddHistogram(const profile::Histogram& histogram, std::string& out) {
  if (!Has(kTraceSamples)) return;
  std::vector<uint64_t>& sums = bins_[histogram.low_pc];
  sums.resize(histogram.bins.size());
  absl::StrAppendFormat(&out, "[hist_read_rec] n_lowpc 0x%x n_highpc 0x%x ncnt %d\n",
                        histogram.low_pc, histogram.high_pc, sums.size());
  const double width =
      static_cast<double>(histogram.high_pc - histogram.low_pc) / static_cast<double>(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] += histogram.bins[i];
    absl::StrAppendFormat(&out, "[hist_read_rec] 0x%x: %d\n",
                          histogram.low_pc + static_cast<uint64_t>(width * static_cast<double>(i)),
                          sums[i]);
  }
}

void RecordTrace::AddArc(absl::string_view reader, uint64_t from_pc, uint64_t self_pc,
                         uint64_t count, std::string& out) {
  if (Has(kTraceSamples)) {
    absl::StrAppendFormat(&out, "[%s] frompc 0x%x selfpc 0x%x count %d\n", reader, from_pc, self_pc,
                          count);
  }
  const uint32_t caller = Find(from_pc, out);
  uint32_t callee = Find(self_pc, out);
  if (callee != analyzer::kNoFunction) callee = rows_.table().functions[callee].call_target;
  if (caller == analyzer::kNoFunction || callee == analyzer::kNoFunction) return;
  if (chosen_.included.has_callers()) {
    if (!chosen_.included.Contains(caller, callee, out)) return;
  } else if (chosen_.excluded.Contains(caller, callee, out)) {
    return;
  }
  if (Has(kTraceArcs)) {
    absl::StrAppendFormat(&out, "[cg_tally] arc from %s to %s traversed %d times\n",
                          rows_.LinkageName(caller), rows_.LinkageName(callee), count);
  }
  arcs_.Add(caller, callee, count, out);
}

void RecordTrace::AddBlock(uint64_t pc, uint64_t count, std::string& out) {
  if (!rows_.by_line()) return;
  const uint32_t row = Find(pc, out);
  if (row == analyzer::kNoFunction || !Has(kTraceBlocks)) return;
  absl::StrAppendFormat(&out, "[bb_read_rec] 0x%x->0x%x (%s:%d) cnt=%d\n", pc, rows_.Address(row),
                        rows_.LinkageName(row), rows_.Line(row), count);
}

std::string RecordTrace::OfGmon(absl::string_view content) {
  constexpr size_t kHeaderBytes = 20;
  constexpr size_t kUnitBytes = 16;  // the dimension and its abbreviation
  std::string out;
  Fields fields(content, symbols_);
  fields.Skip(kHeaderBytes);
  while (!fields.AtEnd()) {
    const uint64_t tag = fields.Number(1);
    if (tag == 0) {
      profile::Histogram histogram;
      histogram.low_pc = fields.Address();
      histogram.high_pc = fields.Address();
      histogram.bins.resize(fields.Number(4));
      fields.Skip(4 + kUnitBytes);
      for (uint64_t& bin : histogram.bins) bin = fields.Number(2);
      AddHistogram(histogram, out);
    } else if (tag == 1) {
      const uint64_t from_pc = fields.Address();
      const uint64_t self_pc = fields.Address();
      AddArc("cg_read_rec", from_pc, self_pc, fields.Number(4), out);
    } else if (tag == 2) {
      for (uint64_t left = fields.Number(4); left > 0; --left) {
        const uint64_t pc = fields.Address();
        AddBlock(pc, fields.Address(), out);
      }
    } else {
      break;
    }
  }
  return out;
}

std::string RecordTrace::OfBsd(absl::string_view content, bool has_version) {
  constexpr size_t kVersionBytes = 20;  // with the rate and spare bytes
  const size_t address_bytes = static_cast<size_t>(symbols_.address_size);
  std::string out;
  Fields fields(content, symbols_);
  const uint64_t low_pc = fields.Address();
  const uint64_t high_pc = fields.Address();
  const uint64_t bytes = fields.Number(4);
  if (has_version) fields.Skip(kVersionBytes);
  const uint64_t bin_bytes = bytes - 2 * address_bytes - 4 - (has_version ? kVersionBytes : 0);
  fields.Skip(bin_bytes);
  if (Has(kTraceSamples)) {
    absl::StrAppendFormat(&out, "[gmon_out_read] lowpc 0x%x highpc 0x%x ncnt %d\n", low_pc, high_pc,
                          bytes);
    absl::StrAppendFormat(&out, "[gmon_out_read] samp_bytes %d hist_num_bins %d\n", bin_bytes,
                          bin_bytes / 2);
  }
  while (!fields.AtEnd()) {
    const uint64_t from_pc = fields.Address();
    const uint64_t self_pc = fields.Address();
    AddArc("gmon_out_read", from_pc, self_pc, fields.Address(), out);
  }
  return out;
}

std::string RecordTrace::OfProfile(absl::string_view content, TracedFormat format) {
  if (format == TracedFormat::kGmon) return OfGmon(content);
  return OfBsd(content, format == TracedFormat::k44Bsd);
}

std::string RecordTrace::OfSelfLookups() {
  std::string out;
  for (uint32_t row = 0; row < rows_.size(); ++row) arcs_.Find(row, row, out);
  return out;
}

}  // namespace gprofhub::cli
