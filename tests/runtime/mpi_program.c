/* Calls `turn` 1000 * (rank + 1) times, in every rank of a real MPI job. Rank 1
 * kills itself if the first argument requests it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gprofhub.h"

__attribute__((noinline, noclone)) void turn(void) { __asm__ volatile(""); }

int main(int count, char** values) {
  int rank = 0;
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && count > 1 && strcmp(values[1], "without-1") == 0) mondisable();
  for (int i = 0; i < 1000 * (rank + 1); ++i) turn();
  MPI_Finalize();
  return 0;
}
