// What pages are made from.
#pragma once

#include <memory>

#include "cli/serve/http/visits/login_issuer.h"
#include "page/words/source_links.h"
#include "reporter/queries/blob_reader.h"
#include "store/gate_records.h"
#include "store/invocations/invocations.h"
#include "store/reading.h"

namespace gprofhub::cli {

// The parts of the store that pages read.
struct PageStore {
  store::Reading reading;
  reporter::BlobReader blobs;
  store::GateRecords gate;
  store::Invocations invocations;
};

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
  std::shared_ptr<LoginIssuer> login = nullptr;  // where people log in; null: with tokens only
};

}  // namespace gprofhub::cli
