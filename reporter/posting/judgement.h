// Texts of a comment about the gate's result and the owners of a report's causes.
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
  std::string page_url;    // of the full report; may be empty
  // Returns the address of a picture of the finding's trend; empty: none. Null: no pictures.
  std::function<std::string(const v1::Finding&)> picture_url = nullptr;
  CodeOwners code_owners;  // of the target branch
  // The newest unanswered request to rerun this commit's tests.
  std::optional<store::RerunRequestRecord> rerun;
};

// Whether the address is safe within a Markdown link's parentheses.
bool IsPlainUrl(absl::string_view url);

// Keeps references to its arguments.
class Judgement {
 public:
  Judgement(const v1::Report& report, const GateResult& gate, const Policy& policy,
            const PostingInput& input);

  // Status of a cause: failure, acknowledgement, owners. About one line; may be empty.
  std::string Remark(const FunctionRow& row) const;

  // The text below the shown causes: why the check fails, how to accept the changes, and where the
  // full report is. At most eight lines of 120 columns.
  std::string Closing(const std::vector<const FunctionRow*>& shown) const;

  // Who requested a rerun, and what starts it. One sentence, or nothing.
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
  std::map<const v1::Finding*, size_t> causes_;  // numbers of the causes
  std::map<size_t, const GatedCause*> gated_by_cause_;
};

}  // namespace gprofhub::reporter
