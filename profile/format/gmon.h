/* The GNU gmon.out file format, once, for the C runtime that writes it and the
 * C++ reader and writer. Needs nothing but a C99 or C++ compiler.
 *
 * Source: the GNU gprof manual, "Profiling Data File Format", and the files
 * that the installed programs write and accept.
 *
 * A file is one header and then records in any order, without padding. All numbers have the byte
 * order of the machine that ran the program. An address ("word") has the size of a pointer
 * there: W = 4 or 8 bytes. The file does not contain W; the byte order follows from the version,
 * which is small.
 *
 *   header, 20 bytes
 *     0   4  "gmon"
 *     4   4  version: 1
 *     8  12  spare, ignored by GNU gprof. Ours begin with "gprofhub": the callers are exact.
 *            glibc writes zeros, and rounds from_pc down to a multiple of two words.
 *
 *   record: one tag byte, then
 *
 *   tag 0, a histogram of the program counter
 *     0   W  low_pc:   first address covered
 *     W   W  high_pc:  first address not covered
 *    2W   4  bins:     their number
 *   +4    4  rate:     samples per unit of the dimension
 *   +8   15  dimension of rate's inverse, such as "seconds"; padded with zeros
 *  +23    1  its abbreviation, such as 's'
 *  +24  2*n  the bins: 16-bit counts. Bin i covers the addresses from
 *            low_pc + i*w on, w = (high_pc - low_pc) / bins.
 *
 *   tag 1, an arc of the call graph
 *     0   W  from_pc:  return address in the caller
 *     W   W  self_pc:  an address in the called function
 *    2W   4  count
 *
 *   tag 2, execution counts of basic blocks
 *     0   4  blocks:   their number
 *     4 2W*n each: an address in the block (W), its count (W)
 *
 * Several records may be about the same range, arc or block: they add up. This allows counts
 * that are too large for their field.
 *
 * Addresses of position-independent images are relative to the load address. */
#ifndef GPROFHUB_PROFILE_FORMAT_GMON_H_
#define GPROFHUB_PROFILE_FORMAT_GMON_H_

#define GMON_MAGIC "gmon"
#define GMON_SPARE "gprofhub"

enum {
  GMON_MAGIC_SIZE = 4,
  GMON_VERSION = 1,
  GMON_SPARE_SIZE = 12,
  GMON_HEADER_SIZE = 20,

  GMON_TAG_HISTOGRAM = 0,
  GMON_TAG_ARC = 1,
  GMON_TAG_BLOCKS = 2,

  GMON_DIMENSION_SIZE = 15,
  GMON_BIN_SIZE = 2,
  GMON_BIN_MAX = 65535
};

/* Largest count of one arc record. */
#define GMON_ARC_COUNT_MAX 4294967295u

/* Bytes after the tag, before the repeated part; `word` is 4 or 8. */
#define GMON_HISTOGRAM_SIZE(word) (2 * (word) + 24)
#define GMON_ARC_SIZE(word) (2 * (word) + 4)
#define GMON_BLOCKS_SIZE 4
/* Bytes of one address-and-count pair of a tag 2 record. */
#define GMON_BLOCK_SIZE(word) (2 * (word))

#endif /* GPROFHUB_PROFILE_FORMAT_GMON_H_ */
