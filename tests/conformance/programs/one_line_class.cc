// The compiler's own functions of Derived, all of one line and column, lie side by side.
struct Base {
  Base() : n(1) {}
  virtual ~Base() {}
  virtual int count() = 0;
  int n;
};
struct Derived : Base { int m = 0; int count() override { return ++m; } };
int main() {
  Derived derived;
  return derived.count() - 1;
}
