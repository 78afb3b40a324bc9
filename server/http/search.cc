#include "server/http/search.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/views/runs.h"
#include "profile/demangle.h"
#include "reporter/queries/runs.h"

namespace gprofhub::server {

namespace {

constexpr size_t kTargetsOfNames = 50;
constexpr size_t kMostNames = 50'000;
constexpr size_t kHits = 30;
constexpr uint32_t kListedRuns = 200;
constexpr uint32_t kSuggestedRuns = 500;
constexpr size_t kSuggestions = 100;
constexpr size_t kShortestCommit = 4;

using page::SearchGroup;
using page::SearchHit;
using store::RunRecord;

// Words of a search, in lower case.
using Words = std::vector<std::string>;

// `name` is in lower case.
bool HasAll(absl::string_view name, const Words& words) {
  return std::all_of(words.begin(), words.end(),
                     [name](const std::string& word) { return absl::StrContains(name, word); });
}

// Whether the text stands in the name where a word begins.
bool BeginsWord(absl::string_view name, absl::string_view text) {
  for (size_t at = name.find(text); at != absl::string_view::npos; at = name.find(text, at + 1)) {
    if (at == 0 || !(absl::ascii_isalnum(static_cast<unsigned char>(name[at - 1])))) return true;
  }
  return false;
}

// Adds the hit, unless the group has `limit` already.
void Add(SearchHit hit, size_t limit, SearchGroup& group) {
  if (group.hits.size() == limit) {
    group.has_more = true;
  } else {
    group.hits.push_back(std::move(hit));
  }
}

// Names of functions, the hottest first.
absl::StatusOr<FunctionNames> NamesIn(const PageStore& store,
                                      const std::vector<store::TargetRecord>& targets) {
  absl::flat_hash_map<std::string, double> seconds;
  for (const store::TargetRecord& target : targets) {
    const base::DecodingScope scope(store.blobs.decoding());
    ASSIGN_OR_RETURN(const auto profile,
                     reporter::FindTargetProfile(store.blobs, target, &store.memory->queries));
    for (const uint32_t row : page::HottestFunctions(*profile, "", kMostNames)) {
      const absl::string_view name = page::NameOf(*profile, row);
      if (seconds.size() >= kMostNames && !seconds.contains(name)) continue;
      const page::GraphEntry cost = page::CostOf(*profile, row);
      seconds[name] += cost.self_time + cost.children_time;
    }
  }
  std::vector<std::pair<double, std::string>> sorted;
  sorted.reserve(seconds.size());
  for (const auto& [name, time] : seconds) sorted.emplace_back(-time, name);
  std::sort(sorted.begin(), sorted.end());
  FunctionNames names;
  for (auto& [time, name] : sorted) {
    std::string lower = absl::AsciiStrToLower(profile::Demangle(name));
    names.names.push_back({std::move(name), std::move(lower)});
  }
  return names;
}

absl::StatusOr<SearchGroup> FindFunctions(const PageStore& store, const std::string& project,
                                          const std::vector<store::TargetRecord>& all,
                                          const Words& words, size_t limit) {
  std::vector<store::TargetRecord> targets;
  std::string key;
  for (const store::TargetRecord& target : all) {
    if (target.computed.empty() || targets.size() == kTargetsOfNames) continue;
    targets.push_back(target);
    absl::StrAppend(&key, target.computed);
  }
  ASSIGN_OR_RETURN(const auto names, store.memory->names.Get(base::Sha256Hex(key), [&] {
    return NamesIn(store, targets);
  }));
  // At the beginning of a word first; then the hottest.
  std::vector<const FunctionNames::Name*> begins, others;
  for (const FunctionNames::Name& name : names->names) {
    if (!HasAll(name.lower, words) && !HasAll(absl::AsciiStrToLower(name.linkage), words)) continue;
    (BeginsWord(name.lower, words.front()) ? begins : others).push_back(&name);
    if (begins.size() > limit) break;
  }
  begins.insert(begins.end(), others.begin(), others.end());
  SearchGroup group = {"Functions", {}};
  for (const FunctionNames::Name* name : begins) {
    Add({profile::Demangle(name->linkage), "", page::FunctionUrl(project, name->linkage, "")},
        limit, group);
    if (group.has_more) break;
  }
  return group;
}

SearchGroup FindTargets(const std::string& project, int64_t run,
                        const std::vector<store::TargetRecord>& targets, const Words& words,
                        size_t limit) {
  SearchGroup group = {"Targets", {}};
  for (const store::TargetRecord& target : targets) {
    if (!HasAll(absl::AsciiStrToLower(target.label), words)) continue;
    const std::string id = absl::StrCat(run);
    const bool has_profile = !target.computed.empty() && target.profiles > 0;
    Add({target.label, absl::StrCat("run ", run),
         has_profile ? page::TargetUrl(project, id, "flame", target.label)
                     : page::RunUrl(project, id)},
        limit, group);
  }
  return group;
}

// Where a run is: "#41 faster-json, run 7".
std::string PlaceOf(const RunRecord& run) {
  const std::string pull = run.pull_request.empty() ? "" : absl::StrCat("#", run.pull_request, " ");
  return absl::StrCat(pull, run.branch, run.branch.empty() ? "run " : ", run ", run.id);
}

// One hit for each value of `key`, of its latest run.
template <typename KeyOf, typename HitOf>
absl::StatusOr<SearchGroup> FindRuns(const store::Reading& reading, const std::string& title,
                                     const store::RunFilter& filter, size_t limit, KeyOf key,
                                     HitOf hit) {
  ASSIGN_OR_RETURN(const std::vector<RunRecord> runs, reading.ListRuns(filter));
  SearchGroup group = {title, {}};
  std::set<std::string> seen;
  for (const RunRecord& run : runs) {
    if (seen.insert(key(run)).second) Add(hit(run), limit, group);
  }
  return group;
}

absl::StatusOr<std::vector<SearchGroup>> FindInRuns(const PageStore& store,
                                                    const std::string& project,
                                                    const std::string& text, size_t limit) {
  std::vector<SearchGroup> groups;
  const std::string number(absl::StripPrefix(text, "#"));
  int64_t id = 0;
  if (absl::SimpleAtoi(text, &id)) {
    const absl::StatusOr<RunRecord> run = store.reading.ReadRun(id);
    if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
    if (run.ok() && run->project == project) {
      groups.push_back(
          {"Runs",
           {{absl::StrCat("Run ", id), PlaceOf(*run), page::RunUrl(project, absl::StrCat(id))}}});
    }
  }
  store::RunFilter filter;
  filter.project = project;
  filter.by_parts = true;
  filter.limit = kListedRuns;
  if (!number.empty()) {
    store::RunFilter pulls = filter;
    pulls.pull_request = number;
    ASSIGN_OR_RETURN(groups.emplace_back(),
                     FindRuns(
                         store.reading, "Pull requests", pulls, limit,
                         [](const RunRecord& run) { return run.pull_request; },
                         [&](const RunRecord& run) {
                           return SearchHit{absl::StrCat("#", run.pull_request), PlaceOf(run),
                                            page::CompareUrl(project, absl::StrCat(run.id), "")};
                         }));
  }
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower.size() >= kShortestCommit && base::IsLowerHex(lower)) {
    store::RunFilter commits = filter;
    commits.commit = lower;
    ASSIGN_OR_RETURN(groups.emplace_back(), FindRuns(
                                                store.reading, "Commits", commits, limit,
                                                [](const RunRecord& run) { return run.commit; },
                                                [&](const RunRecord& run) {
                                                  return SearchHit{
                                                      run.commit, PlaceOf(run),
                                                      page::RunUrl(project, absl::StrCat(run.id))};
                                                }));
  }
  store::RunFilter branches = filter;
  branches.branch = text;
  ASSIGN_OR_RETURN(groups.emplace_back(),
                   FindRuns(
                       store.reading, "Branches", branches, limit,
                       [](const RunRecord& run) { return run.branch; },
                       [&](const RunRecord& run) {
                         return SearchHit{run.branch, absl::StrCat("latest run ", run.id),
                                          page::RunsUrl(project).With("branch", run.branch)};
                       }));
  return groups;
}

}  // namespace

absl::StatusOr<std::vector<SearchGroup>> Search(const PageStore& store, const std::string& project,
                                                absl::string_view text, size_t limit) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() > kMostSearchBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("q: at most ", kMostSearchBytes, " bytes; search for a part of the name"));
  }
  std::vector<SearchGroup> groups;
  if (text.empty()) return groups;
  ASSIGN_OR_RETURN(groups, FindInRuns(store, project, std::string(text), limit));
  const absl::StatusOr<RunRecord> latest = reporter::FindRun(store.reading, project, "latest");
  if (absl::IsNotFound(latest.status())) return groups;
  if (!latest.ok()) return latest.status();
  ASSIGN_OR_RETURN(const std::vector<store::TargetRecord> targets,
                   store.reading.ListTargets(latest->id));
  const Words words =
      absl::StrSplit(absl::AsciiStrToLower(text), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  std::vector<SearchGroup> named;
  ASSIGN_OR_RETURN(named.emplace_back(), FindFunctions(store, project, targets, words, limit));
  named.push_back(FindTargets(project, latest->id, targets, words, limit));
  // A number is rarely a part of a function's name.
  const bool is_number = text.front() == '#' || absl::ascii_isdigit(text.front());
  groups.insert(is_number ? groups.end() : groups.begin(), named.begin(), named.end());
  return groups;
}

absl::StatusOr<PageAnswer> SearchPage(PageCall& call) {
  const std::string& text = call.request.Query("q");
  ASSIGN_OR_RETURN(const std::vector<SearchGroup> groups,
                   Search(call.store(), call.context.project, text, kHits));
  return Show(call, {text.empty() ? "Search" : absl::StrCat("Search for ", text)},
              page::SearchView(call.context, text, groups));
}

absl::StatusOr<PageAnswer> RunsPage(PageCall& call) {
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  request.set_branch(call.request.Query("branch"));
  request.set_pull_request(std::string(absl::StripPrefix(call.request.Query("pull_request"), "#")));
  request.set_commit(absl::AsciiStrToLower(call.request.Query("commit")));
  request.set_parts(true);
  request.set_limit(kListedRuns);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                   reporter::ListRuns(call.store().reading, request));
  store::RunFilter newest;
  newest.project = call.context.project;
  newest.limit = kSuggestedRuns;
  ASSIGN_OR_RETURN(const std::vector<RunRecord> suggested, call.store().reading.ListRuns(newest));
  page::RunsQuery query = {request.branch(), request.pull_request(), request.commit(), {}, {}};
  const auto suggest = [](const std::string& value, std::vector<std::string>& values) {
    if (value.empty() || values.size() == kSuggestions) return;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  for (const RunRecord& run : suggested) {
    suggest(run.branch, query.branches);
    suggest(run.pull_request, query.pull_requests);
  }
  return Show(call, {"Runs", "runs"},
              page::RunsView(call.context, {runs.runs().begin(), runs.runs().end()}, query));
}

absl::StatusOr<PageAnswer> CompareChosenPage(PageCall& call) {
  std::vector<RunRecord> chosen;
  for (const auto& [name, value] : call.request.query) {
    absl::string_view run = name;
    if (!absl::ConsumePrefix(&run, page::kChosenRun)) continue;
    if (chosen.size() == 2) {
      return absl::InvalidArgumentError("More than two runs are chosen; choose two.");
    }
    ASSIGN_OR_RETURN(chosen.emplace_back(),
                     reporter::FindRun(call.store().reading, call.context.project, run));
  }
  if (chosen.size() != 2) {
    return absl::InvalidArgumentError("Two runs are compared; choose two in the list.");
  }
  std::sort(chosen.begin(), chosen.end(), [](const RunRecord& a, const RunRecord& b) {
    return std::tuple(a.ordered, a.id) < std::tuple(b.ordered, b.id);
  });
  return GoTo(call, page::CompareUrl(call.context.project, absl::StrCat(chosen[1].id),
                                     absl::StrCat(chosen[0].id)));
}

}  // namespace gprofhub::server
