// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/result.h"

namespace weft {

int exit_status(const Error& error) {
  switch (error.code) {
    case Code::kUnroutable:
    case Code::kOutOfVls:
      return 1;
    case Code::kUsage:
    case Code::kBadInput:
    case Code::kBadField:
      return 2;
    case Code::kTimeout:
    case Code::kRejected:
    case Code::kEnvironment:
      return 3;
  }
  return 3;
}

}  // namespace weft
