#include "analyzer/linker_files/section_files.h"

#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "analyzer/linker_files/symbol_file.h"

namespace gprofhub::analyzer {
namespace {

// The name itself, and with each C1 (D1) in the place of C2 (D2) and the other
// way round. Other text of this form gives names that no section has.
std::vector<std::string> Variants(absl::string_view name) {
  std::vector<std::string> variants = {std::string(name)};
  if (!absl::StartsWith(name, "_Z")) return variants;
  for (size_t i = 2; i + 2 < name.size(); ++i) {
    if ((name[i] != 'C' && name[i] != 'D') || (name[i + 1] != '1' && name[i + 1] != '2') ||
        (name[i + 2] != 'E' && name[i + 2] != 'I')) {
      continue;
    }
    std::string variant(name);
    variant[i + 1] = name[i + 1] == '1' ? '2' : '1';
    variants.push_back(std::move(variant));
  }
  return variants;
}

void ForEachSection(absl::Span<const std::string> names, absl::flat_hash_set<std::string> split,
                    const std::function<void(const std::string&)>& visit) {
  // A cold part with a place of its own was split off.
  for (absl::string_view name : names) {
    if (absl::ConsumeSuffix(&name, ".cold")) split.emplace(name);
  }
  absl::flat_hash_set<std::string> seen;
  for (const std::string& name : names) {
    if (!CanBePlaced(name)) continue;
    for (const std::string& section : SectionsOf(name, split)) {
      if (seen.insert(section).second) visit(section);
    }
  }
}

}  // namespace

std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split) {
  std::vector<std::string> sections;
  const bool is_cold_part = absl::ConsumeSuffix(&name, ".cold");
  for (const std::string& variant : Variants(name)) {
    if (!is_cold_part) {
      for (const char* prefix : {".text.", ".text.hot.", ".text.startup.", ".text.exit."}) {
        sections.push_back(absl::StrCat(prefix, variant));
      }
    }
    if (is_cold_part || !split.contains(variant)) {
      sections.push_back(absl::StrCat(".text.unlikely.", variant));
    }
  }
  return sections;
}

std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split) {
  std::string text;
  ForEachSection(names, split,
                 [&](const std::string& section) { absl::StrAppend(&text, section, "\n"); });
  return text;
}

std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split) {
  std::string text =
      "/* gprofhub function ordering: link with ld.bfd -T THIS_FILE, after compiling with\n"
      "   -ffunction-sections. The default script stays in force. */\n"
      "SECTIONS\n{\n  .text.ordered :\n  {\n";
  ForEachSection(names, split, [&](const std::string& section) {
    absl::StrAppend(&text, "    *(", section, ")\n");
  });
  absl::StrAppend(&text, "  }\n}\nINSERT BEFORE .text;\n");
  return text;
}

}  // namespace gprofhub::analyzer
