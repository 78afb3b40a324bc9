// Objects in memory, with a test's own code before and after each use.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/objects/object_store.h"
#include "store/sql/engine.h"
#include "store/validation.h"

namespace gprofhub::store {

// Captures the query plans of an engine's statements.

// Called with each statement, before it runs, and with the lines of its plan: the output of
// SQLite's EXPLAIN QUERY PLAN or PostgreSQL's EXPLAIN. PostgreSQL's planner is configured to scan
// whole tables, and to join other than row by row, only where it has no other way: so the plan
// shows which indexes exist, even for small tables.
using OnPlan = std::function<void(absl::string_view statement, std::vector<std::string> plan)>;

// The engine, with each statement explained. `is_postgres` selects the format.
sql::Engine Explained(const sql::Engine& engine, bool is_postgres, OnPlan on_plan);

// Blobs with a test's own code in front of each read.

// The blobs of the SQLite store in `directory`, which may be open elsewhere. Each Blobs::Read
// calls `before_read` first, in its own thread. If that returns an error, so does the read.
absl::StatusOr<Blobs> OpenHookedBlobs(const std::string& directory,
                                      std::function<absl::Status()> before_read);

class MemoryObjects final : public ObjectStore {
 public:
  // `operation` is "put", "read", "delete" or "list"; `key` of a list is its prefix. An error
  // becomes the operation's: from `before` in its place, from `after` although it was done.
  using Hook = std::function<absl::Status(absl::string_view operation, absl::string_view key)>;
  static absl::Status Nothing(absl::string_view, absl::string_view) { return absl::OkStatus(); }

  // Set them only while no other thread uses it.
  Hook before = Nothing;
  Hook after = Nothing;
  absl::Time now;  // time stamp of new objects

  absl::Status Put(absl::string_view key, absl::string_view bytes) override;
  absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                   uint64_t length) override;
  absl::Status Delete(absl::string_view key) override;
  absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) override;

  // Without the hooks.
  std::vector<std::string> Keys(absl::string_view prefix = "") const;
  std::string BytesOf(const std::string& key) const;
  void Change(const std::string& key, const std::string& bytes);
  void Lose(const std::string& key);

 private:
  struct Object {
    std::string bytes;
    absl::Time changed;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;  // guarded by mutex_
};

}  // namespace gprofhub::store
