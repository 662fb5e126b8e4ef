// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Chakra execution traces (mlcommons/chakra, et_def.proto). The file of a rank is a sequence of
// protobuf messages: one message of metadata, then the nodes. The length of each message is stored
// before the message as a varint. A JSON file has the same messages in sequence; names are in camel
// case or as in the definition. Data dependencies are used and control dependencies are ignored, as
// in Chakra's feeder.
#include <filesystem>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <protozero/varint.hpp>
#include <unordered_map>

#include "base/file.h"
#include "base/text.h"
#include "jobs/input/lined_json.h"
#include "jobs/traces/trace.h"

namespace weft::jobs {
namespace {

constexpr std::size_t kChakraFileMax = std::size_t{1} << 30;

enum class NodeField : protozero::pbf_tag_type {
  kId = 1,
  kName = 2,
  kType = 3,
  kDataDeps = 5,
  kDuration = 7,
  kAttribute = 10,
};
enum class AttributeField : protozero::pbf_tag_type {
  kName = 1,
  kInt32 = 7,
  kInt64 = 9,
  kUint32 = 11,
  kUint64 = 13,
  kSint32 = 15,
  kSint64 = 17,
  kBool = 27,
  kString = 29,
};

/// The properties of a node that are used.
struct ChakraNode {
  std::uint64_t id = 0;
  std::int64_t type = 0;
  std::vector<std::uint64_t> after;
  std::uint64_t micros = 0;
  std::unordered_map<std::string, std::int64_t> numbers;  // numeric attributes
  std::string group;
  std::size_t line = 0;  // line in JSON, else the number of the node
};

void read_attribute(protozero::pbf_message<AttributeField> message, ChakraNode& node) {
  std::string name, text;
  std::optional<std::int64_t> number;
  while (message.next()) {
    switch (message.tag()) {
      case AttributeField::kName:
        name = message.get_string();
        break;
      case AttributeField::kInt32:
        number = message.get_int32();
        break;
      case AttributeField::kInt64:
        number = message.get_int64();
        break;
      case AttributeField::kUint32:
        number = message.get_uint32();
        break;
      case AttributeField::kUint64:
        number = static_cast<std::int64_t>(message.get_uint64());
        break;
      case AttributeField::kSint32:
        number = message.get_sint32();
        break;
      case AttributeField::kSint64:
        number = message.get_sint64();
        break;
      case AttributeField::kBool:
        number = message.get_bool() ? 1 : 0;
        break;
      case AttributeField::kString:
        text = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  if (number) node.numbers[name] = *number;
  if (name == "pg_name") node.group = number ? std::to_string(*number) : text;
}

ChakraNode decode_node(protozero::data_view bytes) {
  ChakraNode node;
  protozero::pbf_message<NodeField> message(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case NodeField::kId:
        node.id = message.get_uint64();
        break;
      case NodeField::kType:
        node.type = message.get_int32();
        break;
      case NodeField::kDuration:
        node.micros = message.get_uint64();
        break;
      case NodeField::kAttribute:
        read_attribute(message.get_message(), node);
        break;
      case NodeField::kDataDeps:
        if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
          for (const std::uint64_t id : message.get_packed_uint64()) node.after.push_back(id);
        } else {
          node.after.push_back(message.get_uint64());
        }
        break;
      default:
        message.skip();
    }
  }
  return node;
}

Result<std::vector<ChakraNode>> decode_nodes(const std::string& text, const std::string& path) {
  std::vector<ChakraNode> nodes;
  const char* at = text.data();
  const char* const end = at + text.size();
  try {
    for (bool is_metadata = true; at < end; is_metadata = false) {
      const std::uint64_t length = protozero::decode_varint(&at, end);
      if (length > static_cast<std::uint64_t>(end - at))
        return fail(Code::kBadInput,
                    "{}: after {} nodes: found {} bytes, expected {}: the file is incomplete", path,
                    nodes.size(), end - at, length);
      if (!is_metadata) {
        nodes.push_back(decode_node({at, static_cast<std::size_t>(length)}));
        nodes.back().line = nodes.size();
      }
      at += length;
    }
  } catch (const protozero::exception& error) {
    return fail(Code::kBadInput, "{}: after {} nodes: cannot decode a protobuf message: {}", path,
                nodes.size(), error.what());
  }
  return nodes;
}

/// Finds a member by its name in the definition, or by that name in camel case; null if missing.
const LinedJson* find_member(const LinedJson& object, std::string_view name) {
  std::string camel;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (name[i] == '_' && i + 1 < name.size())
      camel.push_back(static_cast<char>(name[++i] - 'a' + 'A'));
    else
      camel.push_back(name[i]);
  for (const auto& [key, value] : object.members)
    if (key == name || key == camel) return &value;
  return nullptr;
}

std::optional<std::int64_t> number_in(const LinedJson* value) {
  if (value == nullptr || !value->is_scalar()) return std::nullopt;
  if (value->kind == LinedJson::Kind::kBoolean) return value->text == "true" ? 1 : 0;
  return parse_number<std::int64_t>(value->text);
}

/// Reads a node from JSON. Types are numbers or names. Fails with kBadInput; the message names the
/// line.
Result<ChakraNode> node_of_json(const LinedJson& object, const std::string& path) {
  constexpr std::array<std::string_view, 8> kTypes{
      "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
      "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  ChakraNode node;
  node.line = object.line;
  const auto wrong = [&](const LinedJson& at, std::string_view what) {
    return fail(Code::kBadInput, "{}:{}: {}: found {}, expected a number", path, at.line, what,
                weft::quoted(at.text));
  };
  if (const LinedJson* id = find_member(object, "id")) {
    const auto value = number_in(id);
    if (!value) return wrong(*id, "id");
    node.id = static_cast<std::uint64_t>(*value);
  }
  if (const LinedJson* type = find_member(object, "type")) {
    const auto named = std::ranges::find(kTypes, type->text);
    const auto value =
        named == kTypes.end() ? number_in(type) : std::optional(named - kTypes.begin());
    if (!value) return wrong(*type, "type");
    node.type = *value;
  }
  if (const LinedJson* micros = find_member(object, "duration_micros")) {
    const auto value = number_in(micros);
    if (!value) return wrong(*micros, "duration_micros");
    if (*value < 0)
      return fail(Code::kBadInput, "{}:{}: duration_micros: found {}, expected 0 or more", path,
                  micros->line, *value);
    node.micros = static_cast<std::uint64_t>(*value);
  }
  if (const LinedJson* after = find_member(object, "data_deps"))
    for (const LinedJson& item : after->items) {
      const auto value = number_in(&item);
      if (!value) return wrong(item, "data_deps");
      node.after.push_back(static_cast<std::uint64_t>(*value));
    }
  if (const LinedJson* attributes = find_member(object, "attr"))
    for (const LinedJson& attribute : attributes->items) {
      const LinedJson* name = find_member(attribute, "name");
      if (name == nullptr) continue;
      for (const auto& [key, value] : attribute.members) {
        if (&value == name) continue;
        if (const auto number = number_in(&value)) node.numbers[name->text] = *number;
        if (name->text == "pg_name") node.group = value.text;
      }
    }
  return node;
}

Result<std::vector<ChakraNode>> nodes_of_json(const std::string& text, const std::string& path) {
  const auto values = parse_lined_json_sequence(text, path);
  if (!values) return forward(values);
  std::vector<ChakraNode> nodes;
  for (const LinedJson& value : *values) {
    if (value.kind != LinedJson::Kind::kObject)
      return fail(Code::kBadInput, "{}:{}: found no object, expected a node", path, value.line);
    if (find_member(value, "type") == nullptr) continue;  // metadata
    auto node = node_of_json(value, path);
    if (!node) return forward(node);
    nodes.push_back(std::move(*node));
  }
  return nodes;
}

std::optional<Work> work_of(std::int64_t comm_type) {
  constexpr std::array kWorks{Work::kAllReduce, Work::kReduce,        Work::kAllGather,
                              Work::kGather,    Work::kScatter,       Work::kBroadcast,
                              Work::kAllToAll,  Work::kReduceScatter, Work::kReduceScatter,
                              Work::kBarrier};
  if (comm_type < 0 || comm_type >= static_cast<std::int64_t>(kWorks.size())) return std::nullopt;
  return kWorks[static_cast<std::size_t>(comm_type)];
}

class ChakraRank {
 public:
  explicit ChakraRank(std::string path) { trace_.path = std::move(path); }

  Result<TraceRank> convert(const std::vector<ChakraNode>& nodes) {
    for (const ChakraNode& node : nodes)
      if (!index_.try_emplace(node.id, static_cast<std::uint32_t>(index_.size())).second)
        return wrong(node, "the id occurs twice");
    for (const ChakraNode& node : nodes) {
      auto op = op_of(node);
      if (!op) return forward(op);
      trace_.ops.push_back(std::move(*op));
      for (const std::uint64_t id : node.after) {
        const auto before = index_.find(id);
        if (before == index_.end())
          return wrong(node,
                       fmt::format("data_deps: found node {}, expected a node of the file", id));
        trace_.after_end.emplace_back(index_.at(node.id), before->second);
      }
    }
    return std::move(trace_);
  }

 private:
  tl::unexpected<Error> wrong(const ChakraNode& node, const std::string& text) const {
    return fail(Code::kBadInput, "{}:{}: node {}: {}", trace_.path, node.line, node.id, text);
  }
  Result<std::int64_t> number(const ChakraNode& node, const std::string& name) const {
    const auto at = node.numbers.find(name);
    if (at == node.numbers.end())
      return wrong(node, fmt::format("the attribute {} is missing", name));
    if (at->second < 0)
      return wrong(node, fmt::format("{}: found {}, expected 0 or more", name, at->second));
    return at->second;
  }

  Result<TraceOp> op_of(const ChakraNode& node) const {
    TraceOp op;
    op.line = node.line;
    if (node.type == 4) {
      op.kind = TraceOp::Kind::kCompute;
      op.amount = static_cast<double>(node.micros) * 1e6;
      return op;
    }
    if (node.type < 5 || node.type > 7) return op;
    const auto bytes = number(node, "comm_size");
    if (!bytes) return forward(bytes);
    op.amount = static_cast<double>(*bytes);
    if (node.type == 7) {
      op.kind = TraceOp::Kind::kCollective;
      op.group = node.group;
      const auto type = number(node, "comm_type");
      if (!type) return forward(type);
      const auto work = work_of(*type);
      if (!work) return wrong(node, fmt::format("comm_type: found {}, expected 0 to 9", *type));
      op.work = *work;
      return op;
    }
    const bool sends = node.type == 5;
    op.kind = sends ? TraceOp::Kind::kSend : TraceOp::Kind::kReceive;
    const auto peer = number(node, sends ? "comm_dst" : "comm_src");
    if (!peer) return forward(peer);
    op.peer = *peer;
    const auto tag = node.numbers.find("comm_tag");
    op.tag = tag == node.numbers.end() ? 0 : tag->second;
    return op;
  }

  TraceRank trace_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // by id of a node
};

}  // namespace

Result<TraceRank> parse_chakra(const std::string& text, const std::string& path, bool is_json) {
  const auto nodes = is_json ? nodes_of_json(text, path) : decode_nodes(text, path);
  if (!nodes) return forward(nodes);
  return ChakraRank(path).convert(*nodes);
}

Result<Trace> read_chakra(const std::string& prefix) {
  Trace trace;
  while (true) {
    const auto rank = static_cast<std::uint32_t>(trace.ranks.size());
    const std::string et = fmt::format("{}.{}.et", prefix, rank);
    const std::string json = fmt::format("{}.{}.json", prefix, rank);
    std::error_code ignored;
    const bool has_et = std::filesystem::exists(et, ignored);
    if (!has_et && !std::filesystem::exists(json, ignored)) break;
    const std::string& path = has_et ? et : json;
    const auto text = read_file(path, kChakraFileMax);
    if (!text) return forward(text);
    auto converted = parse_chakra(*text, path, !has_et);
    if (!converted) return forward(converted);
    trace.ranks.push_back(std::move(*converted));
  }
  if (trace.ranks.empty())
    return fail(Code::kEnvironment, "found neither {}.0.et nor {}.0.json", prefix, prefix);
  for (const TraceRank& rank : trace.ranks)
    for (const TraceOp& op : rank.ops)
      if ((op.kind == TraceOp::Kind::kSend || op.kind == TraceOp::Kind::kReceive) &&
          op.peer >= static_cast<std::int64_t>(trace.ranks.size()))
        return fail(Code::kBadInput, "{}:{}: found rank {} in a message, expected one below {}",
                    rank.path, op.line, op.peer, trace.ranks.size());
  return trace;
}

}  // namespace weft::jobs
