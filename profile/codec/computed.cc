#include "profile/codec/computed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/codec/message.h"
#include "profile/codec/symbol_rows.h"
#include "proto/computed.pb.h"

namespace gprofhub::profile {

namespace {

constexpr uint32_t kStatic = 1;
constexpr uint32_t kModule = 2;
constexpr uint32_t kNeverInlined = 4;
constexpr uint32_t kAsksFrom = 3;  // the bit of the first of FunctionCost::asks

}  // namespace

std::string EncodeComputedProfile(const ComputedProfile& profile) {
  v1::ComputedProfile message;
  for (const absl::string_view text : profile.strings) {
    message.add_strings(text.data(), text.size());
  }
  message.set_sample_rate(profile.sample_rate);
  message.set_dimension(profile.dimension);
  message.set_total_samples(profile.total_samples);
  message.set_unattributed_samples(profile.unattributed_samples);
  message.set_overhead_samples(profile.overhead_samples);
  message.set_stack_samples(profile.stack_samples);
  message.set_complete_stack_samples(profile.complete_stack_samples);
  message.set_sampled_calls(profile.sampled_calls);
  message.set_incomplete_calls(profile.incomplete_calls);
  message.set_repetitions(profile.repetitions);
  message.set_profiles(profile.profiles);
  for (const std::string& warning : profile.warnings) message.add_warnings(warning);
  for (const Environment& environment : profile.environments) {
    v1::Environment& added = *message.add_environments();
    added.set_architecture(environment.architecture);
    added.set_emulator(environment.emulator);
    added.set_processor(environment.processor);
    added.set_features(environment.features);
    added.set_tunables(environment.tunables);
    added.set_processors(environment.processors);
  }

  v1::FunctionCosts& functions = *message.mutable_functions();
  const bool has_code =
      std::any_of(profile.functions.begin(), profile.functions.end(),
                  [](const FunctionCost& function) { return function.code != 0; });
  const bool any_toolchain =
      std::any_of(profile.functions.begin(), profile.functions.end(),
                  [](const FunctionCost& function) { return function.toolchain != 0; });
  for (const FunctionCost& function : profile.functions) {
    functions.add_name(function.name);
    functions.add_file(function.file);
    functions.add_line(function.line);
    functions.add_image(function.image);
    functions.add_size(function.size);
    functions.add_flags((function.is_static ? kStatic : 0) | (function.is_module ? kModule : 0) |
                        (function.never_inlined ? kNeverInlined : 0) |
                        uint32_t{function.asks} << kAsksFrom);
    if (any_toolchain) functions.add_toolchain(function.toolchain);
    functions.add_calls(function.calls);
    functions.add_self_calls(function.self_calls);
    functions.add_self_samples(function.self_samples);
    functions.add_child_samples(function.child_samples);
    functions.add_cycle(function.cycle);
    if (has_code) functions.add_code(function.code);
  }
  for (const InlinedCost& inlined : profile.inlined) {
    message.mutable_inlined()->add_function(inlined.function);
    message.mutable_inlined()->add_name(inlined.name);
  }
  for (const AliasCost& alias : profile.aliases) {
    message.mutable_aliases()->add_function(alias.function);
    message.mutable_aliases()->add_name(alias.name);
  }
  for (const LineCost& line : profile.lines) {
    message.mutable_lines()->add_function(line.function);
    message.mutable_lines()->add_file(line.file);
    message.mutable_lines()->add_line(line.line);
    message.mutable_lines()->add_bytes(line.bytes);
    message.mutable_lines()->add_samples(line.samples);
  }
  v1::ArcCosts& arcs = *message.mutable_arcs();
  for (const ArcCost& arc : profile.arcs) {
    arcs.add_caller(arc.caller);
    arcs.add_callee(arc.callee);
    arcs.add_site_file(arc.site_file);
    arcs.add_site_line(arc.site_line);
    arcs.add_site_offset(arc.site_offset);
    arcs.add_count(arc.count);
    arcs.add_self_samples(arc.self_samples);
    arcs.add_child_samples(arc.child_samples);
  }
  return EncodeMessage(message);
}

// Profiles are read in place, in their wire form (profile/codec/symbol_rows.h): a comparison
// decodes thousands, and a message of libprotobuf would hold all of their numbers and texts a
// second time.

namespace {

using Functions = v1::FunctionCosts;
using Arcs = v1::ArcCosts;
using Inlined = v1::InlinedCosts;
using Aliases = v1::AliasCosts;
using Lines = v1::LineCosts;
using Message = v1::ComputedProfile;

constexpr uint64_t kMostTexts = 4'000'000;
constexpr uint64_t kHeapBytes = 16;             // allocator's overhead
constexpr size_t kMostEnvironmentBytes = 4096;  // a recording's texts are shorter

absl::Status Bad(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("computed profile: %s: %s; analyse the run again", field, problem));
}

absl::Status BadRow(absl::string_view field, size_t row, absl::string_view problem) {
  return Bad(absl::StrFormat("%s, row %d", field, row), problem);
}

constexpr uint32_t Bit(int column) { return uint32_t{1} << column; }

double Double(uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

// A profile without its rows and texts.
struct WireProfile {
  ComputedProfile head;
  WireTable functions;
  WireTable arcs;
  WireTable inlined;
  WireTable aliases;
  WireTable lines;
  uint64_t strings = 0;
  uint64_t warnings = 0;
  uint64_t bytes_of_texts = 0;  // of both
};

// One of the tables.
absl::Status ReadTable(const WireField& field, absl::string_view name, uint32_t doubles,
                       uint64_t& seen, WireTable& table) {
  const absl::StatusOr<WireTable> read = WireTable::ReadOnce(field, seen, doubles);
  if (!read.ok()) return Bad(name, read.status().message());
  table = *read;
  return absl::OkStatus();
}

// The text of the environment for this field of the message; nullptr: none.
std::string* TextFor(const WireField& field, Environment& environment) {
  switch (field.number) {
    case v1::Environment::kArchitectureFieldNumber:
      return &environment.architecture;
    case v1::Environment::kEmulatorFieldNumber:
      return &environment.emulator;
    case v1::Environment::kProcessorFieldNumber:
      return &environment.processor;
    case v1::Environment::kFeaturesFieldNumber:
      return &environment.features;
    case v1::Environment::kTunablesFieldNumber:
      return &environment.tunables;
    default:
      return nullptr;
  }
}

absl::Status ReadEnvironment(const WireField& field, std::vector<Environment>& environments) {
  if (field.type != WireType::kDelimited) return Bad("environments", "is of another type");
  if (environments.size() == kMostEnvironments) {
    return Bad("environments", absl::StrFormat("more than %d", kMostEnvironments));
  }
  if (field.bytes.size() > kMostEnvironmentBytes) return Bad("environments", "is too long");
  Environment& environment = environments.emplace_back();
  WireReader reader(field.bytes);
  WireField part;
  while (reader.Next(part)) {
    std::string* const text = TextFor(part, environment);
    if (text != nullptr && part.type == WireType::kDelimited) *text = std::string(part.bytes);
    if (part.number == v1::Environment::kProcessorsFieldNumber) {
      environment.processors = static_cast<uint32_t>(part.value);
    }
  }
  return reader.failed() ? Bad("environments", "is not a message") : absl::OkStatus();
}

// The number in the profile's head for this field of the message; nullptr: none.
double* DoubleOf(const WireField& field, ComputedProfile& head) {
  switch (field.number) {
    case Message::kSampleRateFieldNumber:
      return &head.sample_rate;
    case Message::kTotalSamplesFieldNumber:
      return &head.total_samples;
    case Message::kUnattributedSamplesFieldNumber:
      return &head.unattributed_samples;
    case Message::kOverheadSamplesFieldNumber:
      return &head.overhead_samples;
    case Message::kStackSamplesFieldNumber:
      return &head.stack_samples;
    case Message::kCompleteStackSamplesFieldNumber:
      return &head.complete_stack_samples;
    default:
      return nullptr;
  }
}

absl::Status TakeField(const WireField& field, uint64_t& seen, WireProfile& profile) {
  ComputedProfile& head = profile.head;
  WireType type = WireType::kVarint;
  switch (field.number) {
    case Message::kFunctionsFieldNumber:
      return ReadTable(
          field, "functions",
          Bit(Functions::kSelfSamplesFieldNumber) | Bit(Functions::kChildSamplesFieldNumber), seen,
          profile.functions);
    case Message::kArcsFieldNumber:
      return ReadTable(field, "arcs",
                       Bit(Arcs::kSelfSamplesFieldNumber) | Bit(Arcs::kChildSamplesFieldNumber),
                       seen, profile.arcs);
    case Message::kInlinedFieldNumber:
      return ReadTable(field, "inlined", 0, seen, profile.inlined);
    case Message::kAliasesFieldNumber:
      return ReadTable(field, "aliases", 0, seen, profile.aliases);
    case Message::kLinesFieldNumber:
      return ReadTable(field, "lines", Bit(Lines::kSamplesFieldNumber), seen, profile.lines);
    case Message::kEnvironmentsFieldNumber:
      return ReadEnvironment(field, head.environments);
    case Message::kStringsFieldNumber:
    case Message::kWarningsFieldNumber:
      type = WireType::kDelimited;
      ++(field.number == Message::kStringsFieldNumber ? profile.strings : profile.warnings);
      profile.bytes_of_texts += field.bytes.size();
      break;
    case Message::kDimensionFieldNumber:
      type = WireType::kDelimited;
      head.dimension = std::string(field.bytes);
      break;
    case Message::kRepetitionsFieldNumber:
      head.repetitions = static_cast<uint32_t>(field.value);
      break;
    case Message::kProfilesFieldNumber:
      head.profiles = static_cast<uint32_t>(field.value);
      break;
    case Message::kSampledCallsFieldNumber:
      head.sampled_calls = field.value != 0;
      break;
    case Message::kIncompleteCallsFieldNumber:
      head.incomplete_calls = field.value != 0;
      break;
    default: {
      double* const number = DoubleOf(field, head);
      if (number == nullptr) return absl::OkStatus();  // of a later version
      type = WireType::kFixed64;
      *number = Double(field.value);
    }
  }
  if (field.type == type) return absl::OkStatus();
  return Bad(absl::StrFormat("field %d", field.number), "is of another type");
}

// `strings_begin_well`: the first one is empty.
absl::Status CheckHead(const ComputedProfile& head, bool strings_begin_well) {
  if (!strings_begin_well) return Bad("strings", "entry 0 is not the empty string");
  if (!std::isfinite(head.sample_rate) || head.sample_rate < 0) {
    return Bad("sample_rate", "is negative or not a number");
  }
  if (!std::isfinite(head.total_samples)) return Bad("total_samples", "is not a number");
  if (!std::isfinite(head.unattributed_samples)) {
    return Bad("unattributed_samples", "is not a number");
  }
  for (const double samples :
       {head.overhead_samples, head.stack_samples, head.complete_stack_samples}) {
    if (!std::isfinite(samples)) {
      return Bad("overhead_samples, stack_samples or complete_stack_samples", "is not a number");
    }
  }
  if (head.repetitions == 0) return Bad("repetitions", "is 0");
  return absl::OkStatus();
}

// Everything but the rows and texts, which are only counted.
absl::Status ReadWire(absl::string_view content, WireProfile& profile) {
  profile.head.strings.clear();
  profile.head.dimension.clear();
  profile.head.repetitions = 0;
  WireReader reader(content);
  WireField field;
  uint64_t seen = 0;
  bool begins_well = false;
  while (reader.Next(field)) {
    RETURN_IF_ERROR(TakeField(field, seen, profile));
    if (profile.strings + profile.warnings > kMostTexts) {
      return Bad("strings and warnings", absl::StrFormat("more than %d", kMostTexts));
    }
    if (field.number == Message::kStringsFieldNumber && profile.strings == 1) {
      begins_well = field.bytes.empty();
    }
  }
  if (reader.failed()) {
    return absl::DataLossError(
        absl::StrFormat("computed profile: the %d bytes of content are not a message; send it in "
                        "the format of gprofhub",
                        content.size()));
  }
  return CheckHead(profile.head, begins_well);
}

// Approximate memory of the profile.
uint64_t SizeOfProfile(WireProfile& profile) {
  return profile.functions[Functions::kNameFieldNumber].rows() * sizeof(FunctionCost) +
         profile.arcs[Arcs::kCallerFieldNumber].rows() * sizeof(ArcCost) +
         profile.inlined[Inlined::kFunctionFieldNumber].rows() * sizeof(InlinedCost) +
         profile.aliases[Aliases::kFunctionFieldNumber].rows() * sizeof(AliasCost) +
         profile.lines[Lines::kFunctionFieldNumber].rows() * sizeof(LineCost) +
         profile.head.environments.size() * (sizeof(Environment) + kMostEnvironmentBytes) +
         profile.strings * sizeof(size_t) + profile.warnings * (sizeof(std::string) + kHeapBytes) +
         profile.bytes_of_texts;
}

// The rows and texts that ReadWire counted.
void TakeTexts(absl::string_view content, ComputedProfile& profile) {
  WireReader reader(content);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == Message::kStringsFieldNumber) profile.strings.push_back(field.bytes);
    if (field.number == Message::kWarningsFieldNumber) profile.warnings.emplace_back(field.bytes);
  }
}

// One row of a table: its numbers by column, 0 if the column is absent.
using Row = std::array<uint64_t, WireTable::kMostNumber + 1>;

// Takes the next row out of these columns; false if a number has more than 64 bits.
template <size_t kCount>
bool NextRow(const std::array<int, kCount>& columns, WireTable& table, Row& row) {
  for (const int column : columns) {
    if (!table[column].Next(row[static_cast<size_t>(column)])) return false;
  }
  return true;
}

template <size_t kCount>
bool HaveRows(size_t rows, const std::array<int, kCount>& columns, WireTable& table) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](int column) { return table[column].rows() == rows; });
}

absl::Status DecodeFunctions(WireTable& table, ComputedProfile& profile) {
  constexpr std::array<int, 11> kColumns = {
      Functions::kNameFieldNumber,        Functions::kFileFieldNumber,
      Functions::kLineFieldNumber,        Functions::kImageFieldNumber,
      Functions::kSizeFieldNumber,        Functions::kFlagsFieldNumber,
      Functions::kCallsFieldNumber,       Functions::kSelfCallsFieldNumber,
      Functions::kSelfSamplesFieldNumber, Functions::kChildSamplesFieldNumber,
      Functions::kCycleFieldNumber};
  const size_t rows = table[Functions::kNameFieldNumber].rows();
  if (!HaveRows(rows, kColumns, table)) return Bad("functions", "its columns differ in length");
  PackedColumn& codes = table[Functions::kCodeFieldNumber];
  if (codes.rows() != 0 && codes.rows() != rows) {
    return Bad("functions.code", "has another length than the other columns");
  }
  PackedColumn& toolchains = table[Functions::kToolchainFieldNumber];
  if (toolchains.rows() != 0 && toolchains.rows() != rows) {
    return Bad("functions.toolchain", "differs in length from the others");
  }
  const bool has_code = codes.rows() != 0, has_toolchain = toolchains.rows() != 0;
  const size_t strings = profile.strings.size();
  profile.functions.reserve(rows);
  Row at = {};
  for (size_t row = 0; row < rows; ++row) {
    uint64_t code = 0, toolchain = 0;
    if (!NextRow(kColumns, table, at) || (has_code && !codes.Next(code)) ||
        (has_toolchain && !toolchains.Next(toolchain))) {
      return BadRow("functions", row, "has more than 64 bits");
    }
    if (at[Functions::kNameFieldNumber] >= strings || at[Functions::kFileFieldNumber] >= strings ||
        at[Functions::kImageFieldNumber] >= strings) {
      return BadRow("functions.name, file or image", row, "is not the index of a string");
    }
    const uint64_t flags = at[Functions::kFlagsFieldNumber];
    if ((flags & ~uint64_t{kStatic | kModule | kNeverInlined | uint32_t{kAsksAll} << kAsksFrom}) !=
        0) {
      return BadRow("functions.flags", row, "has unknown bits");
    }
    if (at[Functions::kCycleFieldNumber] > rows) {
      return BadRow("functions.cycle", row, "is larger than the number of functions");
    }
    const double self = Double(at[Functions::kSelfSamplesFieldNumber]);
    const double child = Double(at[Functions::kChildSamplesFieldNumber]);
    if (!std::isfinite(self) || !std::isfinite(child)) {
      return BadRow("functions.self_samples or child_samples", row, "is not a number");
    }
    if (toolchain >= strings) {
      return BadRow("functions.toolchain", row, "is not the index of a string");
    }
    FunctionCost& function = profile.functions.emplace_back();
    function.name = static_cast<uint32_t>(at[Functions::kNameFieldNumber]);
    function.file = static_cast<uint32_t>(at[Functions::kFileFieldNumber]);
    function.line = static_cast<uint32_t>(at[Functions::kLineFieldNumber]);
    function.image = static_cast<uint32_t>(at[Functions::kImageFieldNumber]);
    function.size = at[Functions::kSizeFieldNumber];
    function.is_static = (flags & kStatic) != 0;
    function.is_module = (flags & kModule) != 0;
    function.never_inlined = (flags & kNeverInlined) != 0;
    function.asks = static_cast<uint8_t>(flags >> kAsksFrom & kAsksAll);
    function.calls = at[Functions::kCallsFieldNumber];
    function.self_calls = at[Functions::kSelfCallsFieldNumber];
    function.self_samples = self;
    function.child_samples = child;
    function.cycle = static_cast<uint32_t>(at[Functions::kCycleFieldNumber]);
    function.code = static_cast<uint32_t>(code);
    function.toolchain = static_cast<uint32_t>(toolchain);
  }
  return absl::OkStatus();
}

absl::Status DecodeArcs(WireTable& table, ComputedProfile& profile) {
  constexpr std::array<int, 8> kColumns = {
      Arcs::kCallerFieldNumber,      Arcs::kCalleeFieldNumber,      Arcs::kSiteFileFieldNumber,
      Arcs::kSiteLineFieldNumber,    Arcs::kSiteOffsetFieldNumber,  Arcs::kCountFieldNumber,
      Arcs::kSelfSamplesFieldNumber, Arcs::kChildSamplesFieldNumber};
  const size_t rows = table[Arcs::kCallerFieldNumber].rows();
  if (!HaveRows(rows, kColumns, table)) return Bad("arcs", "its columns differ in length");
  const size_t functions = profile.functions.size();
  profile.arcs.reserve(rows);
  Row at = {};
  for (size_t row = 0; row < rows; ++row) {
    if (!NextRow(kColumns, table, at)) return BadRow("arcs", row, "has more than 64 bits");
    if (at[Arcs::kCallerFieldNumber] > functions || at[Arcs::kCalleeFieldNumber] >= functions) {
      return BadRow("arcs.caller or callee", row, "is not the row of a function");
    }
    if (at[Arcs::kSiteFileFieldNumber] >= profile.strings.size()) {
      return BadRow("arcs.site_file", row, "is not the index of a string");
    }
    const double self = Double(at[Arcs::kSelfSamplesFieldNumber]);
    const double child = Double(at[Arcs::kChildSamplesFieldNumber]);
    if (!std::isfinite(self) || !std::isfinite(child)) {
      return BadRow("arcs.self_samples or child_samples", row, "is not a number");
    }
    profile.arcs.push_back({static_cast<uint32_t>(at[Arcs::kCallerFieldNumber]),
                            static_cast<uint32_t>(at[Arcs::kCalleeFieldNumber]),
                            static_cast<uint32_t>(at[Arcs::kSiteFileFieldNumber]),
                            static_cast<uint32_t>(at[Arcs::kSiteLineFieldNumber]),
                            at[Arcs::kSiteOffsetFieldNumber], at[Arcs::kCountFieldNumber], self,
                            child});
  }
  return absl::OkStatus();
}

absl::Status DecodeInlined(WireTable& table, ComputedProfile& profile) {
  constexpr std::array<int, 2> kColumns = {Inlined::kFunctionFieldNumber,
                                           Inlined::kNameFieldNumber};
  const size_t rows = table[Inlined::kFunctionFieldNumber].rows();
  if (!HaveRows(rows, kColumns, table)) return Bad("inlined", "its columns differ in length");
  profile.inlined.reserve(rows);
  Row at = {};
  for (size_t row = 0; row < rows; ++row) {
    if (!NextRow(kColumns, table, at)) return BadRow("inlined", row, "has more than 64 bits");
    if (at[Inlined::kFunctionFieldNumber] >= profile.functions.size()) {
      return BadRow("inlined.function", row, "is not the row of a function");
    }
    profile.inlined.push_back({static_cast<uint32_t>(at[Inlined::kFunctionFieldNumber]),
                               static_cast<uint32_t>(at[Inlined::kNameFieldNumber])});
  }
  return absl::OkStatus();
}

absl::Status DecodeAliases(WireTable& table, ComputedProfile& profile) {
  constexpr std::array<int, 2> kColumns = {Aliases::kFunctionFieldNumber,
                                           Aliases::kNameFieldNumber};
  const size_t rows = table[Aliases::kFunctionFieldNumber].rows();
  if (!HaveRows(rows, kColumns, table)) return Bad("aliases", "its columns differ in length");
  profile.aliases.reserve(rows);
  Row at = {};
  for (size_t row = 0; row < rows; ++row) {
    if (!NextRow(kColumns, table, at)) return BadRow("aliases", row, "has more than 64 bits");
    if (at[Aliases::kFunctionFieldNumber] >= profile.functions.size()) {
      return BadRow("aliases.function", row, "is not the row of a function");
    }
    if (at[Aliases::kNameFieldNumber] >= profile.strings.size()) {
      return BadRow("aliases.name", row, "is not the index of a string");
    }
    profile.aliases.push_back({static_cast<uint32_t>(at[Aliases::kFunctionFieldNumber]),
                               static_cast<uint32_t>(at[Aliases::kNameFieldNumber])});
  }
  return absl::OkStatus();
}

absl::Status DecodeLines(WireTable& table, ComputedProfile& profile) {
  constexpr std::array<int, 5> kColumns = {Lines::kFunctionFieldNumber, Lines::kFileFieldNumber,
                                           Lines::kLineFieldNumber, Lines::kBytesFieldNumber,
                                           Lines::kSamplesFieldNumber};
  const size_t rows = table[Lines::kFunctionFieldNumber].rows();
  if (!HaveRows(rows, kColumns, table)) return Bad("lines", "its columns differ in length");
  profile.lines.reserve(rows);
  Row at = {};
  for (size_t row = 0; row < rows; ++row) {
    if (!NextRow(kColumns, table, at)) return BadRow("lines", row, "has more than 64 bits");
    if (at[Lines::kFunctionFieldNumber] >= profile.functions.size()) {
      return BadRow("lines.function", row, "is not the row of a function");
    }
    if (at[Lines::kFileFieldNumber] >= profile.strings.size()) {
      return BadRow("lines.file", row, "is not the index of a string");
    }
    const double samples = Double(at[Lines::kSamplesFieldNumber]);
    if (!std::isfinite(samples)) return BadRow("lines.samples", row, "is not a number");
    profile.lines.push_back({static_cast<uint32_t>(at[Lines::kFunctionFieldNumber]),
                             static_cast<uint32_t>(at[Lines::kFileFieldNumber]),
                             static_cast<uint32_t>(at[Lines::kLineFieldNumber]),
                             at[Lines::kBytesFieldNumber], samples});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComputedProfile> DecodeComputedProfile(absl::string_view bytes,
                                                      const base::Decoding& decoding) {
  RETURN_IF_ERROR(decoding.Take(std::min(StatedSize(bytes), kLargestContent)).status());
  ASSIGN_OR_RETURN(const std::string content, Decompress(bytes, "computed profile"));
  WireProfile wire;
  RETURN_IF_ERROR(ReadWire(content, wire));
  ASSIGN_OR_RETURN(base::Reservation for_profile, decoding.Take(SizeOfProfile(wire)));
  ComputedProfile profile = std::move(wire.head);
  profile.strings.reserve(wire.strings, wire.bytes_of_texts);
  TakeTexts(content, profile);
  RETURN_IF_ERROR(DecodeFunctions(wire.functions, profile));
  RETURN_IF_ERROR(DecodeArcs(wire.arcs, profile));
  RETURN_IF_ERROR(DecodeInlined(wire.inlined, profile));
  RETURN_IF_ERROR(DecodeAliases(wire.aliases, profile));
  RETURN_IF_ERROR(DecodeLines(wire.lines, profile));
  for_profile.Leave(MemoryOf(profile));
  return profile;
}

uint64_t MemoryOf(const ComputedProfile& profile) {
  uint64_t memory =
      profile.functions.size() * sizeof(FunctionCost) + profile.arcs.size() * sizeof(ArcCost) +
      profile.inlined.size() * sizeof(InlinedCost) + profile.aliases.size() * sizeof(AliasCost) +
      profile.lines.size() * sizeof(LineCost) + profile.strings.memory();
  for (const Environment& environment : profile.environments) {
    memory += sizeof(Environment) + environment.features.size() + environment.tunables.size();
  }
  for (const std::string& text : profile.warnings) {
    memory += sizeof(std::string) + text.size() + kHeapBytes;
  }
  return memory;
}

}  // namespace gprofhub::profile
