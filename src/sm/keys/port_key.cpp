// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/keys/port_key.h"

#include <nettle/hmac.h>

#include <array>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::string_view kMkeyLabel = "weft M_Key";
constexpr std::size_t kSeedBytesMin = 16;
constexpr std::size_t kSeedBytesMax = 64;

std::array<std::uint8_t, 8> big_endian_bytes(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(value >> (8 * (bytes.size() - 1 - i)));
  return bytes;
}

const std::uint8_t* octets(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::uint64_t derive_key(std::string_view seed, std::string_view label,
                         std::initializer_list<std::uint64_t> numbers) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, seed.size(), octets(seed));
  std::uint64_t key = 0;
  for (std::uint8_t counter = 0; key == 0; ++counter) {
    std::array<std::uint8_t, 8> digest{};
    hmac_sha256_update(&context, label.size(), octets(label));
    for (const std::uint64_t number : numbers) {
      const auto bytes = big_endian_bytes(number);
      hmac_sha256_update(&context, bytes.size(), bytes.data());
    }
    hmac_sha256_update(&context, sizeof counter, &counter);
    hmac_sha256_digest(&context, digest.size(), digest.data());
    for (const std::uint8_t byte : digest) key = key << 8 | byte;
  }
  return key;
}

Mkey derive_mkey(std::string_view seed, Guid port) {
  return Mkey(derive_key(seed, kMkeyLabel, {port.value()}));
}

Result<Secret> parse_key_seed(std::string_view text) {
  if (text.empty()) return Secret();
  const std::string_view digits = text.starts_with("0x") ? text.substr(2) : text;
  const auto refused = [&] {  // the text is not quoted, as it may be a mistyped secret
    return fail(Code::kBadInput,
                "found {} characters, expected {} to {} hex digits, an even number", digits.size(),
                2 * kSeedBytesMin, 2 * kSeedBytesMax);
  };
  if (digits.size() % 2 != 0 || digits.size() < 2 * kSeedBytesMin ||
      digits.size() > 2 * kSeedBytesMax)
    return refused();
  std::string seed;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = parse_number<std::uint8_t>(digits.substr(i, 2), 16);
    if (!byte) return refused();
    seed.push_back(static_cast<char>(*byte));
  }
  return Secret(std::move(seed));
}

}  // namespace weft
