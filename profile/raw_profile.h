// The profile of one process: histograms of the program counter, arcs with their counts,
// basic-block counts (GNU gprof manual, "Profiling Data File Format"). Addresses are those of the
// image as linked (load-relative for position-independent images).
//
// Profile data is a sum: merging is addition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// Samples of the program counter over one address range.
struct Histogram {
  uint64_t low_pc = 0;   // first address covered
  uint64_t high_pc = 0;  // first address not covered
  // Samples per unit of the dimension (with "seconds": samples per second).
  uint32_t rate = 0;
  std::string dimension = "seconds";  // at most 15 characters
  char abbreviation = 's';
  // bins[i] counts samples in [low_pc + i*w, low_pc + (i+1)*w), where
  // w = (high_pc - low_pc) / bins.size() need not be whole.
  std::vector<uint64_t> bins;
  // The file does not contain the rate: BSD's older format has no field for it.
  bool rate_is_assumed = false;
};

// Calls from one call site to one function.
struct RawArc {
  uint64_t from_pc = 0;  // return address in the caller; any value if spontaneous
  uint64_t self_pc = 0;  // an address in the called function
  uint64_t count = 0;
};

struct BasicBlock {
  uint64_t pc = 0;  // any address in the block
  uint64_t count = 0;
};

// A frame of the sampled call stacks, which form a forest: following `parent` leads to the
// outermost frame. A frame's parent may come after it.
struct StackFrame {
  // An address in the image: for the innermost frame the sampled one, for a caller its return
  // address. Or kFramesMissing. Without meaning if `other` is set.
  uint64_t pc = 0;
  int64_t parent = -1;   // index; -1: outermost
  uint64_t samples = 0;  // taken while this frame was the innermost
  // From 1: the frame is in another object, RawProfile::others[other - 1].
  uint32_t other = 0;
};
// Outermost, in place of frames that could not be read.
inline constexpr uint64_t kFramesMissing = 1;

// Code outside of the image: another object, or code that belongs to none.
struct OtherObject {
  std::string name;      // "libc.so.6", "unknown"
  uint64_t samples = 0;  // in it, without a stack
};

// One process's data for one image.
struct RawProfile {
  std::vector<Histogram> histograms;
  std::vector<RawArc> arcs;        // in file order, not merged
  std::vector<BasicBlock> blocks;  // in file order, not merged
  // If stacks were recorded: those of samples in the image, which are in the histograms, too, and
  // of samples in other objects.
  std::vector<StackFrame> stacks;
  // Objects without a profile of their own, whose samples are counted here, and objects in stacks.
  std::vector<OtherObject> others;
  // Arcs from pc 0 are calls from other images, or from unknown callers (a signal handler's), and
  // all are counted: in a recording. Otherwise they are damage.
  bool has_spontaneous = false;
  // Why calls are missing, as a part of a sentence; empty: none are known to be.
  std::string missing_calls;
};

// By object of `others`: all samples in it.
std::vector<uint64_t> SamplesInOthers(const RawProfile& profile);

// Approximate memory of its rows.
inline uint64_t MemoryOf(const RawProfile& profile) {
  uint64_t memory = profile.arcs.capacity() * sizeof(RawArc) +
                    profile.blocks.capacity() * sizeof(BasicBlock) +
                    profile.stacks.capacity() * sizeof(StackFrame);
  for (const OtherObject& other : profile.others) memory += sizeof(OtherObject) + other.name.size();
  for (const Histogram& histogram : profile.histograms) {
    memory += sizeof(Histogram) + histogram.bins.capacity() * sizeof(uint64_t);
  }
  return memory;
}

// Symbols and lines of one image. Read from ELF and DWARF on the client's side
// (profile/elf/read_image.h), or from a symbol bundle (symbol_bundle.h).

// What code asks for that may differ from one run to the next: bits of FunctionSymbol::asks.
inline constexpr uint8_t kAsksClock = 1;
inline constexpr uint8_t kAsksRandom = 2;
inline constexpr uint8_t kAsksProcessors = 4;  // how many there are, or on which it runs
inline constexpr uint8_t kAsksProcess = 8;     // the number of the process or thread
inline constexpr uint8_t kAsksAll = 15;

// A symbol in an executable section, as in the symbol table: mangled and unfiltered. The analyzer
// selects.
struct FunctionSymbol {
  uint64_t address = 0;
  uint64_t size = 0;         // 0 if unknown
  std::string name;          // linkage name
  uint32_t file = 0;         // index into SymbolTable::files; 0: unknown
  uint32_t line = 0;         // of the function's entry; 0: unknown
  uint32_t table_index = 0;  // its place in the symbol table
  bool is_local = false;     // STB_LOCAL
  bool is_weak = false;      // STB_WEAK
  bool is_function = false;  // STT_FUNC or STT_GNU_IFUNC, not a bare label
  bool is_indirect = false;  // STT_GNU_IFUNC: the address is its resolver's
  // Digest of its code, independent of its address (profile/code/code_digests.h); 0: unknown.
  uint32_t code = 0;
  uint8_t asks = 0;  // known with `code`
  // According to the debug information, no call of it was inlined; false: one was, or unknown.
  bool never_inlined = false;
  uint32_t toolchain = 0;  // its compiler: index into SymbolTable::toolchains; 0: unknown
};

// The code from `address` up to the next row belongs to file:line.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  // index into SymbolTable::files
  uint32_t line = 0;  // 0 ends a sequence
};

// The code from `address` up to the next row belongs to one function.
struct CodeScope {
  uint64_t address = 0;
  // The debug information's name of the innermost function there, inlined or not: an index into
  // SymbolTable::scope_names. 0: none, use the symbols.
  uint32_t name = 0;
};

// Calls of one function were inlined into another.
struct InlinedFunction {
  uint64_t into = 0;  // address of the function that they were inlined into
  // NameHash of the inlined function. It has a row for its linkage name, and one for its qualified
  // name if that differs.
  uint32_t name = 0;

  friend bool operator<(const InlinedFunction& a, const InlinedFunction& b) {
    return a.into != b.into ? a.into < b.into : a.name < b.name;
  }
  friend bool operator==(const InlinedFunction& a, const InlinedFunction& b) {
    return a.into == b.into && a.name == b.name;
  }
};

// The return address of a call, in a block of code that glibc's profiles do not resolve.
struct SharedReturn {
  uint64_t address = 0;
  uint64_t callee = 0;  // address of the called function; 0: not in the instruction

  friend bool operator==(const SharedReturn& a, const SharedReturn& b) {
    return a.address == b.address && a.callee == b.callee;
  }
};

// glibc's mcount rounds return addresses down to a multiple of this many bytes, as observed on
// x86-64 and aarch64: two words.
constexpr uint64_t CallerBlock(int address_size) { return 2 * static_cast<uint64_t>(address_size); }

struct SymbolTable {
  std::string build_id;      // lower-case hexadecimal; empty if the image has none
  std::string architecture;  // "x86_64", "aarch64", "i386", …
  int address_size = 8;      // bytes of an address: 4 or 8
  bool big_endian = false;
  std::string image_name;  // file name without directory
  uint64_t text_low = 0;   // executable sections' range, as linked
  uint64_t text_high = 0;
  // Value of the symbol etext, up to which glibc samples; 0 if there is none. Beyond text_high if
  // the linker puts read-only data after the code. It is among the functions only if it is in an
  // executable section.
  uint64_t etext = 0;
  std::vector<std::string> files = {""};
  // Compiler, version and options (profile/demangle.h); only on request.
  std::vector<std::string> toolchains = {""};
  // Ascending by address; symbols at one address in the symbol table's order.
  std::vector<FunctionSymbol> functions;
  // The functions were selected by the user (gprof -S): all are listed, including local ones and
  // any names, and no others.
  bool has_chosen_functions = false;
  // Weak untyped symbols outside the executable sections (data_start), and the weak ones of .opd
  // (opd_symbols.h), in the same order. GNU gprof numbers them among the functions.
  std::vector<FunctionSymbol> weak_labels;
  std::vector<LineRow> lines;  // ascending by address
  // Code that was inlined, with the line of a call that it was inlined for, ascending by address;
  // line 0: code that was not inlined. Of the calls around the code that are not in a library's
  // file: if the code itself is in one, the innermost, otherwise the outermost. If all are, the
  // outermost.
  std::vector<LineRow> call_lines;
  // Functions, including inlined ones, ascending by address; only on request.
  std::vector<CodeScope> scopes;
  std::vector<std::string> scope_names;  // linkage names; the first is ""
  // Ascending, each once, without functions of the C++ standard library; only on request.
  std::vector<InlinedFunction> inlined;
  // Ascending. Of each aligned block of CallerBlock bytes whose calls are not all made by the
  // function at the block's first byte. Without calls of other images' functions.
  std::vector<SharedReturn> shared_returns;
};

// Whether a profile can have been written by an image. A gmon.out does not name its image, so only
// contradictions can be found.

// FailedPrecondition, with both files and ranges in the message, if
//   - a histogram lies outside the image's code or reaches far beyond it,
//   - most arcs lead outside the image's code,
//   - of the arcs that lead into a function many do not lead to its beginning, or
//   - a function has several calls of mcount.
// Reads only a sample of the arcs; those in between need not be in memory.
absl::Status CheckBelongs(const RawProfile& profile, const SymbolTable& symbols,
                          absl::string_view file_name, absl::string_view image_name);

// The sampling interval for `arcs` arcs.
size_t ArcsPerLook(size_t arcs);

}  // namespace gprofhub::profile
