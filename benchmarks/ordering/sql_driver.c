#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rows, bytes;
static int Row(void* p, int n, char** v, char** names) {
  (void)p;
  (void)names;
  ++rows;
  for (int i = 0; i < n; ++i) bytes += v[i] ? (int)strlen(v[i]) : 0;
  return 0;
}
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  FILE* f = fopen(argv[1], "rb");
  if (!f) return 2;
  static char text[1 << 20];
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  sqlite3* db;
  if (sqlite3_open(argc > 2 ? argv[2] : ":memory:", &db)) return 1;
  char* message = 0;
  if (sqlite3_exec(db, text, Row, 0, &message)) {
    fprintf(stderr, "%s: %s\n", argv[1], message);
  }
  sqlite3_close(db);
  printf("%d rows, %d bytes\n", rows, bytes);
  return 0;
}
