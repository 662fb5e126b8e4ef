// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decodes any bytes as a message between the manager and the HTTP process. The first byte selects
// the kind. Each message is rejected with the invalid field, or encodes to the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "check_result.h"
#include "fuzz_target.h"
#include "service/front/front_wire.h"

namespace {

using namespace weft::front;

template <class Decoded>
void check(weft::Result<Decoded> decoded, std::string_view bytes) {
  Decoded value;
  if (take(std::move(decoded), value) && encode(value) != bytes) std::abort();
}

/// The order of the parameters of a request may change, so that only the second encoding is stable.
void check_request(std::string_view bytes) {
  Request value, same;
  if (!take(decode_request(bytes), value)) return;
  const std::string encoded = encode(value);
  if (!take(decode_request(encoded), same) || encode(same) != encoded) std::abort();
}

}  // namespace

WEFT_FUZZ_TARGET(front_messages, data, size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (static_cast<Kind>(data[0])) {
    case Kind::kSetup:
      check(decode_setup(bytes), bytes);
      break;
    case Kind::kTls:
      check(decode_tls(bytes), bytes);
      break;
    case Kind::kAnswer:
      check(decode_answer(bytes), bytes);
      break;
    case Kind::kEvents:
      check(decode_events(bytes), bytes);
      break;
    default:
      check_request(bytes);
  }
  return 0;
}
