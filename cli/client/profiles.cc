#include "cli/client/profiles.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/worker/compute_profile.h"
#include "analyzer/worker/target_profile.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "profile/code/code_digests.h"
#include "profile/codec/message.h"
#include "profile/elf/file.h"
#include "profile/elf/read_image.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"
#include "profile/recording/reader.h"
#include "profile/recording/shared.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;

// Enough to distinguish the formats.
constexpr size_t kFirstBytes = 16;

void AddFile(const fs::path& path, RunFiles& files) {
  const std::string begin = base::ReadBeginning(path, kFirstBytes);
  if (absl::StartsWith(begin, "gmon")) {
    files.gmons.push_back(path);
  } else if (profile::IsElf(begin)) {
    files.programs.push_back(path);
  } else if (profile::IsRecording(begin)) {
    files.recordings.push_back(path);
  }
}

// A folder's entries come in no particular order.
void Sort(RunFiles& files) {
  std::sort(files.gmons.begin(), files.gmons.end());
  std::sort(files.recordings.begin(), files.recordings.end());
  std::sort(files.programs.begin(), files.programs.end());
}

absl::Status CannotRead(const fs::path& folder, const std::error_code& error) {
  return absl::FailedPreconditionError(
      absl::StrCat(folder.string(), " cannot be read: ", error.message()));
}

absl::StatusOr<RunFiles> AllFilesBelow(const fs::path& folder) {
  RunFiles files;
  files.folder = folder;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file()) AddFile(entry->path(), files);
  }
  if (error) return CannotRead(folder, error);
  Sort(files);
  return files;
}

absl::Status NoProfile(const std::string& path) {
  return absl::NotFoundError(absl::StrCat(
      path,
      " contains no profile (a file that begins with \"gmon\", or a recording of the runtime)"));
}

}  // namespace

absl::StatusOr<std::vector<RunFiles>> FindRunFiles(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    RunFiles files;
    files.folder = path;
    AddFile(path, files);
    if (!files.HasProfile()) return NoProfile(path);
    return std::vector<RunFiles>{files};
  }
  RunFiles direct;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory()) {
      folders.push_back(entry->path());
    } else if (entry->is_regular_file()) {
      AddFile(entry->path(), direct);
    }
  }
  if (error) return CannotRead(path, error);
  if (direct.HasProfile()) {
    ASSIGN_OR_RETURN(RunFiles files, AllFilesBelow(path));
    return std::vector<RunFiles>{std::move(files)};
  }
  std::sort(folders.begin(), folders.end());
  std::vector<RunFiles> runs;
  for (const fs::path& folder : folders) {
    ASSIGN_OR_RETURN(RunFiles files, AllFilesBelow(folder));
    if (!files.HasProfile()) continue;
    files.programs.insert(files.programs.end(), direct.programs.begin(), direct.programs.end());
    runs.push_back(std::move(files));
  }
  if (runs.empty()) return NoProfile(path);
  return runs;
}

absl::Status ReadRecordingFile(
    const std::string& path,
    absl::FunctionRef<absl::Status(const std::string& name, const profile::Recording&)> visit) {
  ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(path));
  return profile::VisitRecordings(
      bytes, path,
      [&](const std::string& name, absl::StatusOr<absl::string_view> recorded) -> absl::Status {
        RETURN_IF_ERROR(recorded.status());
        ASSIGN_OR_RETURN(const profile::Recording recording,
                         profile::ReadRecording(*recorded, name));
        return visit(name, recording);
      });
}

namespace {

// Likelihood that a program wrote the gmon file, which does not name it: whether both are in the
// same folder, and the file is named after the program.
int Likelihood(const fs::path& gmon, const fs::path& program) {
  const bool beside = gmon.parent_path() == program.parent_path();
  const bool named = absl::StartsWith(gmon.filename().string(), program.filename().string() + ".");
  return 2 * beside + named;
}

// Programs, each read once regardless of the number of folders that contain it.
class Images {
 public:
  absl::StatusOr<const profile::SymbolTable*> Read(const fs::path& path) {
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) return known->second;
    profile::ElfReadOptions options;
    options.with_call_lines = true;
    options.with_toolchains = true;
    ASSIGN_OR_RETURN(profile::SymbolTable symbols, profile::ReadElfSymbols(path.string(), options));
    RETURN_IF_ERROR(profile::AddCodeDigests(path.string(), symbols));
    const std::string key = symbols.build_id.empty() ? path.string() : symbols.build_id;
    const profile::SymbolTable& table = tables_.try_emplace(key, std::move(symbols)).first->second;
    by_path_[path] = &table;
    return &table;
  }

  // Null where no file read so far has the build-id.
  const profile::SymbolTable* Find(absl::string_view build_id) const {
    const auto found = tables_.find(std::string(build_id));
    return build_id.empty() || found == tables_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, profile::SymbolTable> tables_;  // by build-id, else by path
  std::map<fs::path, const profile::SymbolTable*> by_path_;
};

// Sum of a run's profiles.
class Sum {
 public:
  Sum(Images& images, const std::string& image) : images_(images), image_(image) {}

  absl::Status Add(const RunFiles& files) {
    std::vector<fs::path> programs = files.programs;
    if (!image_.empty()) programs = {image_};
    for (const fs::path& path : files.recordings) {
      RETURN_IF_ERROR(ReadRecordingFile(
          path.string(), [&](const std::string& name, const profile::Recording& recording) {
            return AddRecording(name, recording, programs);
          }));
    }
    for (const fs::path& path : files.gmons) {
      RETURN_IF_ERROR(AddGmon(path, programs));
    }
    return absl::OkStatus();
  }

  profile::ComputedProfile Compute() {
    analyzer::ComputeOptions options;
    options.profiles = profiles_;
    return analyzer::ComputeProfile(sum_.Take(), options);
  }

 private:
  // The calls of a process, by which its gmon file is known.
  using Calls = std::map<std::pair<uint64_t, uint64_t>, uint64_t>;

  static Calls CallsOf(const profile::RawProfile& profile) {
    Calls calls;
    for (const profile::RawArc& arc : profile.arcs) calls[{arc.from_pc, arc.self_pc}] += arc.count;
    return calls;
  }

  static uint64_t SamplesOf(const profile::RawProfile& profile) {
    uint64_t samples = 0;
    for (const profile::Histogram& histogram : profile.histograms) {
      samples = std::accumulate(histogram.bins.begin(), histogram.bins.end(), samples);
    }
    return samples;
  }

  // Whether a gmon file repeats the data on a shared object of a recording in the same folder.
  bool IsOfRecordedModule(const fs::path& path, const std::string& bytes) const {
    for (const Recorded& recorded : recorded_) {
      if (recorded.folder != path.parent_path()) continue;
      const absl::StatusOr<profile::RawProfile> profile =
          profile::ReadImagePart(bytes, path.string(), *recorded.symbols);
      if (!profile.ok()) continue;
      const Calls calls = CallsOf(*profile);
      const uint64_t samples = SamplesOf(*profile);
      return (!calls.empty() || samples != 0) &&
             std::any_of(modules_.begin(), modules_.end(), [&](const Module& module) {
               return module.folder == path.parent_path() && module.calls == calls &&
                      module.samples == samples;
             });
    }
    return false;
  }

  absl::Status AddRecording(const fs::path& path, const profile::Recording& recording,
                            const std::vector<fs::path>& programs) {
    const profile::RecordedModule* const program = profile::FindModule(recording, "");
    if (program == nullptr) {
      // Killed before its first call was counted. Or an emulator hid its modules, which must be
      // said.
      if (recording.unattributed_calls == 0) return absl::OkStatus();
      ++profiles_;
      return sum_.AddRecording(recording, [](absl::string_view) { return nullptr; });
    }
    const profile::SymbolTable* of_program = nullptr;
    for (const fs::path& candidate : programs) {
      // The folder may contain files that are not programs.
      const absl::StatusOr<const profile::SymbolTable*> symbols = images_.Read(candidate);
      if (symbols.ok() && (*symbols)->build_id == program->build_id) of_program = *symbols;
    }
    if (of_program == nullptr && image_.empty() && !program->build_id.empty()) {
      const absl::StatusOr<const profile::SymbolTable*> symbols = images_.Read(program->path);
      if (symbols.ok() && (*symbols)->build_id == program->build_id) of_program = *symbols;
    }
    if (of_program == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("the program that wrote ", path.string(), ", ", program->path,
                       " with build-id ", program->build_id.empty() ? "(none)" : program->build_id,
                       ", is neither in its folder nor at its original path; put it there or pass "
                       "it with --image"));
    }
    recorded_.push_back({path.parent_path(), of_program, CallsOf(program->profile)});
    for (const profile::RecordedModule& module : recording.modules) {
      if (module.is_program) continue;
      modules_.push_back({path.parent_path(), CallsOf(module.profile), SamplesOf(module.profile)});
    }
    ReadCalledLibraries(recording);
    ++profiles_;
    return sum_.AddRecording(recording, [&](absl::string_view build_id) {
      return build_id == program->build_id ? of_program : images_.Find(build_id);
    });
  }

  // Gives names to functions called in libraries. A library that has changed or cannot be read is
  // one function.
  void ReadCalledLibraries(const profile::Recording& recording) {
    for (const profile::CrossArc& arc : recording.cross_arcs) {
      const profile::RecordedModule& module = recording.modules[arc.to_module];
      if (module.is_program || module.build_id.empty()) continue;
      if (!looked_at_.insert(module.path + " " + module.build_id).second) continue;
      const absl::StatusOr<std::string> build_id = profile::ReadElfBuildId(module.path);
      if (build_id.ok() && *build_id == module.build_id) (void)images_.Read(module.path);
    }
  }

  // A gmon file's contents, and the program that wrote it.
  struct Written {
    const profile::SymbolTable* by = nullptr;
    profile::RawProfile profile;
  };

  // The likeliest of the programs that can have written the file. FAILED_PRECONDITION if two are
  // equally likely, or none can.
  absl::StatusOr<Written> FindWriter(const fs::path& path, const std::string& bytes,
                                     const std::vector<fs::path>& programs) {
    Written found;
    int likelihood = -1;
    absl::Status why_not;
    for (const fs::path& candidate : programs) {
      if (Likelihood(path, candidate) < likelihood) continue;
      const absl::StatusOr<const profile::SymbolTable*> symbols = images_.Read(candidate);
      if (!symbols.ok()) {
        why_not.Update(symbols.status());
        continue;
      }
      absl::StatusOr<profile::RawProfile> profile =
          profile::ReadImagePart(bytes, path.string(), **symbols);
      if (!profile.ok()) {
        why_not.Update(profile.status());
        continue;
      }
      const absl::Status belongs =
          profile::CheckBelongs(*profile, **symbols, path.string(), candidate.string());
      if (!belongs.ok()) {
        why_not.Update(belongs);
        continue;
      }
      if (found.by != nullptr && found.by != *symbols &&
          Likelihood(path, candidate) == likelihood) {
        return absl::FailedPreconditionError(
            absl::StrCat(path.string(), " may have been written by ", found.by->image_name,
                         " or by ", (*symbols)->image_name, "; pass the right one with --image"));
      }
      likelihood = Likelihood(path, candidate);
      found = {*symbols, *std::move(profile)};
    }
    if (found.by == nullptr) return why_not;
    return found;
  }

  // At an orderly exit a process writes both; its recording is a superset.
  bool IsRecorded(const fs::path& path, const Written& written) const {
    return std::any_of(recorded_.begin(), recorded_.end(), [&](const Recorded& recorded) {
      return recorded.folder == path.parent_path() && recorded.symbols == written.by &&
             recorded.calls == CallsOf(written.profile);
    });
  }

  absl::Status AddGmon(const fs::path& path, const std::vector<fs::path>& programs) {
    if (programs.empty()) {
      return absl::NotFoundError(
          absl::StrCat("the program that wrote ", path.string(),
                       " is not in its folder; put it there or pass it with --image"));
    }
    ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(path));
    if (IsOfRecordedModule(path, bytes)) return absl::OkStatus();
    ASSIGN_OR_RETURN(Written written, FindWriter(path, bytes, programs));
    if (IsRecorded(path, written)) return absl::OkStatus();
    ++profiles_;
    return sum_.AddProfile(*written.by, std::move(written.profile));
  }

  struct Recorded {
    fs::path folder;
    const profile::SymbolTable* symbols = nullptr;
    Calls calls;
  };

  // A shared object of a recorded process.
  struct Module {
    fs::path folder;
    Calls calls;
    uint64_t samples = 0;
  };

  Images& images_;
  const std::string& image_;
  std::vector<Recorded> recorded_;
  std::set<std::string> looked_at_;  // libraries, by path and build-id
  std::vector<Module> modules_;
  analyzer::TargetSum sum_;
  uint32_t profiles_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<profile::ComputedProfile>> ReadLocalRuns(const std::string& path,
                                                                    const std::string& image) {
  ASSIGN_OR_RETURN(const std::vector<RunFiles> runs, FindRunFiles(path));
  Images images;
  std::vector<profile::ComputedProfile> profiles;
  for (const RunFiles& files : runs) {
    Sum sum(images, image);
    RETURN_IF_ERROR(sum.Add(files));
    profiles.push_back(sum.Compute());
  }
  return profiles;
}

}  // namespace gprofhub::cli
