// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_wire.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace weft::front {
namespace {

// Largest sizes of fields. Fields of a request have the limits of the HTTP server.
constexpr std::size_t kWordMax = 256;  // bytes of methods, types and header names
constexpr std::size_t kCountMax = 4096;
constexpr std::size_t kPemsMax = std::size_t{1} << 20;
constexpr std::size_t kEventMax = std::size_t{1} << 20;
constexpr int kStatusMin = 100, kStatusMax = 599;

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Decodes fields and stores the name of the first invalid field. Later fields are read as empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class Number>
  Number number(const char* field) {
    Number value{};
    if (wrong_ != nullptr || left_.size() < sizeof value) {
      fault(field);
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  bool flag(const char* field) {
    const auto value = number<std::uint8_t>(field);
    if (value > 1) fault(field);
    return value == 1;
  }
  std::string text(const char* field, std::size_t most) {
    const auto size = number<std::uint32_t>(field);
    if (wrong_ != nullptr || size > most || size > left_.size()) {
      fault(field);
      return {};
    }
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }
  /// Reads the number of items that follow; 0 after an invalid field.
  std::uint32_t count(const char* field, std::size_t most) {
    const auto value = number<std::uint32_t>(field);
    if (value > most) fault(field);
    return wrong_ == nullptr ? value : 0;
  }
  void require(bool is_good, const char* field) {
    if (!is_good) fault(field);
  }
  bool is_good() const { return wrong_ == nullptr; }
  /// Call after all fields. Fails with kBadInput if a field was invalid or bytes are left.
  Status end() {
    if (!left_.empty()) fault("end");
    if (wrong_ == nullptr) return {};
    return fail(Code::kBadInput, "message with an invalid {}", wrong_);
  }

 private:
  void fault(const char* field) {
    if (wrong_ == nullptr) wrong_ = field;
  }
  std::string_view left_;
  const char* wrong_ = nullptr;
};

void put(Writer& writer, const HttpTlsTexts& texts) {
  writer.text(texts.certificate);
  writer.text(texts.key.view());
  writer.text(texts.client_ca);
}

HttpTlsTexts take_tls(Reader& reader) {
  HttpTlsTexts texts;
  texts.certificate = reader.text("certificate", kPemsMax);
  texts.key = Secret(reader.text("key", kPemsMax));
  texts.client_ca = reader.text("client authorities", kPemsMax);
  return texts;
}

bool is_method(std::string_view method) {
  return !method.empty() && std::ranges::all_of(method, [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_address(std::string_view address) {
  return std::ranges::all_of(address, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '.' || c == ':' || c == '[' ||
           c == ']' || c == '%';
  });
}

template <class Decoded>
Result<Decoded> checked(Reader& reader, Decoded decoded) {
  if (const Status good = reader.end(); !good) return forward(good);
  return decoded;
}

}  // namespace

std::string encode(const FrontSetup& setup) {
  Writer writer;
  writer.flag(setup.loopback);
  writer.flag(setup.tls.has_value());
  if (setup.tls) put(writer, *setup.tls);
  writer.number(static_cast<std::uint32_t>(setup.page.size()));
  for (const PageFile& file : setup.page) {
    writer.text(file.name);
    writer.text(*file.content);
  }
  return writer.take();
}

Result<FrontSetup> decode_setup(std::string_view bytes) {
  Reader reader(bytes);
  FrontSetup setup;
  setup.loopback = reader.flag("loopback");
  if (reader.flag("encryption")) setup.tls = take_tls(reader);
  const auto files = reader.count("number of files", kCountMax);
  for (std::uint32_t i = 0; i < files && reader.is_good(); ++i) {
    std::string name = reader.text("name of a file", kHttpHeadMax);
    setup.page.push_back({std::move(name), std::make_shared<const std::string>(
                                               reader.text("file", PageFiles::kBytesMax))});
  }
  return checked(reader, std::move(setup));
}

std::string encode(const HttpTlsTexts& texts) {
  Writer writer;
  put(writer, texts);
  return writer.take();
}

Result<HttpTlsTexts> decode_tls(std::string_view bytes) {
  Reader reader(bytes);
  HttpTlsTexts texts = take_tls(reader);
  return checked(reader, std::move(texts));
}

std::string encode(const Request& sent) {
  const HttpRequest& request = sent.request;
  Writer writer;
  writer.number(sent.id);
  writer.text(request.method);
  writer.flag(request.head_only);
  writer.text(request.path);
  writer.number(static_cast<std::uint32_t>(request.query.size()));
  for (const auto& [name, value] : request.query) {
    writer.text(name);
    writer.text(value);
  }
  writer.text(request.token);
  writer.text(request.host);
  writer.flag(request.last_event.has_value());
  if (request.last_event) writer.text(*request.last_event);
  writer.text(request.have_tag);
  writer.text(request.body_type);
  writer.text(request.body);
  writer.text(request.address);
  writer.text(request.certificate);
  writer.flag(request.has_valid_certificate);
  return writer.take();
}

Result<Request> decode_request(std::string_view bytes) {
  Reader reader(bytes);
  Request received;
  HttpRequest& request = received.request;
  received.id = reader.number<std::uint64_t>("id");
  request.method = reader.text("method", kWordMax);
  reader.require(is_method(request.method), "method");
  request.head_only = reader.flag("kind of method");
  request.path = reader.text("path", kHttpHeadMax);
  reader.require(request.path.starts_with('/'), "path");
  const auto parameters = reader.count("number of parameters", kCountMax);
  for (std::uint32_t i = 0; i < parameters && reader.is_good(); ++i) {
    std::string name = reader.text("name of a parameter", kHttpHeadMax);
    request.query.emplace(std::move(name), reader.text("parameter", kHttpHeadMax));
  }
  request.token = reader.text("token", kHttpHeadMax);
  request.host = reader.text("host", kHttpHeadMax);
  if (reader.flag("last event")) request.last_event = reader.text("last event", kHttpHeadMax);
  request.have_tag = reader.text("tag", kHttpHeadMax);
  request.body_type = reader.text("type of the body", kHttpHeadMax);
  request.body = reader.text("body", kHttpBodyMax);
  request.body_size = request.body.size();
  request.address = reader.text("address", kWordMax);
  reader.require(is_address(request.address), "address");
  request.certificate = reader.text("certificate", kWordMax);
  request.has_valid_certificate = reader.flag("validity of the certificate");
  return checked(reader, std::move(received));
}

std::string encode(const Answer& sent) {
  const HttpAnswer& answer = sent.answer;
  Writer writer;
  writer.number(sent.id);
  writer.number(static_cast<std::int32_t>(answer.status));
  writer.text(answer.type);
  writer.number(static_cast<std::uint32_t>(answer.headers.size()));
  for (const auto& [name, value] : answer.headers) {
    writer.text(name);
    writer.text(value);
  }
  writer.flag(answer.penalty);
  writer.flag(answer.close);
  writer.flag(answer.stream_after.has_value());
  if (answer.stream_after) writer.number(*answer.stream_after);
  writer.number(sent.file_id);
  writer.number(sent.file_size);
  const bool is_inside = sent.file_id == 0 && answer.body;
  writer.flag(is_inside);
  if (is_inside) writer.text(*answer.body);
  return writer.take();
}

Result<Answer> decode_answer(std::string_view bytes) {
  Reader reader(bytes);
  Answer received;
  HttpAnswer& answer = received.answer;
  received.id = reader.number<std::uint64_t>("id");
  answer.status = reader.number<std::int32_t>("status");
  reader.require(answer.status >= kStatusMin && answer.status <= kStatusMax, "status");
  answer.type = reader.text("type", kWordMax);
  const auto headers = reader.count("number of headers", kCountMax);
  for (std::uint32_t i = 0; i < headers && reader.is_good(); ++i) {
    std::string name = reader.text("name of a header", kWordMax);
    answer.headers.emplace_back(std::move(name), reader.text("header", kHttpHeadMax));
  }
  answer.penalty = reader.flag("penalty");
  answer.close = reader.flag("end of the connection");
  if (reader.flag("stream")) answer.stream_after = reader.number<std::uint64_t>("stream");
  received.file_id = reader.number<std::uint64_t>("file of the body");
  received.file_size = reader.number<std::uint64_t>("size of the body");
  reader.require(received.file_size <= kFileMax, "size of the body");
  const bool is_inside = reader.flag("body");
  reader.require(!is_inside || received.file_id == 0, "body");
  if (is_inside)
    answer.body = std::make_shared<const std::string>(reader.text("body", kMessageMax));
  return checked(reader, std::move(received));
}

std::string encode(const std::vector<EventRing::Entry>& entries) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(entries.size()));
  for (const EventRing::Entry& entry : entries) {
    writer.number(entry.id);
    writer.text(entry.line);
  }
  return writer.take();
}

Result<std::vector<EventRing::Entry>> decode_events(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<EventRing::Entry> entries;
  const auto count = reader.count("number of events", kEventsAtOnce);
  for (std::uint32_t i = 0; i < count && reader.is_good(); ++i) {
    const auto id = reader.number<std::uint64_t>("id of an event");
    reader.require(entries.empty() ? id > 0 : id == entries.back().id + 1, "id of an event");
    entries.push_back({id, reader.text("event", kEventMax)});
  }
  return checked(reader, std::move(entries));
}

}  // namespace weft::front
