// A shelf whose use is told to somebody, as that of the engine is.
#pragma once

#include <memory>

#include "store/objects/object_store.h"
#include "store/sql/observed_engine.h"

namespace gprofhub::store {

// The same shelf. Each use is told as one of the part "shelf": "put", "read", "delete", "list".
// Without a shelf, or without `on_call`, it is `shelf` itself.
std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> shelf,
                                      const OnStoreCall& on_call);

}  // namespace gprofhub::store
