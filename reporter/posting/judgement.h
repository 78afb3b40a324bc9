// What the gate and the owners say of a report's causes, in a comment's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/policy/code_owners.h"
#include "reporter/policy/policy.h"
#include "reporter/rendering/function_rows.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

struct PostingInput {
  std::string project;
  int64_t run_id = 0;
  std::string commit;
  ForgeTraits traits;
  std::string checks_url;  // of the pull request
  std::string page_url;    // where the whole report can be read; may be empty
  // The address of a picture of the finding's trend; empty: it has none. Null: there are no
  // pictures.
  std::function<std::string(const v1::Finding&)> picture_url = nullptr;
  CodeOwners code_owners;  // of the branch that the pull request goes into
  // The newest request for this commit's tests to be run again that was not answered.
  std::optional<store::RerunRequestRecord> rerun;
};

// Whether it is an address that is safe within a Markdown link's parentheses.
bool IsPlainUrl(absl::string_view url);

// Points into what it is made of.
class Judgement {
 public:
  Judgement(const v1::Report& report, const GateResult& gate, const Policy& policy,
            const PostingInput& input);

  // Of a cause: whether it fails, who accepted it, whose it is. About a line; may be empty.
  std::string Remark(const FunctionRow& row) const;

  // What comes below the causes that are shown: why the check fails, how to accept that, and where
  // the rest is. At most eight lines of 120 columns.
  std::string Closing(const std::vector<const FunctionRow*>& shown) const;

  // Who asked for a rerun, and what starts it. One sentence, or nothing.
  std::string RerunAsked() const;

 private:
  std::string Code(absl::string_view text, size_t most) const;
  std::string Strong(const std::string& text) const;
  const GatedCause* GatedOf(const FunctionRow& row) const;
  std::string GatedWords(const GatedFinding& gated) const;
  std::string Owners(const std::vector<const v1::Finding*>& findings, bool fails) const;
  std::string OthersThatFail(const std::vector<const FunctionRow*>& shown) const;
  std::string InFull() const;

  const GateResult& gate_;
  const Policy& policy_;
  const PostingInput& input_;
  const std::vector<GatedCause> gated_;
  std::map<const v1::Finding*, size_t> causes_;  // their numbers
  std::map<size_t, const GatedCause*> gated_by_cause_;
};

}  // namespace gprofhub::reporter
