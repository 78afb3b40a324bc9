#include "cli/gprof/input_files.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/lru_cache.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "cli/gprof/debug_dump.h"
#include "profile/codec/message.h"
#include "profile/elf/read_image.h"
#include "profile/gmon/reader.h"
#include "profile/merge.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"
#include "profile/recording/reader.h"
#include "profile/recording/shared.h"

namespace gprofhub::cli {

namespace {

double BytesPerBin(const HistogramHead& head) {
  return static_cast<double>(head.high_pc - head.low_pc) / static_cast<double>(head.bins);
}

absl::Status Changed(const std::string& program, absl::string_view what, absl::string_view from,
                     absl::string_view to) {
  return absl::InvalidArgumentError(
      absl::StrCat(program, ": dimension ", what, " changed between histogram records\n", program,
                   ": from '", from, "'\n", program, ": to '", to, "'"));
}

bool SameRange(const HistogramHead& a, const HistogramHead& b) {
  return a.low_pc == b.low_pc && a.high_pc == b.high_pc && a.bins == b.bins;
}

// `heads`: the previous ones, one per range, in order.
absl::Status CheckHead(const HistogramHead& head, const HistogramHeads& heads,
                       const std::string& program) {
  const HistogramHead& first = heads.front();
  if (head.is_bsd) {
    if (!head.rate_is_assumed && head.rate != first.rate) {
      return absl::InvalidArgumentError(
          absl::StrCat(head.path, ": profiling rate incompatible with first gmon file"));
    }
    if (!SameRange(head, first)) {
      return absl::InvalidArgumentError(
          absl::StrCat(head.path, ": incompatible with first gmon file"));
    }
  }
  if (head.dimension != first.dimension) {
    return Changed(program, "unit", first.dimension, head.dimension);
  }
  if (head.abbreviation != first.abbreviation) {
    return Changed(program, "abbreviation", absl::string_view(&first.abbreviation, 1),
                   absl::string_view(&head.abbreviation, 1));
  }
  constexpr double kTolerance = 2e-6;
  if (std::abs(BytesPerBin(head) - BytesPerBin(first)) > kTolerance) {
    return absl::InvalidArgumentError(
        absl::StrCat(program, ": different scales in histogram records"));
  }
  for (const HistogramHead& other : heads) {
    if (profile::Overlap(head.low_pc, head.high_pc, other.low_pc, other.high_pc) &&
        !SameRange(head, other)) {
      return absl::InvalidArgumentError(absl::StrCat(program, ": overlapping histogram records"));
    }
  }
  if (!head.rate_is_assumed && head.rate != first.rate) {
    return absl::InvalidArgumentError(absl::StrCat(
        program, ": ", head.path, ": incompatible sampling: the histogram has ", head.rate,
        " per \"", absl::CHexEscape(head.dimension), "\", the histogram of ", first.path, " has ",
        first.rate, "; list the two profiles separately"));
  }
  return absl::OkStatus();
}

}  // namespace

HistogramHeads HeadsOf(const profile::RawProfile& profile, const std::string& path) {
  HistogramHeads heads;
  for (const profile::Histogram& histogram : profile.histograms) {
    heads.push_back({path, histogram.low_pc, histogram.high_pc, histogram.bins.size(),
                     histogram.rate, histogram.dimension, histogram.abbreviation,
                     histogram.rate_is_assumed});
  }
  return heads;
}

absl::Status CheckHistograms(absl::Span<const std::optional<HistogramHeads>> profiles,
                             const std::string& program, size_t& checked) {
  HistogramHeads heads;
  for (checked = 0; checked < profiles.size() && profiles[checked]; ++checked) {
    for (const HistogramHead& head : *profiles[checked]) {
      if (!heads.empty()) {
        RETURN_IF_ERROR(CheckHead(head, heads, program));
      }
      const auto same = [&](const HistogramHead& other) { return SameRange(head, other); };
      if (std::none_of(heads.begin(), heads.end(), same)) heads.push_back(head);
    }
  }
  return absl::OkStatus();
}

namespace {

constexpr uint64_t kDistance = 16;  // between functions

std::string InBrackets(const std::string& path) {
  if (absl::StartsWith(path, "[")) return path;
  return absl::StrCat("[", path.substr(path.find_last_of('/') + 1), "]");
}

// The most common of a function's exported names: open, not open64, and not _IO_printf.
const std::string& UsualName(const profile::SymbolTable& symbols,
                             const analyzer::TableFunction& function) {
  const std::string* usual = &function.symbol->name;
  const auto rank = [](const std::string& name) {
    return std::make_pair(name.find_first_not_of('_'), name.size());
  };
  for (const profile::FunctionSymbol& symbol : analyzer::SymbolsAt(symbols, function.address)) {
    if (!symbol.is_local && rank(symbol.name) < rank(*usual)) usual = &symbol.name;
  }
  return *usual;
}

}  // namespace

LibraryFunctions::LibraryFunctions(const profile::SymbolTable& image)
    : next_(std::max(image.text_high, image.etext)) {
  if (!image.functions.empty()) {
    const profile::FunctionSymbol& last = image.functions.back();
    next_ = std::max(next_, last.address + last.size);
  }
  next_ = (next_ / kDistance + 1) * kDistance;
}

const LibraryFunctions::Module& LibraryFunctions::ModuleAt(const std::string& path,
                                                           const std::string& build_id) {
  std::unique_ptr<Module>& module = read_[absl::StrCat(path, " ", build_id)];
  if (module != nullptr) return *module;
  module = std::make_unique<Module>();
  module->name = InBrackets(path);
  const absl::StatusOr<std::string> found = profile::ReadElfBuildId(path);
  if (!found.ok() || *found != build_id) return *module;
  absl::StatusOr<profile::SymbolTable> symbols =
      profile::ReadElfSymbols(path, {.with_lines = false});
  if (!symbols.ok()) return *module;
  module->symbols = *std::move(symbols);
  module->table = analyzer::BuildFunctionTable(module->symbols, analyzer::SymbolPolicy::kExact);
  return *module;
}

uint64_t LibraryFunctions::AddressOf(const Module& module, uint64_t pc) {
  const uint32_t row = analyzer::FindByAddress(module.table, pc);
  const bool is_known = row != analyzer::kNoFunction;
  const analyzer::TableFunction* const known = is_known ? &module.table.functions[row] : nullptr;
  const auto [placed, is_new] =
      placed_.try_emplace({&module, is_known ? known->address : 0}, next_);
  if (!is_new) return placed->second;
  profile::FunctionSymbol function;
  function.address = next_;
  function.size = kDistance;
  function.name = is_known ? UsualName(module.symbols, *known) : module.name;
  function.is_function = true;
  functions_.push_back(std::move(function));
  next_ += kDistance;
  return placed->second;
}

std::vector<profile::RawArc> LibraryFunctions::Place(const std::vector<profile::CallsOut>& calls) {
  std::vector<profile::RawArc> arcs;
  for (const profile::CallsOut& out : calls) {
    const Module& module = ModuleAt(out.path, out.build_id);
    for (const profile::RawArc& arc : out.arcs) {
      arcs.push_back({arc.from_pc, AddressOf(module, arc.self_pc), arc.count});
    }
  }
  return arcs;
}

void LibraryFunctions::AddTo(profile::SymbolTable& symbols) const {
  if (functions_.empty()) return;
  uint32_t index = 0;
  for (const profile::FunctionSymbol& function : symbols.functions) {
    index = std::max(index, function.table_index + 1);
  }
  for (const profile::FunctionSymbol& function : functions_) {
    symbols.functions.push_back(function);
    symbols.functions.back().table_index = index++;
  }
}

namespace {

constexpr size_t kGmonHeaderBytes = 20;

// Whether the profile has the version of 4.4BSD behind its first three fields.
bool Is44Bsd(absl::string_view content, const profile::SymbolTable& symbols) {
  constexpr absl::string_view kBigEndianVersion("\x00\x05\x18\x79", 4);
  std::string version(content.substr(2 * static_cast<size_t>(symbols.address_size) + 4, 4));
  if (!symbols.big_endian) std::reverse(version.begin(), version.end());
  return version == kBigEndianVersion;
}

// A gmon file, if need be of the older formats.
absl::StatusOr<profile::GmonFile> Open(const std::string& content, const std::string& path,
                                       const profile::SymbolTable& symbols, ProfileFormat format) {
  if (format == ProfileFormat::k44Bsd && !Is44Bsd(content, symbols)) {
    return absl::InvalidArgumentError(absl::StrCat("file `", path, "' has bad magic cookie"));
  }
  profile::GmonReadOptions options;
  options.address_size = symbols.address_size;
  options.big_endian = symbols.big_endian;
  options.has_mode_bit = profile::HasModeBit(symbols.architecture);
  options.image = &symbols;
  if (format == ProfileFormat::kBsd || format == ProfileFormat::k44Bsd ||
      (format == ProfileFormat::kAuto && !IsGnuGmon(content))) {
    options.format = profile::GmonReadOptions::Format::kBsd;
  }
  absl::StatusOr<profile::GmonFile> file = profile::OpenGmon(content, path, options);
  if (file.ok() || format == ProfileFormat::kBsd || IsGnuGmon(content)) return file;
  return base::WithContext(
      file.status(),
      "neither a GNU profile (gmon.out), which begins with \"gmon\", nor a BSD profile");
}

// A valid profile: of one module of a recording, or a gmon file that is not read yet.
struct CheckedProfile {
  std::optional<profile::GmonFile> gmon;
  profile::RawProfile module;                // without a gmon file
  std::vector<profile::CallsOut> calls_out;  // the same
};

absl::string_view BaseName(absl::string_view path) { return path.substr(path.rfind('/') + 1); }

// The image's module; null: none. Programs without a build-id are distinguished by their names.
const profile::RecordedModule* ModuleOf(const profile::Recording& recording,
                                        const profile::SymbolTable& symbols) {
  const profile::RecordedModule* const module = profile::FindModule(recording, symbols.build_id);
  if (module == nullptr || !symbols.build_id.empty()) return module;
  return BaseName(module->path) == BaseName(symbols.image_name) ? module : nullptr;
}

// The sum of a test's processes that have data of the image. InvalidArgument: none has.
absl::StatusOr<CheckedProfile> CheckSharedProfile(const std::string& content,
                                                  const std::string& path,
                                                  const profile::SymbolTable& symbols) {
  CheckedProfile checked;
  profile::ProfileMerger sum;
  std::set<std::string> missing;
  size_t processes = 0;
  RETURN_IF_ERROR(profile::VisitRecordings(
      content, path,
      [&](const std::string& name, absl::StatusOr<absl::string_view> bytes) -> absl::Status {
        RETURN_IF_ERROR(bytes.status());
        ASSIGN_OR_RETURN(const profile::Recording recording, profile::ReadRecording(*bytes, name));
        const profile::RecordedModule* const module = ModuleOf(recording, symbols);
        if (module == nullptr) return absl::OkStatus();
        ++processes;
        const auto index = static_cast<size_t>(module - recording.modules.data());
        if (std::string why = profile::MissingCalls(recording); !why.empty()) missing.insert(why);
        for (profile::CallsOut& calls : profile::CallsOutOf(recording, index)) {
          checked.calls_out.push_back(std::move(calls));
        }
        return sum.Add(profile::ProfileOfModule(recording, index));
      }));
  if (processes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": no process in it has data for ", symbols.image_name, " (build-id ",
        symbols.build_id.empty() ? "none" : symbols.build_id, "); `gprofhub info` lists them"));
  }
  checked.module = sum.Take();
  checked.module.missing_calls = absl::StrJoin(missing, "; ");
  return checked;
}

absl::StatusOr<CheckedProfile> CheckProfile(const std::string& content, const std::string& path,
                                            const profile::SymbolTable& symbols,
                                            ProfileFormat format) {
  if (profile::IsSharedRecording(content)) return CheckSharedProfile(content, path, symbols);
  CheckedProfile checked;
  if (profile::IsRecording(content)) {
    ASSIGN_OR_RETURN(profile::RawProfile module,
                     profile::ReadImagePart(content, path, symbols, {}, &checked.calls_out));
    checked.module = std::move(module);
    return checked;
  }
  ASSIGN_OR_RETURN(profile::GmonFile file, Open(content, path, symbols, format));
  checked.gmon.emplace(std::move(file));
  return checked;
}

// A profile whose arcs were added to a sum.
struct AddedProfile {
  profile::RawProfile rest;  // with the number of arcs that CheckBelongs checks
  size_t arcs = 0;           // number of its arcs
  absl::Status added;        // result of adding to the sum
};

AddedProfile AddArcsOfModule(profile::RawProfile module, profile::ProfileMerger& sum) {
  AddedProfile profile;
  profile.rest = std::move(module);
  profile.arcs = profile.rest.arcs.size();
  sum.BeginArcs(profile.arcs);
  profile.added = sum.AddArcs(profile.rest.arcs);
  return profile;
}

// The arcs are added as they are read: the full list is never in memory. `is_last_use`: the
// content, except for its header, is not needed afterwards.
AddedProfile AddArcsOfFile(const profile::GmonFile& file, const std::string& content,
                           bool is_last_use, std::vector<profile::Histogram> memory,
                           profile::ProfileMerger& sum) {
  AddedProfile profile;
  profile.arcs = file.arcs();
  sum.BeginArcs(profile.arcs);
  std::vector<profile::RawArc> looked_at;
  const size_t step = profile::ArcsPerLook(profile.arcs);
  size_t next = 0;  // next one to check, from the beginning of the batch
  base::ConsumedMemory bytes(content.data() + kGmonHeaderBytes);
  profile::GmonCursor cursor = file.Read(std::move(memory));
  for (auto arcs = cursor.NextArcs(); !arcs.empty(); arcs = cursor.NextArcs()) {
    if (is_last_use) bytes.ReadUpTo(content.data() + cursor.offset());
    for (; next < arcs.size(); next += step) looked_at.push_back(arcs[next]);
    next -= arcs.size();
    if (profile.added.ok()) profile.added = sum.AddArcs(arcs);
  }
  profile.rest = cursor.TakeRest();
  profile.rest.arcs = std::move(looked_at);
  return profile;
}

// Reads the profiles, several at once, and then prints their messages in order.
class ProfileReader {
 public:
  ProfileReader(const GprofOptions& options, const profile::SymbolTable& symbols,
                const DebugDump* dump, LibraryFunctions* libraries,
                std::vector<analyzer::ProfileRecords>& records)
      : options_(options),
        symbols_(symbols),
        dump_(dump != nullptr && dump->HasProfiles() ? dump : nullptr),
        libraries_(libraries),
        describes_((options.wanted & kFileInfo) != 0),
        paths_(ReadableProfiles(options)),
        said_(paths_.size()),
        heads_(paths_.size()),
        records_(records) {
    if (describes_) records_.resize(paths_.size());
  }

  absl::StatusOr<profile::RawProfile> Read() {
    base::WorkInOrder(paths_.size(), [this](base::OrderedItems& items) { ReadAndAdd(items); });
    absl::StatusOr<profile::RawProfile> sum = sum_.Take();
    if (!failure_.ok()) sum = failure_;
    size_t checked = 0;
    if (absl::Status status = CheckHistograms(heads_, options_.program, checked); !status.ok()) {
      sum = std::move(status);
    } else if (!sum.ok() && checked == paths_.size()) {  // all were read, but could not be summed
      sum = base::WithContext(sum.status(), options_.program);
    }
    Tell(checked);
    if (sum.ok() && !sum->blocks.empty() && !options_.listing.rows.by_line) {
      std::cerr << options_.program
                << ": warning: ignoring basic-block exec counts (use -l or --line)\n";
    }
    return sum;
  }

 private:
  // The messages about a profile, after the previous ones have been checked.
  struct Said {
    std::string warning;
    std::string dump;
  };

  absl::Status ReadContent(size_t i, std::string& content) const {
    const std::string& path = paths_[i];
    if (path != "-") {
      RETURN_IF_ERROR(ReadAsGnuGprof(path, content));
    } else if (std::find(paths_.begin(), paths_.end(), path) ==
               paths_.begin() + static_cast<ptrdiff_t>(i)) {
      RETURN_IF_ERROR(base::ReadStandardInput(content));
    } else {
      content.clear();  // the first one has read everything
    }
    if (content.size() >= kGmonHeaderBytes) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(path, ": file too short to be a gmon file"));
  }

  // Takes profiles until none is left. The work before a profile's turn is done by both threads
  // concurrently.
  void ReadAndAdd(base::OrderedItems& items) {
    std::string content;  // its memory is reused for the next profiles
    while (const std::optional<size_t> i = items.Take()) {
      absl::StatusOr<CheckedProfile> profile = ReadAndCheck(*i, content);
      items.WaitForTurn(*i);
      if (failure_.ok()) {
        failure_ = profile.ok() ? Add(*i, content, *std::move(profile)) : profile.status();
        if (!failure_.ok()) items.Stop();
      }
      items.EndTurn(*i);
    }
  }

  absl::StatusOr<CheckedProfile> ReadAndCheck(size_t i, std::string& content) const {
    RETURN_IF_ERROR(ReadContent(i, content));
    absl::StatusOr<CheckedProfile> profile =
        CheckProfile(content, paths_[i], symbols_, options_.format);
    if (!profile.ok()) return base::WithContext(profile.status(), options_.program);
    return profile;
  }

  absl::Status Add(size_t i, const std::string& content, CheckedProfile checked) {
    if (dump_ != nullptr) said_[i].dump = Dump(content, paths_[i], checked);
    const bool is_last_use = paths_.size() == 1 && !describes_;
    AddedProfile profile =
        checked.gmon ? AddArcsOfFile(*checked.gmon, content, is_last_use, std::move(memory_), sum_)
                     : AddArcsOfModule(std::move(checked.module), sum_);
    Note(i, content, profile);
    if (profile.added.ok() && libraries_ != nullptr) {
      const std::vector<profile::RawArc> calls = libraries_->Place(checked.calls_out);
      if (!calls.empty()) sum_.BeginArcs(calls.size());
      profile.added = sum_.AddArcs(calls);
    }
    if (!profile.added.ok()) return profile.added;
    profile.rest.arcs.clear();
    absl::Status added = sum_.Add(std::move(profile.rest));
    memory_ = std::move(profile.rest.histograms);  // memory that the sum did not take
    return added;
  }

  std::string Dump(const std::string& content, const std::string& path,
                   const CheckedProfile& checked) const {
    if (!checked.gmon) {
      return dump_->OfProfile(content, path, checked.module, checked.calls_out);
    }
    std::vector<profile::RawArc> all;
    profile::GmonCursor cursor = checked.gmon->Read();
    for (auto arcs = cursor.NextArcs(); !arcs.empty(); arcs = cursor.NextArcs()) {
      all.insert(all.end(), arcs.begin(), arcs.end());
    }
    profile::RawProfile profile = cursor.TakeRest();
    profile.arcs = std::move(all);
    return dump_->OfProfile(content, path, profile, checked.calls_out);
  }

  void Note(size_t i, const std::string& content, const AddedProfile& profile) {
    const bool is_recording = profile::IsRecording(content);
    const bool is_bsd = !is_recording && !IsGnuGmon(content);
    heads_[i] = HeadsOf(profile.rest, paths_[i]);
    for (HistogramHead& head : *heads_[i]) head.is_bsd = is_bsd;
    Said& said = said_[i];
    if (describes_) {
      records_[i] = CountRecords(content, paths_[i], symbols_, profile.rest, profile.arcs);
    }
    // GNU gprof does not warn of a profile of another program.
    const absl::Status match =
        profile::CheckBelongs(profile.rest, symbols_, paths_[i], options_.image);
    if (!match.ok()) {
      said.warning = absl::StrCat(options_.program, ": warning: ", match.message());
    }
    if (const std::string& missing = profile.rest.missing_calls; !missing.empty()) {
      absl::StrAppend(&said.warning, said.warning.empty() ? "" : "\n", options_.program,
                      ": warning: ", paths_[i], ": calls are missing: ", missing);
    }
  }

  void Tell(size_t checked) {
    if (describes_) records_.resize(checked);
    for (size_t i = 0; i < paths_.size(); ++i) {
      const Said& said = said_[i];
      if (i < checked) std::cout << said.dump;
      if (i < records_.size() && options_.export_format.empty()) {
        std::cout << Describe(records_[i]);
      }
      if (!said.warning.empty()) std::cerr << said.warning << "\n";
    }
  }

  const GprofOptions& options_;
  const profile::SymbolTable& symbols_;
  const DebugDump* const dump_;  // null: no profile is dumped
  LibraryFunctions* const libraries_;
  const bool describes_;
  const std::vector<std::string> paths_;
  // By profile; each is written in its turn.
  std::vector<Said> said_;
  std::vector<std::optional<HistogramHeads>> heads_;
  std::vector<analyzer::ProfileRecords>& records_;
  // Used by the thread that has the turn.
  profile::ProfileMerger sum_;
  absl::Status failure_;                    // the first
  std::vector<profile::Histogram> memory_;  // of the profile before
};

}  // namespace

absl::StatusOr<profile::RawProfile> ReadProfiles(const GprofOptions& options,
                                                 const profile::SymbolTable& symbols,
                                                 const DebugDump* dump, LibraryFunctions* libraries,
                                                 std::vector<analyzer::ProfileRecords>& records) {
  return ProfileReader(options, symbols, dump, libraries, records).Read();
}

}  // namespace gprofhub::cli
