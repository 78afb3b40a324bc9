#include "profile/dwarf/cursor.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::profile {
namespace {

TEST(DwarfCursor, TakesNumbersInTheFilesByteOrder) {
  const std::string bytes("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  DwarfCursor little(bytes, false);
  DwarfCursor big(bytes, true);
  EXPECT_EQ(little.Number(2), 0x0201u);
  EXPECT_EQ(big.Number(2), 0x0102u);
  EXPECT_EQ(little.Number(0), 0u);
  EXPECT_EQ(little.Number(6), 0x080706050403u);
  EXPECT_EQ(DwarfCursor(bytes, false).Number(8), 0x0807060504030201u);
  EXPECT_TRUE(little.rest().empty());
  EXPECT_TRUE(little.ok());
}

TEST(DwarfCursor, WhatLiesBeyondTheEndIsZeroAndTakesTheRest) {
  const std::string bytes("\x01\x02\x03", 3);
  DwarfCursor number(bytes, false);
  EXPECT_EQ(number.Number(4), 0u);
  EXPECT_FALSE(number.ok());
  EXPECT_TRUE(number.rest().empty());
  EXPECT_EQ(number.Number(1), 0u);
  EXPECT_EQ(number.Unsigned(), 0u);
  EXPECT_EQ(number.String(), "");
  EXPECT_FALSE(number.ok());

  DwarfCursor block(bytes, false);
  EXPECT_EQ(block.Bytes(UINT64_MAX), "");
  EXPECT_FALSE(block.ok());
  DwarfCursor whole(bytes, false);
  EXPECT_EQ(whole.Bytes(3), bytes);
  EXPECT_TRUE(whole.ok());
}

TEST(DwarfCursor, TakesStringsWithTheirEnd) {
  const std::string bytes("one\0\0end", 8);
  DwarfCursor cursor(bytes, false);
  EXPECT_EQ(cursor.String(), "one");
  EXPECT_EQ(cursor.String(), "");
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(cursor.String(), "");
  EXPECT_FALSE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
}

uint64_t Unsigned(const std::string& bytes) {
  DwarfCursor cursor(bytes, true);
  const uint64_t value = cursor.Unsigned();
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
  return value;
}

int64_t Signed(const std::string& bytes) {
  DwarfCursor cursor(bytes, true);
  const int64_t value = cursor.Signed();
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
  return value;
}

// Section 7.6 of DWARF 5 has most of these.
TEST(DwarfCursor, TakesLeb128) {
  EXPECT_EQ(Unsigned("\x02"), 2u);
  EXPECT_EQ(Unsigned("\x80\x01"), 128u);
  EXPECT_EQ(Unsigned("\xb9\x64"), 12857u);
  EXPECT_EQ(Unsigned("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX);
  EXPECT_EQ(Signed("\x7e"), -2);
  EXPECT_EQ(Signed(std::string("\xff\x00", 2)), 127);
  EXPECT_EQ(Signed("\x80\x7f"), -128);
  EXPECT_EQ(Signed("\x80\x01"), 128);
  EXPECT_EQ(Signed("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), INT64_MIN);
  EXPECT_EQ(Signed("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), -1);
}

TEST(DwarfCursor, OfLargerLeb128TakesTheLowest64Bits) {
  EXPECT_EQ(Unsigned("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_MAX);
  EXPECT_EQ(Unsigned(std::string("\x85") + std::string(100, '\x80') + "\x01"), 5u);
}

TEST(DwarfCursor, Leb128WithoutEndIsBeyondIt) {
  DwarfCursor cursor("\x80\x80\x80", false);
  EXPECT_EQ(cursor.Unsigned(), 0u);
  EXPECT_FALSE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
}

}  // namespace
}  // namespace gprofhub::profile
