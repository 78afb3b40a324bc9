#include "cli/gprof/input_files.h"

#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "analyzer/consumed_memory.h"
#include "cli/gprof/external_symbols.h"
#include "cli/gprof/file_info.h"
#include "cli/gprof/histogram_check.h"
#include "profile/elf_symbols.h"
#include "profile/gmon_reader.h"
#include "profile/image_check.h"
#include "profile/profile_merge.h"
#include "profile/recording_reader.h"

namespace gprofhub {
namespace {

constexpr size_t kGmonHeaderBytes = 20;

struct FileCloser {
  void operator()(FILE* file) const { fclose(file); }
};

// As perror prints it: of a name that is empty nothing.
std::string SystemError(const std::string& path, int number) {
  return absl::StrCat(path, path.empty() ? "" : ": ", std::strerror(number));
}

// Whether something is printed that names source files or lines.
bool NeedsLines(const GprofOptions& options) {
  if (WantsTrace(options)) return true;
  const ListingOptions& listing = options.listing;
  if (options.symspecs.NamePlaces()) return true;
  if (listing.rows.by_line || listing.inline_file_names) return true;
  if (!options.export_format.empty()) return true;
  const unsigned named = kGraphListing | kAnnotatedSource | kExecutionCounts;
  if ((options.wanted & named) != 0) return true;
  return options.wanted == 0 && (options.decided & kGraphListing) == 0;
}

void ReadToEnd(FILE* file, std::string& content) {
  constexpr size_t kLeastRoom = 4096;
  struct stat info;
  const bool is_file = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  const size_t expected = is_file ? static_cast<size_t>(info.st_size) : 0;
  // One byte more, so that the end shows in the first reading.
  content.resize(std::max({content.size(), expected + 1, kLeastRoom}));
  size_t size = 0;
  while (const size_t got = fread(content.data() + size, 1, content.size() - size, file)) {
    size += got;
    if (size == content.size()) content.resize(2 * size);
  }
  content.resize(size);
}

// Whether the profile has the version of 4.4BSD behind its first three fields.
bool Is44Bsd(absl::string_view content, const SymbolTable& symbols) {
  constexpr absl::string_view kBigEndianVersion("\x00\x05\x18\x79", 4);
  std::string version(content.substr(2 * static_cast<size_t>(symbols.address_size) + 4, 4));
  if (!symbols.big_endian) std::reverse(version.begin(), version.end());
  return version == kBigEndianVersion;
}

// What a recording says of the module that the image is.
absl::StatusOr<RawProfile> ReadModule(const std::string& content, const std::string& path,
                                      const SymbolTable& symbols) {
  absl::StatusOr<Recording> recording = ReadRecording(content, path);
  if (!recording.ok()) return recording.status();
  const RecordedModule* module = FindModule(*recording, symbols.build_id);
  if (module != nullptr) {
    return ProfileOfModule(*recording, static_cast<size_t>(module - recording->modules.data()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": nothing of ", symbols.image_name, " (build-id ",
                   symbols.build_id.empty() ? "none" : symbols.build_id,
                   ") in it; `gprofhub info` names the modules that it is of"));
}

// A gmon file, if need be of the older formats.
absl::StatusOr<CheckedGmon> Check(const std::string& content, const std::string& path,
                                  const SymbolTable& symbols, ProfileFormat format) {
  if (format == ProfileFormat::k44Bsd && !Is44Bsd(content, symbols)) {
    return absl::InvalidArgumentError(absl::StrCat("file `", path, "' has bad magic cookie"));
  }
  GmonReadOptions options;
  options.address_size = symbols.address_size;
  options.big_endian = symbols.big_endian;
  if (format == ProfileFormat::kBsd || format == ProfileFormat::k44Bsd ||
      (format == ProfileFormat::kAuto && !IsGnuGmon(content))) {
    options.format = GmonReadOptions::Format::kBsd;
  }
  absl::StatusOr<CheckedGmon> file = CheckGmon(content, path, options);
  if (file.ok() || format == ProfileFormat::kBsd || IsGnuGmon(content)) return file;
  return absl::Status(file.status().code(),
                      absl::StrCat("not a GNU profile (gmon.out), which begins with \"gmon\", and "
                                   "not a BSD one either: ",
                                   std::string(file.status().message())));
}

// A profile of which the arcs were added to a sum as they were loaded.
struct AddedProfile {
  ProfileMerger* sum = nullptr;  // null: it is not wanted
  RawProfile rest;               // with so many arcs as CheckBelongs looks at
  size_t arcs = 0;               // that it had
  absl::Status added;            // to the sum
};

// `is_last_use`: but for its header, the content of a gmon file is not needed after that.
absl::StatusOr<AddedProfile> AddArcs(std::string& content, bool is_last_use,
                                     const std::string& path, const SymbolTable& symbols,
                                     ProfileFormat format, SumInTurn sum_in_turn,
                                     RawProfile& memory) {
  AddedProfile profile;
  if (IsRecording(content)) {
    absl::StatusOr<RawProfile> module = ReadModule(content, path, symbols);
    if (!module.ok()) return module.status();
    profile.sum = sum_in_turn();
    if (profile.sum == nullptr) return profile;
    profile.rest = *std::move(module);
    profile.arcs = profile.rest.arcs.size();
    profile.sum->BeginArcs(profile.arcs);
    profile.added = profile.sum->AddArcs(profile.rest.arcs);
    return profile;
  }
  const absl::StatusOr<CheckedGmon> file = Check(content, path, symbols, format);
  if (!file.ok()) return file.status();
  profile.sum = sum_in_turn();
  if (profile.sum == nullptr) return profile;
  profile.arcs = file->arcs();
  profile.sum->BeginArcs(profile.arcs);
  std::vector<RawArc> looked_at;
  const size_t step = ArcsPerLook(profile.arcs);
  size_t next = 0;  // to be looked at, from the beginning of the batch
  ConsumedMemory bytes(content.data() + kGmonHeaderBytes);
  const auto add = [&](absl::Span<const RawArc> arcs, size_t loaded) {
    if (is_last_use) bytes.ReadUpTo(content.data() + loaded);
    for (; next < arcs.size(); next += step) looked_at.push_back(arcs[next]);
    next -= arcs.size();
    if (profile.added.ok()) profile.added = profile.sum->AddArcs(arcs);
  };
  profile.rest = file->Load(add, std::move(memory));
  profile.rest.arcs = std::move(looked_at);
  return profile;
}

}  // namespace

absl::Status ReadWholeFile(const std::string& path, std::string& content) {
  const std::unique_ptr<FILE, FileCloser> file(fopen(path.c_str(), "re"));
  if (file == nullptr) return absl::NotFoundError(SystemError(path, errno));
  ReadToEnd(file.get(), content);
  return absl::OkStatus();
}

absl::StatusOr<SymbolTable> ReadImage(const GprofOptions& options) {
  const std::string& path = options.image;
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(SystemError(path, errno));
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::NotFoundError(SystemError(path, ENOENT));
  }
  if (!std::ifstream(path, std::ios::binary)) {
    return absl::PermissionDeniedError(SystemError(path, errno));
  }
  ElfReadOptions read;
  read.with_lines = NeedsLines(options);
  read.with_scopes = options.listing.rows.by_line || WantsTrace(options);
  read.absolute_files = true;
  read.files_of_no_line = WantsTrace(options);
  read.may_be_stripped = true;
  absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(path, read);
  if (absl::IsInvalidArgument(symbols.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.program, ": ", path, ": not in executable format"));
  }
  return symbols;
}

absl::Status ChooseFunctions(const GprofOptions& options, SymbolTable& symbols) {
  if (options.external_symbols) {
    std::string text;
    if (!ReadWholeFile(*options.external_symbols, text).ok()) {
      return absl::NotFoundError(
          absl::StrCat(options.program, ": could not open ", *options.external_symbols, "."));
    }
    UseExternalSymbols(text, symbols);
  }
  if (!symbols.functions.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(options.program, ": file `",
                                                 options.external_symbols.value_or(options.image),
                                                 "' has no symbols"));
}

absl::StatusOr<RawProfile> ReadProfiles(const GprofOptions& options, const SymbolTable& symbols,
                                        GprofTrace* trace, std::vector<ProfileRecords>& records) {
  const std::vector<std::string> profiles = ReadableProfiles(options);
  const size_t count = profiles.size();
  const bool describe = (options.wanted & kFileInfo) != 0;
  std::vector<std::string> warnings(count);
  std::vector<char> is_44bsd(count);
  std::vector<std::optional<HistogramHeads>> heads(count);
  std::vector<std::string> traced(trace != nullptr ? count : 0);  // the files' content
  if (describe) records.resize(count);
  const auto first_dash = std::find(profiles.begin(), profiles.end(), "-");
  RawProfile memory;  // of the profile before: who has the turn uses it
  const auto add = [&](size_t i, std::string& content, SumInTurn sum) -> absl::Status {
    const std::string& path = profiles[i];
    if (path != "-") {
      if (absl::Status status = ReadWholeFile(path, content); !status.ok()) return status;
    } else if (first_dash == profiles.begin() + static_cast<ptrdiff_t>(i)) {
      ReadToEnd(stdin, content);
    } else {
      content.clear();  // the first has read all
    }
    if (content.size() < kGmonHeaderBytes) {
      return absl::DataLossError(absl::StrCat(path, ": file too short to be a gmon file"));
    }
    // Of several profiles, the next is read into the same memory.
    const bool is_last_use = count == 1 && !describe && trace == nullptr;
    absl::StatusOr<AddedProfile> profile =
        AddArcs(content, is_last_use, path, symbols, options.format, sum, memory);
    if (!profile.ok()) {
      return absl::Status(
          profile.status().code(),
          absl::StrCat(options.program, ": ", std::string(profile.status().message())));
    }
    if (profile->sum == nullptr) return absl::OkStatus();
    RawProfile& rest = profile->rest;
    is_44bsd[i] = !IsGnuGmon(content) && Is44Bsd(content, symbols);
    heads[i] = HeadsOf(rest, path);
    for (HistogramHead& head : *heads[i]) {
      head.is_bsd = !IsRecording(content) && !IsGnuGmon(content);
    }
    if (trace != nullptr && !IsRecording(content)) traced[i] = content;
    if (describe) records[i] = CountRecords(content, path, symbols, rest, profile->arcs);
    // GNU gprof says nothing of a profile of another program.
    const absl::Status match = CheckBelongs(rest, symbols, path, options.image);
    if (!match.ok()) {
      warnings[i] = absl::StrCat(options.program, ": warning: ", std::string(match.message()));
    }
    if (!profile->added.ok()) return profile->added;
    rest.arcs.clear();
    absl::Status added = profile->sum->Add(std::move(rest));
    memory = std::move(rest);
    return added;
  };
  absl::StatusOr<RawProfile> sum = SumProfiles(count, add);
  size_t checked = 0;
  if (absl::Status status = CheckHistograms(heads, options.program, checked); !status.ok()) {
    sum = std::move(status);
  } else if (!sum.ok() && checked == count) {  // all could be read, but not added up
    sum = absl::Status(sum.status().code(),
                       absl::StrCat(options.program, ": ", std::string(sum.status().message())));
  }
  if (describe) records.resize(checked);
  for (size_t i = 0; i < count; ++i) {
    if (i < checked && i < traced.size() && !traced[i].empty()) {
      const TracedFormat format = IsGnuGmon(traced[i]) ? TracedFormat::kGmon
                                  : is_44bsd[i] != 0   ? TracedFormat::k44Bsd
                                                       : TracedFormat::kBsd;
      std::cout << trace->OfProfile(traced[i], format);
    }
    if (i < records.size() && options.export_format.empty()) std::cout << Describe(records[i]);
    if (!warnings[i].empty()) std::cerr << warnings[i] << "\n";
  }
  if (sum.ok() && !sum->blocks.empty() && !options.listing.rows.by_line) {
    std::cerr << options.program
              << ": warning: ignoring basic-block exec counts (use -l or --line)\n";
  }
  return sum;
}

}  // namespace gprofhub
