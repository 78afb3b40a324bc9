// Workload of zlib: words, records and noise, compressed at several levels and strategies, in one
// piece and in small ones, and read back. The argument is how often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zlib.h"

enum { kSize = 120000, kRoom = kSize + kSize / 8 + 1024, kPiece = 700 };

static unsigned seed = 1;
static unsigned char plain[kSize], packed[kRoom], back[kSize];
static unsigned long total;

static unsigned random_below(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static void make_words(void) {
  static const char* const kWords[] = {"the ", "of ", "compress", "ion ",     "window",
                                       ", ",   "a ",  "tree\n",   "distance "};
  size_t at = 0;
  while (at + 16 < kSize) {
    const char* word = kWords[random_below(9)];
    memcpy(plain + at, word, strlen(word));
    at += strlen(word);
    if (random_below(20) == 0) plain[at++] = (unsigned char)('0' + random_below(10));
  }
  memset(plain + at, '.', kSize - at);
}

static void make_records(void) {
  for (size_t i = 0; i < kSize; ++i)
    plain[i] = (unsigned char)(i % 24 < 8    ? i / 24 >> (i % 8)
                               : i % 24 < 20 ? i % 24
                                             : random_below(256));
}

static void make_noise(void) {
  for (size_t i = 0; i < kSize; ++i) plain[i] = (unsigned char)random_below(200);
}

static void fail(const char* what, int status) {
  fprintf(stderr, "%s: %d\n", what, status);
  exit(1);
}

static size_t pack(int level, int strategy, int window, size_t piece) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  int status = deflateInit2(&stream, level, Z_DEFLATED, window, 8, strategy);
  if (status != Z_OK) fail("deflateInit2", status);
  stream.next_out = packed;
  stream.avail_out = kRoom;
  for (size_t at = 0; at < kSize; at += piece) {
    const size_t size = kSize - at < piece ? kSize - at : piece;
    stream.next_in = plain + at;
    stream.avail_in = (unsigned)size;
    const int is_last = at + size == kSize;
    status = deflate(&stream, is_last                  ? Z_FINISH
                              : at % (piece * 16) == 0 ? Z_SYNC_FLUSH
                                                       : Z_NO_FLUSH);
    if (status != (is_last ? Z_STREAM_END : Z_OK)) fail("deflate", status);
  }
  const size_t size = stream.total_out;
  deflateEnd(&stream);
  return size;
}

static void unpack(size_t size, int window, size_t piece) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  int status = inflateInit2(&stream, window);
  if (status != Z_OK) fail("inflateInit2", status);
  stream.next_out = back;
  stream.avail_out = kSize;
  for (size_t at = 0; at < size && status == Z_OK; at += piece) {
    stream.next_in = packed + at;
    stream.avail_in = (unsigned)(size - at < piece ? size - at : piece);
    status = inflate(&stream, Z_NO_FLUSH);
  }
  if (status != Z_STREAM_END || memcmp(plain, back, kSize) != 0) fail("inflate", status);
  inflateEnd(&stream);
}

static void round_trip(int level, int strategy, int window, size_t piece) {
  const size_t size = pack(level, strategy, window, piece);
  total = total * 31 + size + crc32(0, packed, (unsigned)size) + adler32(1, packed, (unsigned)size);
  unpack(size, window, piece / 2 + 1);
}

int main(int count, char** arguments) {
  static void (*const kMakers[])(void) = {make_words, make_records, make_noise};
  const int rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    for (int kind = 0; kind < 3; ++kind) {
      kMakers[kind]();
      round_trip(1, Z_DEFAULT_STRATEGY, 15, kSize);
      round_trip(6, Z_DEFAULT_STRATEGY, 31, kPiece);
      round_trip(9, Z_FILTERED, -15, kPiece * 3);
      round_trip(4, Z_FIXED, 12, 97);
      round_trip(6, Z_RLE, 15, kPiece);
      uLongf size = kRoom, plain_size = kSize;
      if (compress2(packed, &size, plain, kSize, 3) != Z_OK ||
          uncompress(back, &plain_size, packed, size) != Z_OK)
        return 1;
      total += size;
    }
  }
  printf("%lu\n", total);
  return 0;
}
