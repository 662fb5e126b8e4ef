// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace weft {
namespace {

constexpr std::uint32_t kNoCodePoint = UINT32_MAX;

struct Decoded {
  std::uint32_t code = kNoCodePoint;
  std::size_t size = 1;  // bytes
};

/// Decodes the character at the front of a text, which must not be empty.
Decoded decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  std::uint32_t code = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // by size; smaller: overlong
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[size] || code > 0x10FFFF || is_surrogate) return {};
  return {code, size};
}

struct Kept {
  bool lines = false;  // newlines and tabs
  bool bytes = false;  // bytes that are not valid UTF-8
};

bool is_harmless(std::uint32_t code, Kept kept) {
  if (kept.lines && (code == '\n' || code == '\t')) return true;
  if (code == kNoCodePoint) return kept.bytes;
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  const bool is_separator = code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                            (code >= 0x202A && code <= 0x202E) ||
                            (code >= 0x2066 && code <= 0x2069);
  return !is_separator && !is_direction;
}

/// Number of bytes at the front that need no escape.
std::size_t harmless_size(std::string_view text, Kept kept) {
  std::size_t size = 0;
  while (size < text.size()) {
    const Decoded next = decode_utf8(text.substr(size));
    if (!is_harmless(next.code, kept)) break;
    size += next.size;
  }
  return size;
}

void append_escaped(std::string_view bytes, std::string& out) {
  if (bytes == "\n") {
    out += "\\n";
  } else if (bytes == "\r") {
    out += "\\r";
  } else if (bytes == "\t") {
    out += "\\t";
  } else {
    for (const char c : bytes)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

std::string escaped_but(std::string_view text, Kept kept) {
  std::string out;
  while (true) {
    const std::size_t plain = harmless_size(text, kept);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const std::size_t size = decode_utf8(text).size;
    append_escaped(text.substr(0, size), out);
    text.remove_prefix(size);
  }
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  return escaped_but(text, {.lines = lines == Lines::kMany});
}

std::string without_controls(std::string_view text) { return escaped_but(text, {.bytes = true}); }

/// The escaped characters have at most 16 bits, so one \u escape each is enough.
std::string printable_json(std::string json) {
  constexpr Kept kKept{.lines = true, .bytes = true};
  std::string_view rest = json;
  std::size_t plain = harmless_size(rest, kKept);
  if (plain == rest.size()) return json;
  std::string out;
  for (; true; plain = harmless_size(rest, kKept)) {
    out += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) return out;
    const Decoded next = decode_utf8(rest);
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", next.code);
    rest.remove_prefix(next.size);
  }
}

bool is_printable(std::string_view text, Lines lines) {
  return harmless_size(text, {.lines = lines == Lines::kMany}) == text.size();
}

}  // namespace weft
