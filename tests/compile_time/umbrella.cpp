// SPDX-License-Identifier: MIT
#include <ridgepoint/ridgepoint.hpp>

int main() { return static_cast<int>(ridgepoint::version.size()); }
