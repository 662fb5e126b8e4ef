// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A secret text, such as a token or a private key. Its memory is locked as far as the limits
// permit, excluded from core files, and wiped before it is reused. The type has no output operator
// and no conversion to a string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

class Secret {
 public:
  Secret() = default;
  /// Takes the content of `text` and wipes `text`.
  explicit Secret(std::string&& text);
  explicit Secret(std::string_view text);
  Secret(const Secret& other) : Secret(other.view()) {}
  Secret(Secret&& other) noexcept { swap(other); }
  Secret& operator=(Secret other) noexcept {
    swap(other);
    return *this;
  }
  ~Secret();

  std::string_view view() const { return {bytes_, size_}; }
  const char* c_str() const { return bytes_ == nullptr ? "" : bytes_; }
  bool empty() const { return size_ == 0; }
  /// Takes time that depends on the length of `other` only, against timing attacks.
  bool operator==(std::string_view other) const;
  bool operator==(const Secret& other) const { return *this == other.view(); }

 private:
  void swap(Secret& other) noexcept;

  char* bytes_ = nullptr;  // followed by a zero byte
  std::size_t size_ = 0;
};

/// Overwrites the text with zeros; the compiler does not remove the writes even if the text is not
/// used afterwards.
void wipe(std::string& text);

}  // namespace weft
