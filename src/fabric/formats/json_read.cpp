// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <variant>

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/json_fabric.h"

namespace weft {
namespace {

using nlohmann::json;
using Value = std::variant<std::monostate, bool, std::uint64_t, std::string>;  // monostate: other

/// Lines as a stream, so that memory holds only one line at a time.
class LineStream final : public std::streambuf {
 public:
  explicit LineStream(LineReader& lines) : lines_(lines) {}
  const std::optional<Error>& error() const { return error_; }
  /// Column of the character last read, from 1.
  std::size_t column() const { return static_cast<std::size_t>(gptr() - eback()); }

 protected:
  int_type underflow() override {
    std::string_view line;
    auto more = lines_.next(line);
    if (!more) error_ = more.error();
    if (!more || !*more) return traits_type::eof();
    text_.assign(line).push_back('\n');
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_.front());
  }

 private:
  LineReader& lines_;
  std::string text_;
  std::optional<Error> error_;
};

struct PortDraft {
  std::optional<unsigned> num;
  FabricBuilder::PortSpec spec;
  std::uint64_t lid = 0;
  std::uint64_t lmc = 0;
};

struct NodeDraft {
  Node node;
  bool has_type = false;
  bool has_guid = false;
  bool has_port_count = false;
  std::optional<std::string> description_bytes;
  std::vector<PortDraft> ports;
};

struct LinkDraft {
  std::optional<Guid> a, b;
  std::optional<unsigned> a_port, b_port;
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
  std::size_t line = 0;
};

/// Translates the parser's events to calls of a builder. Unknown parts are skipped up to the
/// matching bracket. An event function that returns false stops the parser; error_ has the reason.
class FabricJson {
 public:
  FabricJson(LineReader& lines, const LineStream& stream, FabricBuilder& builder,
             Warnings& warnings)
      : lines_(lines), stream_(stream), builder_(builder), warnings_(warnings) {}

  // The interface required by json::sax_parse.
  bool null() { return scalar(Value()); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(json::number_integer_t) { return scalar(Value()); }
  bool number_unsigned(json::number_unsigned_t value) { return scalar(std::uint64_t{value}); }
  bool number_float(json::number_float_t, const std::string&) { return scalar(Value()); }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(json::binary_t&) { return scalar(Value()); }
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string& token, const json::exception& error) {
    if (std::string_view(error.what()).find("end of input") != std::string_view::npos)
      return wrong("found the end of the file, expected JSON");
    return wrong("found {}, expected JSON", quote_net_text(trim(token)));
  }

  Status finish() {
    if (stream_.error()) return tl::unexpected<Error>(*stream_.error());
    if (error_) return tl::unexpected<Error>(*error_);
    if (!has_format_ || !has_version_ || !has_nodes_)
      return fail(Code::kBadInput, "{}: the JSON lacks \"{}\"", lines_.path(),
                  !has_format_    ? "format"
                  : !has_version_ ? "version"
                                  : "nodes");
    for (const LinkDraft& link : links_)
      if (auto status = add_link(link); !status) return status;
    return {};
  }

 private:
  enum class Where { kTop, kNodes, kNode, kPorts, kPort, kLinks, kLink };

  template <class... Args>
  bool wrong(fmt::format_string<Args...> format, Args&&... args) {
    if (!error_)
      error_ =
          fail_at_column(lines_, stream_.column(), fmt::format(format, std::forward<Args>(args)...))
              .value();
    return false;
  }

  /// The error for the value of the current key.
  template <class... Args>
  bool wrong_value(const Value& found, fmt::format_string<Args...> expected, Args&&... args) {
    return wrong("\"{}\": found {}, expected {}", key_, shown(found),
                 fmt::format(expected, std::forward<Args>(args)...));
  }

  static std::string shown(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value))
      return text->empty() ? "an empty string" : quote_net_text(*text);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    return "null or a number that is negative or not an integer";
  }

  /// Whether the current key of such an object has a list of nodes, ports or links.
  bool is_list(Where in) const {
    return in == Where::kTop ? key_ == "nodes" || key_ == "links"
                             : in == Where::kNode && key_ == "ports";
  }

  bool open(bool object) {
    if (skipping_ > 0) return ++skipping_, true;
    if (stack_.empty()) {
      if (!object) return wrong("found an array, expected an object with \"format\"");
      stack_.push_back(Where::kTop);
      return true;
    }
    const Where in = stack_.back();
    if (in == Where::kTop && !object && key_ == "nodes") {
      has_nodes_ = true;
      stack_.push_back(Where::kNodes);
    } else if (in == Where::kTop && !object && key_ == "links") {
      stack_.push_back(Where::kLinks);
    } else if (in == Where::kNodes && object) {
      node_ = {};
      stack_.push_back(Where::kNode);
    } else if (in == Where::kNode && !object && key_ == "ports") {
      stack_.push_back(Where::kPorts);
    } else if (in == Where::kPorts && object) {
      node_.ports.emplace_back();
      stack_.push_back(Where::kPort);
    } else if (in == Where::kLinks && object) {
      links_.emplace_back().line = lines_.line_number();
      stack_.push_back(Where::kLink);
    } else if (in == Where::kNodes || in == Where::kPorts || in == Where::kLinks) {
      return wrong("found an array, expected an object");
    } else if (is_list(in)) {
      return wrong("\"{}\": found an object, expected an array", key_);
    } else {
      skipping_ = 1;
    }
    return true;
  }

  bool close() {
    if (skipping_ > 0) return --skipping_, true;
    const Where was = stack_.back();
    stack_.pop_back();
    if (was == Where::kNode) return add_node();
    return true;
  }

  bool scalar(const Value& value) {
    if (skipping_ > 0) return true;
    if (stack_.empty()) return wrong("found a plain value, expected an object with \"format\"");
    switch (stack_.back()) {
      case Where::kTop:
        return top_value(value);
      case Where::kNode:
        return node_value(value);
      case Where::kPort:
        return port_value(value, node_.ports.back());
      case Where::kLink:
        return link_value(value, links_.back());
      case Where::kNodes:
      case Where::kPorts:
      case Where::kLinks:
        break;
    }
    return wrong("found a plain value, expected an object");
  }

  bool top_value(const Value& value) {
    if (key_ == "format") {
      const auto* text = std::get_if<std::string>(&value);
      has_format_ = text != nullptr && *text == "weft-fabric";
      return has_format_ || wrong_value(value, "weft-fabric");
    }
    if (key_ == "version") {
      const auto* number = std::get_if<std::uint64_t>(&value);
      has_version_ = number != nullptr && *number == 1;
      return has_version_ || wrong_value(value, "1, the only supported version");
    }
    if (is_list(Where::kTop)) return wrong_value(value, "an array");
    return true;
  }

  bool node_value(const Value& value) {
    Node& node = node_.node;
    if (key_ == "type") {
      const auto* text = std::get_if<std::string>(&value);
      node_.has_type = text != nullptr && (*text == "switch" || *text == "ca" || *text == "router");
      if (!node_.has_type) return wrong_value(value, "'switch', 'ca' or 'router'");
      node.type = *text == "switch" ? NodeType::kSwitch
                  : *text == "ca"   ? NodeType::kCa
                                    : NodeType::kRouter;
      return true;
    }
    if (key_ == "guid") return node_.has_guid = take_guid(value, node.node_guid, false);
    if (key_ == "system_guid") return take_guid(value, node.system_guid, true);
    if (key_ == "vendor_id") return take_number(value, 0xFFFFFFFF, node.vendor_id);
    if (key_ == "device_id") return take_number(value, 0xFFFF, node.device_id);
    if (key_ == "revision") return take_number(value, 0xFFFFFFFF, node.revision);
    if (key_ == "port_count")
      return node_.has_port_count = take_number(value, 254, node.port_count);
    if (key_ == "enhanced_port0") {
      const bool* flag = std::get_if<bool>(&value);
      if (flag != nullptr) node.enhanced_port0 = *flag;
      return flag != nullptr || wrong_value(value, "true or false");
    }
    if (key_ == "description") return take_text(value, node.description);
    if (key_ == "description_hex") return take_bytes(value);
    if (is_list(Where::kNode)) return wrong_value(value, "an array");
    return true;
  }

  bool port_value(const Value& value, PortDraft& port) {
    if (key_ == "port") return take_number(value, 254, port.num.emplace());
    if (key_ == "guid") return take_guid(value, port.spec.guid.emplace(), true);
    if (key_ == "lid") return take_number(value, kLidUnicastLast.value(), port.lid);
    if (key_ == "lmc") return take_number(value, kLmcMax, port.lmc);
    if (key_ == "mtu") {
      for (const Mtu mtu : {Mtu::k256, Mtu::k512, Mtu::k1024, Mtu::k2048, Mtu::k4096})
        if (const auto* number = std::get_if<std::uint64_t>(&value);
            number != nullptr && *number == bytes(mtu))
          port.spec.mtu_cap = mtu;
      return port.spec.mtu_cap || wrong_value(value, "256, 512, 1024, 2048 or 4096");
    }
    if (key_ == "data_vls") {
      std::uint8_t& vls = port.spec.data_vls.emplace();
      if (!take_number(value, kDataVlCount, vls)) return false;
      return vls == 1 || vls == 2 || vls == 4 || vls == 8 || vls == 15 ||
             wrong("\"data_vls\": found {}, expected 1, 2, 4, 8 or 15", vls);
    }
    return true;
  }

  bool link_value(const Value& value, LinkDraft& link) {
    if (key_ == "a") return take_guid(value, link.a.emplace(), false);
    if (key_ == "b") return take_guid(value, link.b.emplace(), false);
    if (key_ == "a_port") return take_number(value, 254, link.a_port.emplace());
    if (key_ == "b_port") return take_number(value, 254, link.b_port.emplace());
    std::string text;
    if (key_ == "width") {
      if (!take_text(value, text)) return false;
      link.width = parse_link_width(text);
      return link.width || wrong("\"width\": found '{}', expected one such as \"4x\"", text);
    }
    if (key_ == "speed") {
      if (!take_text(value, text)) return false;
      link.speed = parse_link_speed(text);
      return link.speed || wrong("\"speed\": found '{}', expected one such as \"HDR\"", text);
    }
    return true;
  }

  template <class T>
  bool take_number(const Value& value, std::uint64_t max, T& to) {
    const auto* number = std::get_if<std::uint64_t>(&value);
    if (number == nullptr || *number > max) return wrong_value(value, "0 to {}", max);
    to = static_cast<T>(*number);
    return true;
  }

  bool take_guid(const Value& value, Guid& to, bool zero) {
    const auto* text = std::get_if<std::string>(&value);
    const auto number = text != nullptr ? parse_number<std::uint64_t>(*text, 16) : std::nullopt;
    if (!number || (*number == 0 && !zero))
      return wrong_value(value, "a GUID such as '0x0002c90300000001'");
    to = Guid(*number);
    return true;
  }

  bool take_text(const Value& value, std::string& to) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return wrong_value(value, "a string");
    to = *text;
    return true;
  }

  bool take_bytes(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    std::string& bytes = node_.description_bytes.emplace();
    for (std::size_t i = 0; text != nullptr && i < text->size(); i += 2) {
      const auto byte = parse_number<std::uint8_t>(std::string_view(*text).substr(i, 2), 16);
      if (!byte)
        text = nullptr;
      else
        bytes.push_back(static_cast<char>(*byte));
    }
    return text != nullptr || wrong_value(value, "a string of hex digits");
  }

  bool add_node() {
    Node& node = node_.node;
    if (!node_.has_type || !node_.has_guid || !node_.has_port_count)
      return wrong("the node that ends here lacks \"{}\"", !node_.has_type   ? "type"
                                                           : !node_.has_guid ? "guid"
                                                                             : "port_count");
    if (node_.description_bytes) node.description = *node_.description_bytes;
    const auto index = builder_.node_count();
    if (!node_of_guid_.try_emplace(node.node_guid.value(), index).second)
      return wrong("a second node has GUID 0x{:016x}", node.node_guid.value());
    builder_.add_node(std::move(node));
    for (PortDraft& port : node_.ports) {
      if (!port.num) return wrong("a port of the node that ends here lacks \"port\"");
      if (port.lid != 0)
        port.spec.lid = LidRange{Lid(static_cast<std::uint16_t>(port.lid)),
                                 static_cast<std::uint8_t>(port.lmc)};
      else if (port.lmc != 0)
        warnings_.add(lines_, "\"lmc\" of port {} without \"lid\" is ignored", *port.num);
      const PortNum num(static_cast<std::uint8_t>(*port.num));
      if (auto status = builder_.describe_port(index, num, port.spec); !status)
        return wrong("{}", status.error().message);
    }
    return true;
  }

  Status add_link(const LinkDraft& link) {
    const auto at = [&](const std::string& what) -> Status {
      return fail(Code::kBadInput, "{}:{}: {}", lines_.path(), link.line, what);
    };
    if (!link.a || !link.a_port || !link.b || !link.b_port)
      return at("the link lacks \"a\", \"a_port\", \"b\" or \"b_port\"");
    const auto a = node_of_guid_.find(link.a->value());
    const auto b = node_of_guid_.find(link.b->value());
    if (a == node_of_guid_.end() || b == node_of_guid_.end())
      return at(fmt::format("no node has GUID 0x{:016x}",
                            a == node_of_guid_.end() ? link.a->value() : link.b->value()));
    const PortNum a_port(static_cast<std::uint8_t>(*link.a_port));
    const PortNum b_port(static_cast<std::uint8_t>(*link.b_port));
    if (auto connected = builder_.connect(a->second, a_port, b->second, b_port); !connected)
      return at(connected.error().message);
    FabricBuilder::PortSpec spec;
    spec.width = link.width;
    spec.speed = link.speed;
    if (auto status = builder_.describe_port(a->second, a_port, spec); !status) return status;
    return builder_.describe_port(b->second, b_port, spec);
  }

  LineReader& lines_;
  const LineStream& stream_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  std::vector<Where> stack_;
  std::size_t skipping_ = 0;  // number of open brackets in an unknown part
  std::string key_;
  bool has_format_ = false;
  bool has_version_ = false;
  bool has_nodes_ = false;
  NodeDraft node_;
  std::vector<LinkDraft> links_;
  std::unordered_map<std::uint64_t, FabricBuilder::NodeIndex> node_of_guid_;
  std::optional<Error> error_;
};

}  // namespace

bool looks_like_fabric_json(std::string_view head) {
  return trim(head).starts_with('{') && head.find("\"weft-fabric\"") != std::string_view::npos;
}

Status read_fabric_json(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                        Warnings& warnings) {
  LineStream buffer(lines);
  std::istream stream(&buffer);
  FabricJson reader(lines, buffer, builder, warnings);
  json::sax_parse(stream, &reader);
  return reader.finish();
}

}  // namespace weft
