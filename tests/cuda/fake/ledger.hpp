// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// What the parts of the played machine share.
namespace fake {

/// Notes a call. Whether it is the one that shall fail.
bool fails(const char* call);
/// Something was made by this call, or given back.
void made(const char* call);
void gone(const char* call);

}  // namespace fake
