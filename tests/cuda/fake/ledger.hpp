// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// Shared parts of the fake libraries.
namespace fake {

/// Notes a call. Returns whether it must fail, or its device is lost.
bool fails(const char* call);
/// Notes that this call created an object; gone() that it was released.
void made(const char* call);
void gone(const char* call);

/// Notes that a call breaks a rule.
void accuse(const std::string& of);
/// Notes a broken rule unless ok; returns ok.
inline bool is_legal(bool ok, const char* of) {
  if (!ok) accuse(of);
  return ok;
}
/// Returns whether no stream of this thread records; otherwise notes that the call breaks a rule.
bool outside_recordings(const char* call);

/// Returns the object of a library handle.
template <class Object, class Handle>
Object* object(Handle h) {
  return reinterpret_cast<Object*>(h);
}
/// Creates a handle for the result of make(); returns false if the call must fail.
template <class Handle, class Make>
bool makes(const char* call, Handle* handle, const Make& make) {
  if (fails(call)) return false;
  *handle = reinterpret_cast<Handle>(make());
  made(call);
  return true;
}

}  // namespace fake
