// Errors as values: bad input and an unlucky network are answers, not exceptions.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace weft {

enum class Code {
  kUsage,        // the command line or an option is wrong
  kBadInput,     // a file's content is wrong; the message names file, line and what was wanted
  kBadField,     // a wire field holds what it must not; the message names the offset
  kUnroutable,   // the engine cannot route this fabric
  kOutOfVls,     // routing needs more virtual lanes than the fabric has
  kTimeout,      // no answer in time, retries included
  kRejected,     // the peer answered with a bad status
  kEnvironment,  // a file, device or resource of this machine is not to be had
};

struct Error {
  Code code{};
  std::string message;
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// The exit status that the command-line contract gives to an error: 1 bad answer, 2 bad input, 3
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
