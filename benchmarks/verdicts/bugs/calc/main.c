// An interpreter of expressions. The argument is the number of rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc.h"

static void define_all(struct interpreter* it) {
  define(it, "square", "x", "x * x");
  define(it, "near", "y", "(y < 100 + 20 * 3) * (0 - 5 < y)");
  define(it, "sum", "n", "(0 < n) * (n + square(n) + sum(n - 1))");
  define(it, "poly", "z", "2 * 3 * z * z + 5 * 7 * z + square(z + 1)");
  define(it, "fib", "k", "(k < 2) * k + (1 < k) * (fib(k - 1) + fib(k - 2))");
}

// Each line is parsed, evaluated and forgotten.
static long run_line(struct interpreter* it, const char* line) {
  struct lexer lexer = {.at = line};
  struct node* node = parse(it, &lexer);
  const long result = evaluate(it, node);
  free_node(node);
  return result;
}

int main(int argc, char** argv) {
  static struct interpreter it;
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  unsigned long sum = 0;
  define_all(&it);
  for (int i = 0; i < rounds; ++i) {
    char line[128];
    snprintf(line, sizeof line, "sum(%d) + poly(%d) * near(%d) + fib(%d)", i % 20, i % 97, i % 300,
             i % 9);
    sum = sum * 31 + (unsigned long)run_line(&it, line);
    for (int j = 0; j < 2; ++j) sum += (unsigned long)call(&it, intern(&it, "poly"), i + j);
  }
  printf("%lu\n", sum);
  for (int i = 0; i < it.function_count; ++i) {
    free_node(it.functions[i].body);
    free(it.functions[i].text);
  }
  for (int i = 0; i < it.name_count; ++i) free(it.names[i]);
  return 0;
}
