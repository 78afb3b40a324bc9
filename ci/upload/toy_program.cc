// Test binary of upload_test.cc: an ELF file with symbols, lines and a build-id.
int main() { return 0; }
