// What differs between the environments of two sides has one of three consequences:
//
// - *Not compared*: another architecture, or an emulator on one side only. The program is another
//   one, or does not run as usual.
// - *Unconfirmed*, for changes that began in a function whose code is not edited: libc chooses
//   other variants of its functions (processor features, GLIBC_TUNABLES), or the program starts
//   another number of threads (processors). Counts may follow, and repeat on each side. A change in
//   an edited function is judged as always.
// - None: another model of processor, and everything that a program rarely asks for.
//
// The processes of a target may run in different environments. So a property has a set of values
// on each side, and differs if the sets do.
#include "reporter/comparison/environments.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/text.h"
#include "profile/environment.h"

namespace gprofhub::reporter {

namespace {

using PropertyValues = std::set<std::string>;
using Property = std::string (*)(const profile::Environment&);

PropertyValues ValuesOf(absl::Span<const profile::ComputedProfile> runs, Property property) {
  PropertyValues values;
  for (const profile::ComputedProfile& run : runs) {
    for (const profile::Environment& environment : run.environments) {
      values.insert(base::ToUtf8(property(environment)));
    }
  }
  return values;
}

std::string Architecture(const profile::Environment& environment) {
  return environment.architecture;
}
std::string Emulator(const profile::Environment& environment) { return environment.emulator; }
std::string Processor(const profile::Environment& environment) { return environment.processor; }
std::string Features(const profile::Environment& environment) { return environment.features; }
std::string Tunables(const profile::Environment& environment) { return environment.tunables; }
std::string Processors(const profile::Environment& environment) {
  return environment.processors == 0 ? "" : absl::StrCat(environment.processors);
}

// "2", "1 or 2"; "" if none is known.
std::string JoinValues(PropertyValues values) {
  values.erase("");
  return absl::StrJoin(values, " or ");
}

class EnvironmentSides {
 public:
  EnvironmentSides(absl::Span<const profile::ComputedProfile> before,
                   absl::Span<const profile::ComputedProfile> after)
      : before_(before), after_(after) {}

  bool Known() const { return Knows(before_) && Knows(after_); }

  // Whether the property differs. `may_be_empty`: no value is a value, too.
  bool Differ(Property property, bool may_be_empty) const {
    PropertyValues before = ValuesOf(before_, property), after = ValuesOf(after_, property);
    if (!may_be_empty && (before.contains("") || after.contains(""))) return false;
    return before != after;
  }

  std::string WhyIncomparable() const {
    if (Differ(Architecture, false)) {
      return absl::StrCat("the base ran on ", JoinValues(ValuesOf(before_, Architecture)),
                          ", the head on ", JoinValues(ValuesOf(after_, Architecture)));
    }
    if (!Differ(Emulator, true)) return "";
    const PropertyValues before = ValuesOf(before_, Emulator), after = ValuesOf(after_, Emulator);
    return absl::StrCat("the base ran ", Ran(before), ", the head ", Ran(after));
  }

  void Add(const char* name, Property property, bool may_be_empty,
           EnvironmentDifferences& differences) const {
    if (!Differ(property, may_be_empty)) return;
    v1::EnvironmentDifference& difference = *differences.Add();
    difference.set_property(name);
    difference.set_before(JoinValues(ValuesOf(before_, property)));
    difference.set_after(JoinValues(ValuesOf(after_, property)));
  }

  // Each side has those that not all processes of the other have.
  void AddFeatures(EnvironmentDifferences& differences) const {
    if (!Differ(Features, false)) return;
    v1::EnvironmentDifference& difference = *differences.Add();
    difference.set_property("features");
    difference.set_before(Missing(before_, after_));
    difference.set_after(Missing(after_, before_));
  }

 private:
  static bool Knows(absl::Span<const profile::ComputedProfile> runs) {
    return std::any_of(runs.begin(), runs.end(), [](const profile::ComputedProfile& run) {
      return !run.environments.empty();
    });
  }

  static std::string Ran(const PropertyValues& emulators) {
    const std::string names = JoinValues(emulators);
    if (names.empty()) return "without an emulator";
    return absl::StrCat(emulators.contains("") ? "partly under " : "under ", names);
  }

  // Features that a process of `runs` has, and one of `others` has not.
  static std::string Missing(absl::Span<const profile::ComputedProfile> runs,
                             absl::Span<const profile::ComputedProfile> others) {
    PropertyValues some, missing;
    for (const std::string& features : ValuesOf(runs, Features)) {
      const std::vector<std::string> names = absl::StrSplit(features, ' ');
      some.insert(names.begin(), names.end());
    }
    for (const std::string& features : ValuesOf(others, Features)) {
      const PropertyValues names = absl::StrSplit(features, ' ');
      std::set_difference(some.begin(), some.end(), names.begin(), names.end(),
                          std::inserter(missing, missing.end()));
    }
    return absl::StrJoin(missing, " ");
  }

  const absl::Span<const profile::ComputedProfile> before_, after_;
};

// Whether all runs of both sides had the very same environments, as nearly always.
bool AreAlike(absl::Span<const profile::ComputedProfile> before,
              absl::Span<const profile::ComputedProfile> after) {
  const auto is_alike = [&](const profile::ComputedProfile& run) {
    return run.environments == after.front().environments;
  };
  return after.empty() || (std::all_of(before.begin(), before.end(), is_alike) &&
                           std::all_of(after.begin(), after.end(), is_alike));
}

}  // namespace

EnvironmentComparison CompareEnvironments(absl::Span<const profile::ComputedProfile> before,
                                          absl::Span<const profile::ComputedProfile> after) {
  EnvironmentComparison comparison;
  if (AreAlike(before, after)) return comparison;
  const EnvironmentSides sides(before, after);
  if (!sides.Known()) return comparison;
  comparison.incomparable = sides.WhyIncomparable();
  if (!comparison.incomparable.empty()) return comparison;
  EnvironmentDifferences& differences = comparison.differences;
  sides.Add("processors", Processors, false, differences);
  sides.Add("tunables", Tunables, true, differences);
  sides.AddFeatures(differences);
  if (!differences.empty()) sides.Add("processor", Processor, false, differences);
  return comparison;
}

void NoteEnvironments(const std::map<std::string, size_t>& targets, v1::Report& report) {
  for (const auto& [words, count] : targets) {
    report.add_warnings(absl::StrCat(
        "in ", count, count == 1 ? " test" : " tests", " the head ran in another environment: ",
        words, "; there, changes that began in code without an edit are not confirmed"));
  }
}

}  // namespace gprofhub::reporter
