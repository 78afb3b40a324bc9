#include "tests/page/made_program.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"

namespace gprofhub::tests {
namespace {

constexpr uint64_t kText = 0x10000;
// Room for the calls of one function.
constexpr uint64_t kFunctionBytes = 0x4000;
constexpr uint64_t kCallBytes = 8;
constexpr uint32_t kRate = 1000;

}  // namespace

MadeProgram::MadeProgram(std::string name, std::string build)
    : name_(std::move(name)), build_(std::move(build)) {}

size_t MadeProgram::Add(std::string function, std::string file, uint32_t line, uint64_t samples,
                        const Code& code) {
  functions_.push_back({std::move(function), std::move(file), line, samples, code});
  return functions_.size() - 1;
}

void MadeProgram::Call(size_t from, size_t to, uint64_t count) {
  arcs_.push_back({from, to, count});
}

void MadeProgram::Start(size_t function) { started_.push_back(function); }

uint64_t MadeProgram::AddressOf(size_t function) const { return kText + function * kFunctionBytes; }

uint64_t MadeProgram::SiteOf(size_t function, size_t k) const {
  return AddressOf(function) + (k + 1) * kCallBytes;
}

profile::SymbolTable MadeProgram::Symbols() const {
  profile::SymbolTable symbols;
  symbols.build_id = base::Sha256Hex(absl::StrCat(name_, "/", build_)).substr(0, 40);
  symbols.architecture = "x86_64";
  symbols.image_name = name_;
  symbols.text_low = kText;
  symbols.text_high = AddressOf(functions_.size());
  std::map<std::string, uint32_t> files = {{"", 0}}, toolchains = {{"", 0}};
  std::vector<size_t> calls(functions_.size());
  for (const Arc& arc : arcs_) ++calls[arc.from];
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Function& from = functions_[i];
    const auto [file, is_new] = files.emplace(from.file, symbols.files.size());
    if (is_new) symbols.files.push_back(from.file);
    profile::FunctionSymbol function;
    function.address = AddressOf(i);
    function.size = kFunctionBytes;
    function.name = from.name;
    function.file = file->second;
    function.line = from.line;
    function.is_function = true;
    function.is_local = from.code.is_local;
    function.code = from.code.digest;
    const auto [toolchain, is_other] =
        toolchains.emplace(from.code.toolchain, symbols.toolchains.size());
    if (is_other) symbols.toolchains.push_back(from.code.toolchain);
    function.toolchain = toolchain->second;
    symbols.functions.push_back(std::move(function));
    symbols.lines.push_back({AddressOf(i), file->second, from.line});
    for (size_t k = 0; k < calls[i]; ++k) {
      symbols.lines.push_back(
          {SiteOf(i, k) - kCallBytes / 2, file->second, from.line + static_cast<uint32_t>(k) + 1});
    }
  }
  symbols.lines.push_back({symbols.text_high, 0, 0});
  return symbols;
}

profile::RawProfile MadeProgram::Profile() const {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kText;
  histogram.high_pc = AddressOf(functions_.size());
  histogram.rate = kRate;
  for (const Function& function : functions_) histogram.bins.push_back(function.samples);
  profile.histograms.push_back(std::move(histogram));
  for (const size_t function : started_) profile.arcs.push_back({0, AddressOf(function), 1});
  std::vector<size_t> calls(functions_.size());
  for (const Arc& arc : arcs_) {
    profile.arcs.push_back({SiteOf(arc.from, calls[arc.from]++), AddressOf(arc.to), arc.count});
  }
  return profile;
}

}  // namespace gprofhub::tests
