// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Errors as values: bad input and network failures are returned as results, not thrown as
// exceptions.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace weft {

enum class Code {
  kUsage,        // the command line or an option is invalid
  kBadInput,     // invalid content of a file; the message names file, line and expected value
  kBadField,     // a wire field holds an illegal value; the message names the offset
  kUnroutable,   // the engine cannot route this fabric
  kOutOfVls,     // routing needs more virtual lanes than the fabric has
  kTimeout,      // no response in time, retries included
  kRejected,     // the peer responded with an error status
  kEnvironment,  // a file, device or resource of this machine is unavailable
};

struct Error {
  Code code{};
  std::string message;
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// Maps an error to the exit status of the command-line tools: 1 negative result, 2 bad input, 3
/// environment.
int exit_status(const Error& error);

template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// Passes an error on unchanged: `if (!x) return forward(x);`
template <class T>
[[nodiscard]] tl::unexpected<Error> forward(const Result<T>& result) {
  return tl::unexpected<Error>(result.error());
}

}  // namespace weft
