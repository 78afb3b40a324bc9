#include "store/archive/held_blob.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// zstd takes a base as bytes in front of the content ("prefix", as its command's --patch-from
// does): https://github.com/facebook/zstd/wiki/Zstandard-as-a-patching-engine. A match may lie
// anywhere in both, if the window reaches over both.

namespace {

// The level that clients use. Level 19 takes ten times as long and saves 7% more (bundles and
// profiles of two releases of SQLite).
constexpr int kLevel = 6;
// Above this size, short hashes do not find distant matches.
constexpr size_t kLarge = size_t{1} << 20;
// Maximum size of a block (RFC 8878, 3.1.1.2.4).
constexpr size_t kLargestBlock = size_t{128} << 10;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// zstd fails here only if memory is exhausted or a parameter is invalid.
size_t OrAbort(size_t result) {
  if (ZSTD_isError(result)) std::abort();
  return result;
}

bool BeginsAsFrame(absl::string_view blob) {
  return absl::string_view(blob).substr(0, 4) == absl::string_view("\x28\xB5\x2F\xFD", 4);
}

}  // namespace

absl::StatusOr<Content> ContentOf(absl::string_view blob) {
  if (!BeginsAsFrame(blob)) {
    if (blob.size() > kLargestContent) return absl::ResourceExhaustedError("it is too large");
    return Content{std::string(blob), false};
  }
  const unsigned long long size = ZSTD_getFrameContentSize(blob.data(), blob.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return absl::InvalidArgumentError("the frame does not state its content's size");
  }
  if (size > kLargestContent) {
    return absl::ResourceExhaustedError(absl::StrCat("its content has ", size, " bytes"));
  }
  if (ZSTD_findFrameCompressedSize(blob.data(), blob.size()) != blob.size()) {
    return absl::InvalidArgumentError("it is not one complete frame");
  }
  Content content = {std::string(size, '\0'), true};
  const size_t got =
      ZSTD_decompress(content.bytes.data(), content.bytes.size(), blob.data(), blob.size());
  if (ZSTD_isError(got) || got != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("the frame is damaged: ",
                     ZSTD_isError(got) ? ZSTD_getErrorName(got) : "its content is short"));
  }
  return content;
}

std::string FrameOf(absl::string_view content) {
  const auto append = [](std::string& to, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(number >> (8 * i)));
  };
  std::string frame;
  frame.reserve(content.size() + 16 + 3 * (content.size() / kLargestBlock));
  append(frame, ZSTD_MAGICNUMBER, 4);
  // Content size in 8 bytes; single segment (RFC 8878, 3.1.1.1.1).
  append(frame, 0xE0, 1);
  append(frame, content.size(), 8);
  do {
    const absl::string_view block = content.substr(0, kLargestBlock);
    content.remove_prefix(block.size());
    // Bit 0: last block. Bits 1 and 2: raw block.
    append(frame, (content.empty() ? 1 : 0) | block.size() << 3, 3);
    frame.append(block.data(), block.size());
  } while (!content.empty());
  return frame;
}

std::string EncodeDelta(absl::string_view content, absl::string_view base) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) std::abort();
  const size_t both = content.size() + base.size();
  // Two contents of the maximum size need 26; zstd's minimum is 10.
  const int window = std::max(10, static_cast<int>(std::bit_width(both)));
  const auto set = [&context](ZSTD_cParameter parameter, int value) {
    OrAbort(ZSTD_CCtx_setParameter(context.get(), parameter, value));
  };
  set(ZSTD_c_compressionLevel, kLevel);
  set(ZSTD_c_windowLog, window);
  set(ZSTD_c_checksumFlag, 1);
  set(ZSTD_c_enableLongDistanceMatching, both > kLarge ? 1 : 0);
  OrAbort(ZSTD_CCtx_refPrefix(context.get(), base.data(), base.size()));
  std::string delta(ZSTD_compressBound(content.size()), '\0');
  delta.resize(OrAbort(
      ZSTD_compress2(context.get(), delta.data(), delta.size(), content.data(), content.size())));
  return delta;
}

absl::StatusOr<std::string> DecodeDelta(absl::string_view delta, absl::string_view base) {
  const unsigned long long size = ZSTD_getFrameContentSize(delta.data(), delta.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > kLargestContent) {
    return absl::DataLossError("the delta is not a frame of this store");
  }
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) std::abort();
  OrAbort(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size()));
  std::string content(size, '\0');
  const size_t got = ZSTD_decompressDCtx(context.get(), content.data(), content.size(),
                                         delta.data(), delta.size());
  if (ZSTD_isError(got) || got != size) {
    return absl::DataLossError(absl::StrCat(
        "the delta is damaged: ", ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is short"));
  }
  return content;
}

namespace {

// Length of the longest chain: a blob and its base may be deltas, the root is whole.
constexpr int kMaxDeltas = 2;

struct Found {
  BlobName base;
  BlobDelta delta;
};

absl::StatusOr<std::optional<Found>> Find(sql::Session& session, const BlobName& name) {
  ASSIGN_OR_RETURN(
      const sql::Rows rows,
      session.Query("SELECT blob_base.name, blob_delta.is_of_frame, blob_delta.bytes "
                    "FROM blob_delta JOIN blob_base ON blob_base.id = blob_delta.base_id "
                    "WHERE blob_delta.name = $1",
                    {name}));
  if (rows.empty()) return std::nullopt;
  const sql::Row row = rows.front();
  return Found{row.Text(0), {name, row.Number(1) != 0, row.Text(2)}};
}

absl::Status Damaged(const BlobName& name, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("blob ", name, ": ", why));
}

// The public message hides the folder's path; only the operator sees it.
absl::Status Gone(const sql::Database& database, const BlobName& name) {
  const std::string folder = database.folder();
  if (folder.empty()) return Damaged(name, "its bytes are missing");
  return base::WithPublicMessage(
      Damaged(name, absl::StrCat("its bytes are missing in ", folder, "/blobs")),
      absl::StrCat("blob ", name, ": its bytes are missing; see the server's log"));
}

// Whether the bytes of a whole one are those that were sent. The content of a delta was checked.
absl::Status CheckSound(const HeldBlob& held, const BlobName& name) {
  if (held.is_delta || base::Sha256Hex(held.bytes) == name) return absl::OkStatus();
  return Damaged(name, absl::StrCat("its ", held.bytes.size(), " bytes no longer match its hash"));
}

// Reads blobs and their bases.
class HeldReader {
 public:
  // Without `bases` nothing is cached.
  HeldReader(sql::Database& database, sql::BlobBytes& bytes, KeptBases* bases)
      : database_(database), bytes_(bytes), bases_(bases) {}

  // `depth`: the number of deltas that depend on this blob in this read.
  absl::StatusOr<HeldBlob> Read(const BlobName& name, int depth) {
    // Between two questions a blob may become a delta, and a delta may be sent again.
    for (int tries = 0; tries < 2; ++tries) {
      ASSIGN_OR_RETURN(std::optional<std::string> whole, bytes_.Read(name));
      if (whole.has_value()) return HeldBlob{*std::move(whole), false};
      ASSIGN_OR_RETURN(
          const std::optional<Found> found,
          sql::ReadIn(database_, [&name](sql::Session& session) { return Find(session, name); }));
      if (found.has_value()) return Decode(*found, depth);
    }
    return Gone(database_, name);
  }

 private:
  absl::StatusOr<HeldBlob> Decode(const Found& found, int depth) {
    const BlobName& name = found.delta.name;
    if (depth == kMaxDeltas) return Damaged(name, "the base of its base is also a delta");
    const absl::StatusOr<std::shared_ptr<const Content>> base = ReadBase(found.base, depth);
    if (absl::IsNotFound(base.status()) || absl::IsDataLoss(base.status())) {
      return base::WithPublicMessage(
          Damaged(name, absl::StrCat("its base cannot be read: ", base.status().message())),
          absl::StrCat("blob ", name, ": its base ", found.base, " is missing or damaged"));
    }
    if (!base.ok()) return base.status();
    absl::StatusOr<std::string> content = DecodeDelta(found.delta.bytes, (*base)->bytes);
    if (!content.ok()) {
      return Damaged(name, absl::StrCat(content.status().message(), "; its base is ", found.base));
    }
    return HeldBlob{found.delta.is_of_frame ? FrameOf(*content) : *std::move(content), true};
  }

  // The content of a base's own base is not cached: it is needed only on a cache miss of the base.
  // So the computation of one cache entry never waits for another one, even if damaged rows form a
  // cycle.
  absl::StatusOr<std::shared_ptr<const Content>> ReadBase(const BlobName& name, int depth) {
    const bool keeps = bases_ != nullptr && depth == 0;
    const auto read = [&]() -> absl::StatusOr<Content> {
      ASSIGN_OR_RETURN(const HeldBlob base, Read(name, depth + 1));
      // A cached damaged base would outlive the repair of its bytes.
      RETURN_IF_ERROR(keeps ? CheckSound(base, name) : absl::OkStatus());
      absl::StatusOr<Content> content = ContentOf(base.bytes);
      if (!content.ok()) return Damaged(name, content.status().message());
      return content;
    };
    if (keeps) return bases_->contents().Get(name, read);
    ASSIGN_OR_RETURN(Content content, read());
    return std::make_shared<const Content>(std::move(content));
  }

  sql::Database& database_;
  sql::BlobBytes& bytes_;
  KeptBases* const bases_;
};

}  // namespace

absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name) {
  return HeldReader(database, bytes, /*bases=*/nullptr).Read(name, 0);
}

absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name, KeptBases* bases) {
  ASSIGN_OR_RETURN(HeldBlob held, HeldReader(database, bytes, bases).Read(name, 0));
  RETURN_IF_ERROR(CheckSound(held, name));
  return held;
}

absl::StatusOr<std::vector<BlobName>> FindWhole(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names) {
  ASSIGN_OR_RETURN(
      const sql::Rows rows,
      session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ") AND ", sql::kIsWhole, " ORDER BY name"),
                    {sql::JsonColumn(names)}));
  std::vector<BlobName> whole;
  for (const sql::Row& row : rows) whole.push_back(row.Text(0));
  return whole;
}

absl::Status AddBlobDelta(sql::Session& session, int64_t base_id, const BlobDelta& delta) {
  return session.Execute(
      "INSERT INTO blob_delta (name, base_id, is_of_frame, bytes) VALUES ($1, $2, $3, $4)",
      {delta.name, base_id, int64_t{delta.is_of_frame}, sql::Bytes{delta.bytes}});
}

}  // namespace gprofhub::store
