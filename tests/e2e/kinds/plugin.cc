// A part of the program that is loaded while it runs.
__attribute__((noinline)) void plugin_work() { __asm__ volatile(""); }

extern "C" void run_plugin(int times) {
  for (int i = 0; i < times; ++i) plugin_work();
}
