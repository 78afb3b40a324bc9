// What pages are made from.
#pragma once

#include "page/words/source_links.h"
#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::cli {

// The parts of the store that pages read.
struct PageStore {
  store::Reading reading;
  store::Blobs blobs;
  store::GateRecords gate;
};

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
};

}  // namespace gprofhub::cli
