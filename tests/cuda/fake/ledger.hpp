// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// What the parts of the played machine share.
namespace fake {

/// Notes a call. Whether it is the one that shall fail, or its device is lost.
bool fails(const char* call);
/// Something was made by this call, or given back.
void made(const char* call);
void gone(const char* call);

/// Notes that a call breaks a rule.
void accuse(const std::string& of);
/// The same unless ok, which it returns.
inline bool is_legal(bool ok, const char* of) {
  if (!ok) accuse(of);
  return ok;
}
/// Whether no stream of this thread records; that this call is made then is against the rules.
bool outside_recordings(const char* call);

/// What a handle of the libraries is here.
template <class Object, class Handle>
Object* object(Handle h) {
  return reinterpret_cast<Object*>(h);
}
/// Makes a handle of what make() makes; whether the call shall not fail.
template <class Handle, class Make>
bool makes(const char* call, Handle* handle, const Make& make) {
  if (fails(call)) return false;
  *handle = reinterpret_cast<Handle>(make());
  made(call);
  return true;
}

}  // namespace fake
