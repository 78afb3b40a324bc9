// Functions with the names that compilers of other languages give them.
#define FUNCTION(number, name)                   \
  void function_##number(void) __asm__(name);    \
  __attribute__((noinline)) void function_##number(void) { __asm__ volatile(""); }

FUNCTION(1, "_ZN3foo3barEi.cold")
FUNCTION(2, "_ZN3foo3bar17h0123456789abcdefE")
FUNCTION(3, "_RINvCs9kGabcd_3foo3barNtB2_5GraphE")
FUNCTION(4, "_RNvMINvC1a1bFG_EuEu3foo")
FUNCTION(5, "_D3std5stdio7writelnFAyaZv")
FUNCTION(6, "_ZN4java4lang6String4testEP6JArrayIiE")
FUNCTION(7, "ada__text_io__put_line__2")
FUNCTION(8, "._Z3addii")
FUNCTION(9, "_ZNSt4pairIiSsEC2ERKS0_.isra.0")
FUNCTION(10, "_Z1fIJicEEvDp1AIT_E")
FUNCTION(11, "_ada_main")
FUNCTION(12, "_Zgarbage")
FUNCTION(13, "Upper")

int main(void) {
  function_1();
  function_2();
  function_3();
  function_4();
  function_5();
  function_6();
  function_7();
  function_8();
  function_9();
  function_10();
  function_11();
  function_12();
  function_13();
  return 0;
}
