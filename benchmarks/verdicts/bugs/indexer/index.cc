#include "index.h"

#include <algorithm>

#include "words.h"

namespace {

constexpr size_t kMostResults = 10;

bool IsBetter(const Posting& a, const Posting& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.document < b.document;
}

void KeepBest(std::vector<Posting>& best, const Posting& posting) {
  if (best.size() >= kMostResults && !IsBetter(posting, best.back())) return;
  best.insert(std::upper_bound(best.begin(), best.end(), posting, IsBetter), posting);
  if (best.size() > kMostResults) best.pop_back();
}

}  // namespace

void Index::Add(int document, std::string_view text) {
  for (std::string_view word : Split(text)) {
    if (IsStopWord(word)) continue;
    if (word[0] == '2' && IsDate(std::string(word))) ++dates_;
    std::vector<Posting>& postings = table_.Of(word);
    if (!postings.empty() && postings.back().document == document) {
      postings.back().weight += WeightOf(word);
    } else {
      postings.push_back({document, WeightOf(word)});
    }
  }
}

std::vector<Posting> Index::Query(std::string_view text) const {
  std::vector<Posting> best;
  for (std::string_view word : Split(text)) {
    const std::vector<Posting>* postings = table_.Find(word);
    if (postings == nullptr) continue;
    for (const Posting& posting : *postings) KeepBest(best, posting);
  }
  return best;
}

std::string Page(const std::vector<Posting>& results, const std::vector<std::string>& documents) {
  std::string page;
  for (const Posting& result : results) {
    page += "<p>";
    page += Escape(documents[result.document]);
  }
  return page;
}
