// SPDX-License-Identifier: MIT
// Calls the library through a shared library.
extern "C" void product(const float* a, const float* b, float* c);

int main() {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  product(a, b, c);
  return c[0] == 19 && c[3] == 50 ? 0 : 1;
}
