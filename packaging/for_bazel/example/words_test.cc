#include "words.h"

int main() {
  for (int i = 0; i < 20; ++i) {
    if (CountWords("to be or not to be") != 6) return 1;
  }
}
