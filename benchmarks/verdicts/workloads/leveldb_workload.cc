// Workload of LevelDB: tables and a database in memory, filled, read, scanned, overwritten and
// opened again, for argv[1] rounds. The background thread stays idle: the write buffer holds
// everything.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "helpers/memenv/memenv.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"

namespace {

unsigned state = 1;

int Below(int limit) {
  state = state * 1664525u + 1013904223u;
  return static_cast<int>((state >> 8) % static_cast<unsigned>(limit));
}

std::string Key(int number) {
  char key[32];
  snprintf(key, sizeof key, "customer/%06d/order", number);
  return key;
}

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  fprintf(stderr, "%s\n", status.ToString().c_str());
  exit(1);
}

long long total = 0;

void Use(leveldb::Iterator* iterator, int steps) {
  std::unique_ptr<leveldb::Iterator> owned(iterator);
  int step = 0;
  for (iterator->SeekToFirst(); iterator->Valid() && step < steps; iterator->Next(), ++step) {
    total += iterator->key().size() + iterator->value().size();
  }
  for (int i = 0; i < steps / 10; ++i) {
    iterator->Seek(Key(Below(20000)));
    for (int j = 0; j < 5 && iterator->Valid(); ++j, iterator->Next())
      total += iterator->value()[0];
    if (iterator->Valid() && i % 3 == 0) iterator->Prev();
  }
  Check(iterator->status());
}

void Database(leveldb::Env* memory, const leveldb::Options& options) {
  leveldb::DB* opened;
  Check(leveldb::DB::Open(options, "/shop", &opened));
  std::unique_ptr<leveldb::DB> db(opened);
  for (int i = 0; i < 4000; ++i) {
    leveldb::WriteBatch batch;
    for (int j = 0; j < 5; ++j) {
      const int number = Below(20000);
      if (j == 4 && i % 8 == 0) {
        batch.Delete(Key(number));
      } else {
        batch.Put(Key(number), std::string(20 + number % 60, 'a' + number % 26));
      }
    }
    Check(db->Write(leveldb::WriteOptions(), &batch));
  }
  std::string value;
  for (int i = 0; i < 20000; ++i) {
    if (db->Get(leveldb::ReadOptions(), Key(Below(20000)), &value).ok()) total += value.size();
  }
  const leveldb::Snapshot* const snapshot = db->GetSnapshot();
  leveldb::ReadOptions as_of;
  as_of.snapshot = snapshot;
  for (int i = 0; i < 2000; ++i) Check(db->Delete(leveldb::WriteOptions(), Key(i * 7)));
  Use(db->NewIterator(as_of), 15000);
  Use(db->NewIterator(leveldb::ReadOptions()), 15000);
  db->ReleaseSnapshot(snapshot);
  db.reset();
  Check(leveldb::DB::Open(options, "/shop", &opened));  // replays the log
  delete opened;
  Check(leveldb::DestroyDB("/shop", options));
  (void)memory;
}

void Tables(leveldb::Env* memory, const leveldb::Options& options) {
  leveldb::WritableFile* file;
  Check(memory->NewWritableFile("/table", &file));
  leveldb::TableBuilder builder(options, file);
  for (int i = 0; i < 20000; ++i) builder.Add(Key(i), std::string(1 + i % 90, 'x'));
  Check(builder.Finish());
  Check(file->Close());
  delete file;
  leveldb::RandomAccessFile* source;
  Check(memory->NewRandomAccessFile("/table", &source));
  leveldb::Table* table;
  Check(leveldb::Table::Open(options, source, builder.FileSize(), &table));
  leveldb::ReadOptions checked;
  checked.verify_checksums = true;
  for (int i = 0; i < 10; ++i) Use(table->NewIterator(checked), 12000);
  for (int i = 0; i < 2000; ++i) total += table->ApproximateOffsetOf(Key(Below(20000))) % 7;
  delete table;
  delete source;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < rounds; ++i) {
    std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
    std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
    std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 18));
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = memory.get();
    options.filter_policy = filter.get();
    options.block_cache = cache.get();
    options.write_buffer_size = 256 << 20;
    options.compression = leveldb::kNoCompression;
    Database(memory.get(), options);
    Tables(memory.get(), options);
  }
  printf("%lld\n", total);
  return 0;
}
