// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/yaml_tree.h"

#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "fabric/formats/format.h"

namespace weft {
namespace {

class YamlReader {
 public:
  explicit YamlReader(LineReader& lines) : lines_(lines) {
    CHECK(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_input(
        &parser_,
        [](void* self, unsigned char* buffer, std::size_t size, std::size_t* filled) {
          return static_cast<YamlReader*>(self)->fill(buffer, size, *filled);
        },
        this);
  }
  ~YamlReader() { yaml_parser_delete(&parser_); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  Result<YamlNode> read() {
    YamlNode root;
    bool has_root = false;
    while (true) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) != 1) return forward(parser_error());
      const auto status = take(event, root, has_root);
      const bool is_end = event.type == YAML_STREAM_END_EVENT;
      yaml_event_delete(&event);
      if (!status) return forward(status);
      if (is_end) break;
    }
    if (!has_root) return fail(Code::kBadInput, "{}: the file is empty", lines_.path());
    return root;
  }

 private:
  int fill(unsigned char* buffer, std::size_t size, std::size_t& filled) {
    if (rest_.empty()) {
      std::string_view line;
      auto more = lines_.next(line);
      if (!more) {
        file_error_ = more.error();
        return 0;
      }
      if (*more) rest_.assign(line).push_back('\n');
    }
    filled = std::min(size, rest_.size());
    std::memcpy(buffer, rest_.data(), filled);
    rest_.erase(0, filled);
    return 1;
  }

  Status parser_error() const {
    if (file_error_) return tl::unexpected(*file_error_);
    const bool has_mark = parser_.error != YAML_READER_ERROR;
    return wrong(has_mark ? parser_.problem_mark.line : lines_.line_number() - 1,
                 parser_.problem == nullptr ? "no valid YAML" : parser_.problem);
  }

  Status wrong(std::size_t line, std::string_view what) const {
    return fail(Code::kBadInput, "{}:{}: {}", lines_.path(), line + 1, what);
  }

  Status take(const yaml_event_t& event, YamlNode& root, bool& has_root) {
    const std::size_t line = event.start_mark.line;
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return wrong(line, "found an alias (*), expected none");
      case YAML_DOCUMENT_START_EVENT:
        return has_root ? wrong(line, "found a second document, expected one") : Status();
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        open_.pop_back();
        return {};
      case YAML_SCALAR_EVENT:
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT:
        return add(event, root, has_root);
      default:
        return {};
    }
  }

  /// Adds a value to the innermost open list or map. In a map, keys and values alternate.
  Status add(const yaml_event_t& event, YamlNode& root, bool& has_root) {
    const std::size_t line = event.start_mark.line;
    if (++nodes_ > kYamlNodesMax)
      return wrong(line, fmt::format("found more than {} values", kYamlNodesMax));
    YamlNode node;
    node.line = line + 1;
    node.kind = event.type == YAML_SCALAR_EVENT           ? YamlNode::Kind::kScalar
                : event.type == YAML_SEQUENCE_START_EVENT ? YamlNode::Kind::kList
                                                          : YamlNode::Kind::kMap;
    if (node.kind == YamlNode::Kind::kScalar)
      node.text.assign(reinterpret_cast<const char*>(event.data.scalar.value),
                       event.data.scalar.length);
    YamlNode* parent = open_.empty() ? nullptr : open_.back();
    const bool is_key = parent != nullptr && parent->kind == YamlNode::Kind::kMap &&
                        parent->keys.size() == parent->elements.size();
    if (is_key) {
      if (node.kind != YamlNode::Kind::kScalar) return wrong(line, "found a key that is no text");
      if (parent->find(node.text) != nullptr)
        return wrong(line, fmt::format("key '{}' is given twice", node.text.substr(0, 80)));
      if (parent->keys.size() == kYamlKeysMax)
        return wrong(line, fmt::format("found more than {} keys", kYamlKeysMax));
      parent->keys.push_back(std::move(node.text));
      return {};
    }
    has_root = true;
    YamlNode& place = parent == nullptr ? root : parent->elements.emplace_back();
    place = std::move(node);
    if (place.kind == YamlNode::Kind::kScalar) return {};
    if (open_.size() == kYamlDepthMax)
      return wrong(line, fmt::format("found more than {} levels", kYamlDepthMax));
    open_.push_back(&place);
    return {};
  }

  LineReader& lines_;
  yaml_parser_t parser_;
  std::string rest_;  // unread rest of a line
  std::optional<Error> file_error_;
  std::vector<YamlNode*> open_;  // innermost last; only the last node grows
  std::size_t nodes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  const auto index = static_cast<std::size_t>(found - keys.begin());
  return found == keys.end() || index >= elements.size() ? nullptr : &elements[index];
}

Result<YamlNode> parse_yaml(LineReader& lines) { return YamlReader(lines).read(); }

}  // namespace weft
