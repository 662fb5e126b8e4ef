// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages between the subnet manager and the HTTP process. The first byte is the kind; numbers
// in the byte order of the machine and texts with their lengths follow. Each process checks every
// byte, because an attacker may control the other process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/events/event_ring.h"
#include "service/http/http_message.h"
#include "service/http/http_page.h"
#include "service/http/server/http_tls.h"

namespace weft::front {

enum class Kind : std::uint8_t {
  // From the manager
  kSetup = 1,         // FrontSetup, with the listening socket
  kTls,               // HttpTlsTexts: replaces the certificate
  kAnswer,            // Answer, with the file of its body if it has one
  kEvents,            // entries of the event ring
  kManagerHeartbeat,  // no content: the manager runs
  // From the HTTP process
  kReady = 64,      // no content: the HTTP process is ready
  kRequest,         // Request
  kFrontHeartbeat,  // no content: the HTTP process runs
  kFailed           // text: why the HTTP process cannot start
};

struct FrontSetup {
  bool loopback = true;             // accept only loopback names and addresses as Host
  std::optional<HttpTlsTexts> tls;  // empty: not encrypted
  std::vector<PageFile> page;       // empty: no page is served
};

struct Request {
  std::uint64_t id = 0;  // from the HTTP process; copied to the answer
  HttpRequest request;
};

/// An HttpAnswer without functions and stream. The body is part of the message or in a file.
struct Answer {
  std::uint64_t id = 0;
  HttpAnswer answer;
  std::uint64_t file_id = 0;    // answers that share a body have the same id; 0: no file
  std::uint64_t file_size = 0;  // bytes
};

inline constexpr std::size_t kMessageMax = 160 * 1024;  // bytes of one message
inline constexpr std::size_t kFileMax = std::size_t{1} << 30;
inline constexpr std::size_t kEventsAtOnce = 256;  // entries of one message

// These functions encode the bytes that follow the kind.
std::string encode(const FrontSetup& setup);
std::string encode(const HttpTlsTexts& texts);
std::string encode(const Request& request);
std::string encode(const Answer& answer);
std::string encode(const std::vector<EventRing::Entry>& entries);

// These functions decode the bytes that follow the kind. They fail with kBadInput; the text of the
// error contains the name of the first invalid field.
Result<FrontSetup> decode_setup(std::string_view bytes);
Result<HttpTlsTexts> decode_tls(std::string_view bytes);
Result<Request> decode_request(std::string_view bytes);
Result<Answer> decode_answer(std::string_view bytes);
Result<std::vector<EventRing::Entry>> decode_events(std::string_view bytes);

}  // namespace weft::front
