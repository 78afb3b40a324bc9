#include "cli/gprof/input_files.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/memory/consumed_memory.h"
#include "base/read_file.h"
#include "base/status_context.h"
#include "base/two_workers.h"
#include "cli/gprof/file_info.h"
#include "cli/gprof/histogram_check.h"
#include "cli/gprof/read_as_gnu_gprof.h"
#include "profile/belongs.h"
#include "profile/codec/image_part.h"
#include "profile/gmon/reader.h"
#include "profile/merge.h"
#include "profile/recording/calls_out.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {
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
  if (format == ProfileFormat::kBsd || format == ProfileFormat::k44Bsd ||
      (format == ProfileFormat::kAuto && !IsGnuGmon(content))) {
    options.format = profile::GmonReadOptions::Format::kBsd;
  }
  absl::StatusOr<profile::GmonFile> file = profile::OpenGmon(content, path, options);
  if (file.ok() || format == ProfileFormat::kBsd || IsGnuGmon(content)) return file;
  return base::WithContext(
      file.status(),
      "not a GNU profile (gmon.out), which begins with \"gmon\", and not a BSD one "
      "either");
}

// A valid profile: of one module of a recording, or a gmon file that is not read yet.
struct CheckedProfile {
  std::optional<profile::GmonFile> gmon;
  profile::RawProfile module;                // without a gmon file
  std::vector<profile::CallsOut> calls_out;  // the same
};

absl::StatusOr<CheckedProfile> CheckProfile(const std::string& content, const std::string& path,
                                            const profile::SymbolTable& symbols,
                                            ProfileFormat format) {
  CheckedProfile checked;
  if (profile::IsRecording(content)) {
    absl::StatusOr<profile::RawProfile> module =
        profile::ReadImagePart(content, path, symbols, {}, &checked.calls_out);
    if (!module.ok()) return module.status();
    checked.module = *std::move(module);
    return checked;
  }
  absl::StatusOr<profile::GmonFile> file = Open(content, path, symbols, format);
  if (!file.ok()) return file.status();
  checked.gmon.emplace(*std::move(file));
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
      if (absl::Status status = ReadAsGnuGprof(path, content); !status.ok()) return status;
    } else if (std::find(paths_.begin(), paths_.end(), path) ==
               paths_.begin() + static_cast<ptrdiff_t>(i)) {
      if (absl::Status status = base::ReadStandardInput(content); !status.ok()) return status;
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
    if (absl::Status status = ReadContent(i, content); !status.ok()) return status;
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
