#include "profile/raw_profile.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace gprofhub::profile {

std::vector<uint64_t> SamplesInOthers(const RawProfile& profile) {
  std::vector<uint64_t> samples;
  for (const OtherObject& other : profile.others) samples.push_back(other.samples);
  for (const StackFrame& frame : profile.stacks) {
    if (frame.other > 0) samples[frame.other - 1] += frame.samples;
  }
  return samples;
}

namespace {

// Page and bin rounding at the end of the text.
constexpr uint64_t kMargin = 4096;

// mcount is called from a function's prologue, so its return address is within the first bytes of
// the function.
constexpr uint64_t kPrologue = 64;
// With fewer arcs their offsets are not conclusive.
constexpr uint64_t kEnoughArcs = 8;
// A sample of this size, at even distances, is as conclusive as all arcs.
constexpr size_t kArcsLookedUp = 2000;

uint64_t TextEnd(const SymbolTable& symbols) {
  const uint64_t end = std::max(symbols.text_high, symbols.etext);
  return end > UINT64_MAX - kMargin ? UINT64_MAX : end + kMargin;
}

absl::Status DoesNotBelong(absl::string_view file_name, absl::string_view image_name,
                           const SymbolTable& symbols, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrFormat("%s does not belong to %s: %s, but the image's code is at [%#x, %#x); pass "
                      "the file that ran, not a rebuilt one, and not a position-independent "
                      "executable in place of a fixed-position one",
                      file_name, image_name, why, symbols.text_low, symbols.text_high));
}

// The function that covers `address`; null in a gap between functions.
const FunctionSymbol* Covering(const SymbolTable& symbols, uint64_t address) {
  auto next = std::upper_bound(
      symbols.functions.begin(), symbols.functions.end(), address,
      [](uint64_t value, const FunctionSymbol& function) { return value < function.address; });
  if (next == symbols.functions.begin()) return nullptr;
  const FunctionSymbol& function = *std::prev(next);
  return address - function.address < function.size ? &function : nullptr;
}

// "[low, high]" of all arcs' callees; there is at least one.
std::string Callees(const RawProfile& profile) {
  const auto [low, high] =
      std::minmax_element(profile.arcs.begin(), profile.arcs.end(),
                          [](const RawArc& a, const RawArc& b) { return a.self_pc < b.self_pc; });
  return absl::StrFormat("[%#x, %#x]", low->self_pc, high->self_pc);
}

absl::Status CheckHistograms(const RawProfile& profile, const SymbolTable& symbols,
                             absl::string_view file_name, absl::string_view image_name) {
  const uint64_t end = TextEnd(symbols);
  for (const Histogram& histogram : profile.histograms) {
    // A range without samples may be the segment's headers, before the code.
    const bool below =
        histogram.high_pc <= symbols.text_low &&
        std::any_of(histogram.bins.begin(), histogram.bins.end(), [](uint64_t n) { return n > 0; });
    if (below || histogram.high_pc > end) {
      return DoesNotBelong(
          file_name, image_name, symbols,
          absl::StrFormat("its histogram covers [%#x, %#x)", histogram.low_pc, histogram.high_pc));
    }
  }
  return absl::OkStatus();
}

// "f and 2 other functions"; there is at least one.
std::string Listed(const std::set<std::string>& functions) {
  const size_t others = functions.size() - 1;
  if (others == 0) return *functions.begin();
  return absl::StrCat(*functions.begin(), " and ", others, " other function",
                      others == 1 ? "" : "s");
}

absl::Status CheckArcs(const RawProfile& profile, const SymbolTable& symbols,
                       absl::string_view file_name, absl::string_view image_name) {
  const uint64_t end = TextEnd(symbols);
  uint64_t looked_up = 0;
  uint64_t outside = 0;
  uint64_t inside_function = 0;
  uint64_t at_beginning = 0;
  absl::flat_hash_map<const FunctionSymbol*, uint64_t> places;  // of mcount's call
  std::set<std::string> inlined_into;
  const size_t step = ArcsPerLook(profile.arcs.size());
  for (size_t i = 0; i < profile.arcs.size(); i += step) {
    const uint64_t callee = profile.arcs[i].self_pc;
    ++looked_up;
    if (callee < symbols.text_low || callee >= end) {
      ++outside;
      continue;
    }
    const FunctionSymbol* function = Covering(symbols, callee);
    if (function == nullptr) continue;
    ++inside_function;
    at_beginning += callee - function->address <= kPrologue;
    // mcount is called once in a function, unless others are inlined with theirs. Counters in the
    // text name the function's first byte.
    if (callee == function->address || !function->is_function) continue;
    const auto [place, is_new] = places.try_emplace(function, callee);
    if (!is_new && place->second != callee) inlined_into.insert(function->name);
  }
  if (outside > looked_up / 2) {
    return DoesNotBelong(file_name, image_name, symbols,
                         absl::StrFormat("%d of %d checked arcs (to %s) lead outside", outside,
                                         looked_up, Callees(profile)));
  }
  if (inside_function >= kEnoughArcs && at_beginning < inside_function / 4 * 3) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: only %d of %d checked arcs (to %s) lead to the beginning of a function of %s: another "
        "build of it ran, or the compiler inlined functions with their calls of mcount, as clang's "
        "-flto does without -mfentry; pass the file that ran, or compile with -mfentry",
        file_name, at_beginning, inside_function, Callees(profile), image_name));
  }
  if (!inlined_into.empty()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: calls are counted at several places in %s of %s: the compiler "
                        "inlined functions with their calls of mcount, as clang's -flto does "
                        "without -mfentry, or another build of it ran; compile with -mfentry, or "
                        "pass the file that ran",
                        file_name, Listed(inlined_into), image_name));
  }
  return absl::OkStatus();
}

}  // namespace

size_t ArcsPerLook(size_t arcs) { return arcs == 0 ? 1 : (arcs - 1) / kArcsLookedUp + 1; }

absl::Status CheckBelongs(const RawProfile& profile, const SymbolTable& symbols,
                          absl::string_view file_name, absl::string_view image_name) {
  RETURN_IF_ERROR(CheckHistograms(profile, symbols, file_name, image_name));
  return CheckArcs(profile, symbols, file_name, image_name);
}

}  // namespace gprofhub::profile
