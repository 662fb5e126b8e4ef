// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes as messages between the manager and the HTTP process; the first selects the kind. Each
// is rejected with the field that is wrong, or encodes to the same bytes again.
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

/// Its parameters have an order: what was decoded is sent once more.
void check_request(std::string_view bytes) {
  Request value, same;
  if (!take(decode_request(bytes), value)) return;
  const std::string sent = encode(value);
  if (!take(decode_request(sent), same) || encode(same) != sent) std::abort();
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
