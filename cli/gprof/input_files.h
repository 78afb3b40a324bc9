// The profiles that gprof reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/graph/function_table.h"
#include "base/file.h"
#include "cli/gprof/debug_dump.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"

namespace gprofhub::cli {

// Checks whether the histograms of several profiles can be summed.

// The header of a histogram, which describes its bins.
struct HistogramHead {
  std::string path;  // of the profile
  uint64_t low_pc = 0;
  uint64_t high_pc = 0;
  uint64_t bins = 0;
  uint32_t rate = 0;
  std::string dimension;
  char abbreviation = 's';
  bool rate_is_assumed = false;  // compatible with any other rate
  bool is_bsd = false;           // of a profile that is only compared with the first
};

using HistogramHeads = std::vector<HistogramHead>;

HistogramHeads HeadsOf(const profile::RawProfile& profile, const std::string& path);

// InvalidArgument if a profile's histograms cannot be added to those of the previous profiles. The
// message is GNU gprof's, each line beginning with `program`; for rates, which GNU gprof does not
// compare, it is gprofhub's. Checks profiles up to the first one without heads, which could not be
// read. `checked`: the number of profiles that are compatible.
absl::Status CheckHistograms(absl::Span<const std::optional<HistogramHeads>> profiles,
                             const std::string& program, size_t& checked);

// Functions of other modules that the image's functions called, from a recording. A listing has
// only one image, so each function gets an address behind the image's own.

class LibraryFunctions {
 public:
  explicit LibraryFunctions(const profile::SymbolTable& image);

  // The calls, with the functions' addresses here. Names are read from the module's file, if the
  // file has not changed since the run. Otherwise the module is one function, "[libc.so.6]".
  std::vector<profile::RawArc> Place(const std::vector<profile::CallsOut>& calls);

  // Adds the functions to those of the image.
  void AddTo(profile::SymbolTable& symbols) const;

 private:
  struct Module {
    std::string name;               // in brackets
    profile::SymbolTable symbols;   // empty: unknown
    analyzer::FunctionTable table;  // of the symbols
  };

  const Module& ModuleAt(const std::string& path, const std::string& build_id);
  uint64_t AddressOf(const Module& module, uint64_t pc);

  uint64_t next_ = 0;                                    // address
  std::map<std::string, std::unique_ptr<Module>> read_;  // by path and build-id
  // Addresses in the listing, by module and address in the module; address 0: the whole module.
  std::map<std::pair<const Module*, uint64_t>, uint64_t> placed_;
  std::vector<profile::FunctionSymbol> functions_;  // ascending by address
};

// The sum of the profiles ("-": standard input). For --file-info, stores the record counts of each
// profile in `records`, and prints them, unless for an export. Warns on stderr of profiles that
// another program wrote. Prints `dump`'s text of each, unless `dump` is null. Calls of functions of
// other modules lead to those of `libraries`, or are omitted if that is null. The status' message
// is the whole line that GNU gprof prints for such a file.
absl::StatusOr<profile::RawProfile> ReadProfiles(const GprofOptions& options,
                                                 const profile::SymbolTable& symbols,
                                                 const DebugDump* dump, LibraryFunctions* libraries,
                                                 std::vector<analyzer::ProfileRecords>& records);

// Reads a whole file, as GNU gprof does.

// As ReadFileInto, but reads a directory as an empty file, as GNU gprof does.
inline absl::Status ReadAsGnuGprof(const std::string& path, std::string& content) {
  absl::Status status = base::ReadFileInto(path, content);
  if (!absl::IsFailedPrecondition(status)) return status;
  content.clear();
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
