#include "runtime/assembler/block_counters.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace gprofhub {
namespace {

std::string Counted(const std::string& text) {
  bool counted = false;
  return CountBlocks(text, &counted);
}

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

constexpr char kIncrement[] = "addq\t$1, %gs:";

// A function of random control flow. Block N contains "movl $N, %eax", optionally followed by a
// call that may not return. Blocks end in every possible way; "jmp *" goes to one of the blocks in
// the jump table.
std::string RandomFunction(std::mt19937& random, int blocks) {
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  std::ostringstream out;
  out << "\t.text\n\t.type\tf, @function\nf:\n\t.cfi_startproc\n";
  for (int b = 0; b < blocks; ++b) {
    out << ".L" << b << ":\n\t.loc 1 " << b + 1 << " 1\n\tmovl\t$" << b << ", %eax\n";
    if (pick(4) == 0) out << "\tcall\tg@PLT\n";
    // A call that is known to return, and flags that are read in the next block.
    if (pick(6) == 0) out << "\tcall\tmemcpy@PLT\n";
    if (pick(3) == 0) out << "\tcmpl\t%ecx, %edx\n";
    const int end = b + 1 == blocks ? 0 : pick(8);
    if (end == 0) out << "\tret\n";
    if (end == 1) out << "\tjmp\t.L" << pick(blocks) << "\n";
    if (end == 2) out << "\tjmp\t*%rax\n";
    if (end >= 3 && end <= 6) out << "\tjne\t.L" << pick(blocks) << "\n";
  }
  out << "\t.cfi_endproc\n\t.size\tf, .-f\n\t.section\t.rodata\n";
  for (int i = 0; i < 3; ++i) out << "\t.quad\t.L" << pick(blocks) << "\n";
  return out.str();
}

// Simulates the processor, with random branches.
class Machine {
 public:
  explicit Machine(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].empty() && lines_[i].back() == ':') {
        labels_[lines_[i].substr(0, lines_[i].size() - 1)] = i;
      }
      if (lines_[i].rfind("\t.quad\t", 0) == 0) table_.push_back(lines_[i].substr(7));
    }
  }

  // One call of f. It ends by a return, by an exception of g, or, after a long time, by the end of
  // the program while g runs. False: it does not end.
  bool Call(std::mt19937& random) {
    size_t at = labels_.at("f");
    for (int steps = 0;; ++steps, ++at) {
      while (!IsInstruction(lines_[at])) ++at;
      const std::string& line = lines_[at];
      if (line.rfind("\tmovl\t$", 0) == 0) ++truth[std::stoi(line.substr(7))];
      if (line.rfind(std::string("\t") + kIncrement, 0) == 0) {
        ++counters[line.substr(14, line.find('(') - 14)];
      }
      if (line == "\tret") return true;
      if (line == "\tcall\tg@PLT" && (steps > 300 || random() % 3 == 0)) return true;
      if (steps > 100000) return false;
      if (line.rfind("\tjmp\t.", 0) == 0) at = labels_.at(line.substr(5));
      if (line == "\tjmp\t*%rax") at = labels_.at(table_[random() % table_.size()]);
      if (line.rfind("\tjne\t", 0) == 0 && random() % 2) at = labels_.at(line.substr(5));
    }
  }

  std::map<int, long> truth;  // executions of each block
  std::map<std::string, long> counters;

 private:
  static bool IsInstruction(const std::string& line) {
    return line.size() > 1 && line[0] == '\t' && line[1] != '.' && line.back() != ':';
  }
  std::vector<std::string> lines_, table_;
  std::map<std::string, size_t> labels_;
};

// The sums in the tables of `text`, by the line of their .loc.
std::map<int, std::vector<long>> CountsByLine(const std::string& text,
                                              std::map<std::string, long> counters) {
  std::map<std::string, int> lines;  // of site labels
  int line = 0;
  std::istringstream in(text);
  std::map<int, std::vector<long>> counts;
  std::string site;
  long sum = 0;
  for (std::string row; std::getline(in, row);) {
    if (row.rfind("\t.loc 1 ", 0) == 0) line = std::stoi(row.substr(8));
    if (row.rfind(".LghA", 0) == 0) lines[row.substr(0, row.size() - 1)] = line;
    if (row.rfind("\t.long\t", 0) != 0) continue;
    const size_t comma = row.find(", "), last = row.rfind(", ");
    const std::string counter = row.substr(7, comma - 9);
    const std::string label = row.substr(comma + 2, last - comma - 4);
    const int kind = std::stoi(row.substr(last + 2));
    const auto keep = [&] {
      if (!site.empty()) counts[lines[site]].push_back(sum);
    };
    if (kind == 5) {
      keep();
      sum = counters[counter];
    } else if (kind == 8) {
      keep();
    } else {
      sum += kind == 6 ? counters[counter] : -counters[counter];
    }
    site = label;
  }
  if (!site.empty()) counts[lines[site]].push_back(sum);
  return counts;
}

TEST(BlockCountersTest, EveryBlockOfRandomFunctionsHasItsCount) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const int blocks = 2 + static_cast<int>(random() % 14);
    const std::string plain = RandomFunction(random, blocks);
    const std::string text = Counted(plain);
    Machine machine(text);
    bool ended = true;
    for (int i = 0; i < 40 && ended; ++i) ended = machine.Call(random);
    if (!ended) continue;
    const std::map<int, std::vector<long>> counts = CountsByLine(text, machine.counters);
    for (int b = 0; b < blocks; ++b) {
      // Unreachable blocks have no counter.
      const auto found = counts.find(b + 1);
      EXPECT_EQ(found == counts.end() ? 0 : found->second.front(), machine.truth[b])
          << "seed " << seed << " block " << b << "\n"
          << text;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(BlockCountersTest, ALoopTakesTwoCounters) {
  const std::string text = Counted(
      "\t.text\nf:\n\tmovl\t$0, %eax\n.L2:\n\taddl\t%edi, %eax\n\tsubl\t$1, %edi\n"
      "\tjne\t.L2\n\tret\n");
  EXPECT_EQ(Occurrences(text, kIncrement), 2u) << text;
}

TEST(BlockCountersTest, AStraightFunctionTakesOneWhateverItCallsThatReturns) {
  const std::string text =
      Counted("\t.text\nf:\n\tcall\tmemcpy@PLT\n\tcall\thelper\n\tret\nhelper:\n\tret\n");
  EXPECT_EQ(Occurrences(text, kIncrement), 2u) << text;  // one for each function
  EXPECT_EQ(Occurrences(Counted("\t.text\nf:\n\tcall\tg@PLT\n\tret\n"), kIncrement), 2u);
}

TEST(BlockCountersTest, FlagsThatAreReadLaterAreNotChanged) {
  // Live at .L3's start, dead after the jump that reads them.
  const std::string text = Counted(
      "\t.text\nf:\n\tcmpl\t$1, %edi\n\tje\t.L3\n.L3:\n\tja\t.L4\n\tmovl\t$1, %eax\n"
      "\tret\n.L4:\n\tmovl\t$2, %eax\n\tret\n");
  for (size_t at = text.find(kIncrement); at != std::string::npos;
       at = text.find(kIncrement, at + 1)) {
    const size_t line = text.rfind('\n', at);
    const bool saved = text.compare(line - 6, 6, "pushfq") == 0;
    const size_t compared = text.find("cmpl"), read = text.find("\tja\t");
    EXPECT_TRUE(saved || at < compared || at > read) << text;
  }
}

TEST(BlockCountersTest, AThreadLocalAddressSequenceIsKeptTogether) {
  const std::string sequence =
      "\t.byte\t0x66\n\tleaq\tx@tlsgd(%rip), %rdi\n\t.value\t0x6666\n\trex64\n"
      "\tcall\t__tls_get_addr@PLT\n";
  const std::string text =
      Counted("\t.text\nf:\n\tjmp\t.L2\n.L2:\n\tadcl\t$0, %eax\n" + sequence + "\tret\n");
  EXPECT_NE(text.find(sequence), std::string::npos) << text;
}

TEST(BlockCountersTest, TheUsersOwnAssemblyStaysAsItIs) {
  const std::string own = "#APP\n1:\n\tjmp\t1b\n\tcmc\n#NO_APP\n";
  const std::string text = Counted("\t.text\nf:\n\tmovl\t$1, %eax\n" + own + "\tret\n");
  EXPECT_NE(text.find(own), std::string::npos) << text;
}

TEST(BlockCountersTest, CountersAndSitesStandInTheSectionGroupOfTheirCode) {
  const std::string text =
      Counted("\t.section\t.text.f,\"axG\",@progbits,f,comdat\n\t.weak\tf\nf:\n\tret\n");
  EXPECT_NE(text.find("gprofhub_counters,\"awG\",@nobits,f,comdat"), std::string::npos) << text;
  EXPECT_NE(text.find("gprofhub_sites,\"aG\",@progbits,f,comdat"), std::string::npos) << text;
}

TEST(BlockCountersTest, DataAndDebugInformationGetNoCounters) {
  bool counted = true;
  CountBlocks("\t.data\nx:\n\t.long\t1\n\t.section\t.debug_info,\"\",@progbits\n\t.byte\t1\n",
              &counted);
  EXPECT_FALSE(counted);
}

TEST(BlockCountersTest, ALandingPadIsEnteredFromOutside) {
  // Calls return here only by an exception, so its count is independent.
  const std::string text = Counted(
      "\t.text\nf:\n.LEHB0:\n\tcall\tg@PLT\n.LEHE0:\n\tret\n.L5:\n\tcall\t"
      "__cxa_begin_catch@PLT\n\tret\n\t.section\t.gcc_except_table,\"a\",@progbits\n"
      ".LLSDA0:\n.LLSDACSB0:\n\t.uleb128 .LEHB0-.LFB0\n\t.uleb128 .LEHE0-.LEHB0\n"
      "\t.uleb128 .L5-.LFB0\n\t.uleb128 0x1\n.LLSDACSE0:\n");
  EXPECT_EQ(Occurrences(text, kIncrement), 3u) << text;
}

}  // namespace
}  // namespace gprofhub
