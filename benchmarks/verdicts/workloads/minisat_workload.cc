// Workload of MiniSat: random formulas near the threshold, pigeons in holes, and queries under
// assumptions. The argument is how often.
#include <cstdio>
#include <cstdlib>

#include "minisat/core/Solver.h"
#include "minisat/simp/SimpSolver.h"

using namespace Minisat;

static unsigned seed = 1;

static unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

template <class S>
static void AddRandom(S& solver, int variables, int clauses) {
  for (int i = 0; i < variables; ++i) solver.newVar();
  for (int i = 0; i < clauses; ++i) {
    vec<Lit> clause;
    for (int j = 0; j < 3; ++j)
      clause.push(mkLit(static_cast<Var>(RandomBelow(variables)), RandomBelow(2)));
    solver.addClause(clause);
  }
}

static void AddPigeons(Solver& solver, int holes) {
  for (int i = 0; i < (holes + 1) * holes; ++i) solver.newVar();
  for (int pigeon = 0; pigeon <= holes; ++pigeon) {
    vec<Lit> somewhere;
    for (int hole = 0; hole < holes; ++hole) somewhere.push(mkLit(pigeon * holes + hole));
    solver.addClause(somewhere);
  }
  for (int hole = 0; hole < holes; ++hole)
    for (int a = 0; a <= holes; ++a)
      for (int b = 0; b < a; ++b)
        solver.addClause(~mkLit(a * holes + hole), ~mkLit(b * holes + hole));
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  unsigned long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    Solver random;
    AddRandom(random, 120, 500);
    sum += random.solve() + random.conflicts;
    for (int i = 0; i < 10 && random.okay(); ++i)
      sum += random.solve(mkLit(i, i % 2), mkLit(i + 20)) + random.propagations;
    SimpSolver simplified;
    AddRandom(simplified, 100, 420);
    sum += simplified.solve() + simplified.conflicts + simplified.eliminated_vars;
    Solver pigeons;
    AddPigeons(pigeons, 6);
    sum += pigeons.solve() + pigeons.conflicts;
  }
  std::printf("%lu\n", sum);
  return 0;
}
