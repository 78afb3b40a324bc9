// The orders of first calls in local recordings.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/ordering/start_up.h"
#include "analyzer/worker/target_profile.h"
#include "base/status_macros.h"
#include "cli/client/profiles.h"
#include "cli/order/command.h"
#include "profile/computed.h"
#include "profile/elf/read_image.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;

// The names of an image's functions, as a ComputedProfile has them.
class NamesOfImage {
 public:
  explicit NamesOfImage(profile::SymbolTable symbols)
      : symbols_(std::move(symbols)),
        table_(analyzer::BuildFunctionTable(symbols_, analyzer::SymbolPolicy::kExact)) {
    analyzer::LineFinder lines(symbols_.lines);
    for (const analyzer::TableFunction& function : table_.functions) {
      profile::FunctionCost cost;
      const uint32_t file = analyzer::DescribeCode(function, lines, cost);
      keys_.emplace_back(function.symbol->name, cost.is_static ? symbols_.files[file] : "");
    }
  }

  // Null: the place is in no function.
  const analyzer::FunctionKey* At(uint64_t pc) const {
    const uint32_t row = analyzer::FindByAddress(table_, pc);
    return row == analyzer::kNoFunction ? nullptr : &keys_[row];
  }

 private:
  const profile::SymbolTable symbols_;
  const analyzer::FunctionTable table_;
  std::vector<analyzer::FunctionKey> keys_;  // by row of the table
};

// Images by build-id, each read once.
class ImagesByBuildId {
 public:
  // One of `candidates`, or the file that the process had loaded. Null: none has the build-id.
  const NamesOfImage* Find(const profile::RecordedModule& module,
                           const std::vector<fs::path>& candidates) {
    const auto [known, is_new] = images_.try_emplace(module.build_id);
    if (!is_new) return known->second.get();
    for (const fs::path& path : candidates) {
      if (Read(path.string(), module.build_id, known->second)) return known->second.get();
    }
    if (!module.build_id.empty()) Read(module.path, module.build_id, known->second);
    return known->second.get();
  }

 private:
  static bool Read(const std::string& path, const std::string& build_id,
                   std::unique_ptr<const NamesOfImage>& names) {
    const absl::StatusOr<std::string> of_file = profile::ReadElfBuildId(path);
    if (!of_file.ok() || *of_file != build_id) return false;
    absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path);
    if (!symbols.ok()) return false;
    names = std::make_unique<const NamesOfImage>(*std::move(symbols));
    return true;
  }

  std::map<std::string, std::unique_ptr<const NamesOfImage>> images_;
};

}  // namespace

absl::Status AddLocalFirstCalls(const std::string& path, const std::string& image, double weight,
                                analyzer::FirstCalls& calls) {
  ASSIGN_OR_RETURN(const std::vector<RunFiles> runs, FindRunFiles(path));
  ImagesByBuildId images;
  for (const RunFiles& files : runs) {
    std::vector<fs::path> candidates = files.programs;
    if (!image.empty()) candidates = {image};
    std::vector<std::vector<analyzer::FunctionKey>> processes;
    for (const fs::path& recording : files.recordings) {
      RETURN_IF_ERROR(ReadRecordingFile(recording.string(), [&](const std::string&,
                                                                const profile::Recording& process) {
        std::vector<analyzer::FunctionKey>& functions = processes.emplace_back();
        for (const profile::ModulePlace& place : process.first_calls) {
          const NamesOfImage* const names = images.Find(process.modules[place.module], candidates);
          const analyzer::FunctionKey* const key = names ? names->At(place.pc) : nullptr;
          if (key != nullptr) functions.push_back(*key);
        }
        if (functions.empty()) processes.pop_back();
        return absl::OkStatus();
      }));
    }
    calls.AddRun(processes, weight);
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
