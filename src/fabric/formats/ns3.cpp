// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ns3.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "fabric/formats/guid_generator.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/link_of_rate.h"

namespace weft {
namespace {

constexpr std::uint32_t kNs3NodesMax = 65'536;
constexpr std::uint32_t kNs3LinksMax = 4'194'304;
constexpr std::array<std::string_view, 5> kGpuTypes{"A100", "A800", "H100", "H800", "NONE"};

/// The words as numbers; nothing unless all of them are numbers.
std::optional<std::vector<std::uint32_t>> numbers_of(std::span<const std::string_view> words) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view word : words) {
    const auto number = parse_number<std::uint32_t>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::string_view first_line(std::string_view head) { return head.substr(0, head.find('\n')); }

/// Whether the third line seems to be a link, possibly with an invalid rate.
bool has_link_in_third_line(std::string_view head) {
  for (int i = 0; i < 2; ++i) head.remove_prefix(std::min(head.size(), head.find('\n') + 1));
  const auto words = split_words(first_line(head));
  return words.size() == 5 && numbers_of(std::span(words).first(2)).has_value();
}

/// Whether the text is a Time of ns-3, such as "1000ns" or "0.001ms".
bool is_ns3_time(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 6> kUnits{"s", "ms", "us", "ns", "ps", "fs"};
  return parse_plain_decimal(text.substr(0, digits)).has_value() &&
         std::ranges::find(kUnits, text.substr(digits)) != kUnits.end();
}

class Ns3Reader {
 public:
  Ns3Reader(LineReader& lines, FabricBuilder& builder, Warnings& warnings, bool simai)
      : lines_(lines), builder_(builder), warnings_(warnings), is_simai_(simai) {}

  Status read() {
    if (auto status = read_counts(); !status) return status;
    if (auto status = read_switches(); !status) return status;
    for (std::uint32_t i = 0; i < links_; ++i) {
      auto more = next_line();
      if (!more) return forward(more);
      if (!*more) return fail_at(lines_, "the file ends after {} of {} links", i, links_);
      if (auto status = read_link(); !status) return status;
    }
    return build();
  }

 private:
  struct Ns3Link {
    std::uint32_t a, b;
    std::size_t line;
    LinkOfRate rate;
  };

  /// Reads the words of the next line. Returns false at the end of the file.
  Result<bool> next_line() {
    std::string_view line;
    auto more = lines_.next(line);
    if (!more || !*more) return more;
    text_ = std::string(line);
    words_ = split_words(text_);
    return true;
  }

  Status read_counts() {
    auto more = next_line();
    if (!more) return forward(more);
    constexpr std::string_view kNs3Counts = "3 numbers: nodes, switches, links";
    constexpr std::string_view kSimaiCounts =
        "5 numbers and a type: nodes, GPUs of a server, NVSwitches, switches, links, GPU type";
    const std::size_t wanted = is_simai_ ? 5 : 3;
    const auto numbers = numbers_of(std::span(words_).first(std::min(words_.size(), wanted)));
    if (!*more || !numbers || words_.size() != wanted + (is_simai_ ? 1 : 0))
      return fail_at(lines_, "found {}, expected {}", quote_net_text(text_),
                     is_simai_ ? kSimaiCounts : kNs3Counts);
    const auto& n = *numbers;
    nodes_ = n.front();
    links_ = n.back();
    nvswitches_ = is_simai_ ? n[2] : 0;
    const std::uint64_t switches = std::uint64_t{nvswitches_} + n[is_simai_ ? 3 : 1];
    if (is_simai_ && std::ranges::find(kGpuTypes, words_.back()) == kGpuTypes.end())
      return fail_at(lines_, "GPU type: found {}, expected A100, A800, H100, H800 or NONE",
                     quote_net_text(words_.back()));
    if (nodes_ == 0 || nodes_ > kNs3NodesMax)
      return fail_at(lines_, "nodes: found {}, expected 1 to {}", nodes_, kNs3NodesMax);
    if (links_ > kNs3LinksMax)
      return fail_at(lines_, "links: found {}, expected at most {}", links_, kNs3LinksMax);
    if (switches > nodes_)
      return fail_at(lines_, "switches: found {}, expected at most the {} nodes", switches, nodes_);
    switches_ = static_cast<std::uint32_t>(switches);
    gpus_per_server_ = is_simai_ ? n[1] : 0;
    if (is_simai_ && (gpus_per_server_ == 0 || (nodes_ - switches_) % gpus_per_server_ != 0))
      return fail_at(lines_, "GPUs of a server: found {}, expected a divisor of the {} GPUs",
                     gpus_per_server_, nodes_ - switches_);
    return {};
  }

  /// Reads the line of switches, which is empty if there are no switches.
  Status read_switches() {
    auto more = next_line();
    if (!more) return forward(more);
    const auto numbers = numbers_of(words_);
    if (!*more || !numbers || numbers->size() != switches_)
      return fail_at(lines_, "found {}, expected the numbers of {} switches",
                     numbers ? fmt::format("{} numbers", numbers->size()) : quote_net_text(text_),
                     switches_);
    kind_.assign(nodes_, Kind::kHost);
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const std::uint32_t id = (*numbers)[i];
      if (id >= nodes_) return fail_at(lines_, "switch {}: expected a number below {}", id, nodes_);
      if (kind_[id] != Kind::kHost) return fail_at(lines_, "switch {} is listed twice", id);
      kind_[id] = i < nvswitches_ ? Kind::kNvSwitch : Kind::kSwitch;
    }
    if (is_simai_ && std::ranges::any_of(std::span(kind_).first(nodes_ - switches_),
                                         [](Kind kind) { return kind != Kind::kHost; }))
      return fail_at(lines_, "found a switch with a number below {}, expected GPUs there",
                     nodes_ - switches_);
    return {};
  }

  Status read_link() {
    if (words_.size() != 5)
      return fail_at(lines_, "found {}, expected a link: A B RATE DELAY ERROR_RATE",
                     quote_net_text(text_));
    const auto ends = numbers_of(std::span(words_).first(2));
    if (!ends || (*ends)[0] >= nodes_ || (*ends)[1] >= nodes_)
      return fail_at(lines_, "link {} {}: expected two numbers of nodes below {}", words_[0],
                     words_[1], nodes_);
    const auto [a, b] = std::pair((*ends)[0], (*ends)[1]);
    if (a == b) return fail_at(lines_, "link {} {}: joins a node to itself", a, b);
    const auto gbps = parse_gbps(words_[2]);
    if (!gbps)
      return fail_at(lines_, "link {} {}: rate: found {}, expected one such as 100Gbps", a, b,
                     quote_net_text(words_[2]));
    if (!is_ns3_time(words_[3]))
      return fail_at(lines_, "link {} {}: delay: found {}, expected one such as 1000ns", a, b,
                     quote_net_text(words_[3]));
    const auto errors = parse_plain_decimal(words_[4]);
    if (!errors || *errors > 1)
      return fail_at(lines_, "link {} {}: error rate: found {}, expected 0 to 1", a, b,
                     quote_net_text(words_[4]));
    if (kind_[a] == Kind::kNvSwitch || kind_[b] == Kind::kNvSwitch) {
      ++left_out_;
      return {};
    }
    const LinkOfRate rate = link_of_rate(*gbps);
    if (!rate.exact && inexact_++ == 0)
      warnings_.add(lines_, "no InfiniBand link has the rate {}: read as {}{}", words_[2],
                    name(rate.width), name(rate.speed));
    kept_.push_back({a, b, lines_.line_number(), rate});
    return {};
  }

  Status fail_of(const Ns3Link& link, std::string_view what) const {
    return fail(Code::kBadInput, "{}:{}: {}", lines_.path(), link.line, what);
  }

  std::string name_of(std::uint32_t id) const {
    if (kind_[id] == Kind::kSwitch) return fmt::format("sw-{}", id);
    if (!is_simai_ || gpus_per_server_ == 1) return fmt::format("host-{}", id);
    return fmt::format("host-{} mlx5_{}", id / gpus_per_server_, id % gpus_per_server_);
  }

  Status build() {
    std::vector<std::uint32_t> degree(nodes_, 0);
    for (const Ns3Link& link : kept_)
      for (const std::uint32_t end : {link.a, link.b})
        if (++degree[end] > kPortMax)
          return fail_of(link, fmt::format("node {} has more than {} links", end, kPortMax));
    GuidGenerator guids;
    std::vector<FabricBuilder::NodeIndex> index(nodes_);
    for (std::uint32_t id = 0; id < nodes_; ++id) {
      if (kind_[id] == Kind::kNvSwitch) continue;
      Node node;
      node.type = kind_[id] == Kind::kSwitch ? NodeType::kSwitch : NodeType::kCa;
      node.port_count = static_cast<std::uint8_t>(std::max(1u, degree[id]));
      node.node_guid = node.system_guid = guids.next(node.type, node.port_count);
      node.description = name_of(id);
      index[id] = builder_.add_node(std::move(node));
    }
    std::vector<std::uint8_t> used(nodes_, 0);
    for (const Ns3Link& link : kept_) {
      const PortNum a_port(++used[link.a]), b_port(++used[link.b]);
      FabricBuilder::PortSpec spec;
      spec.width = link.rate.width;
      spec.speed = link.rate.speed;
      for (const auto& [end, port] : {std::pair(link.a, a_port), std::pair(link.b, b_port)})
        if (auto status = builder_.describe_port(index[end], port, spec); !status)
          return fail_of(link, status.error().message);
      if (auto status = builder_.connect(index[link.a], a_port, index[link.b], b_port); !status)
        return fail_of(link, status.error().message);
    }
    if (left_out_ > 0)
      warnings_.add(
          fmt::format("{}: {} NVSwitches and their {} links are left out: they are no "
                      "part of the network",
                      lines_.path(), nvswitches_, left_out_));
    return {};
  }

  enum class Kind : std::uint8_t { kHost, kSwitch, kNvSwitch };

  LineReader& lines_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  const bool is_simai_;
  std::string text_;  // the line that words_ refer to
  std::vector<std::string_view> words_;
  std::uint32_t nodes_ = 0, switches_ = 0, nvswitches_ = 0, links_ = 0, gpus_per_server_ = 0;
  std::vector<Kind> kind_;
  std::vector<Ns3Link> kept_;
  std::uint64_t left_out_ = 0, inexact_ = 0;
};

}  // namespace

bool looks_like_ns3(std::string_view head) {
  const auto words = split_words(first_line(head));
  return words.size() == 3 && numbers_of(words) && has_link_in_third_line(head);
}

bool looks_like_simai(std::string_view head) {
  const auto words = split_words(first_line(head));
  return words.size() == 6 && numbers_of(std::span(words).first(5)) && has_link_in_third_line(head);
}

Status read_ns3(LineReader& lines, const ReadOptions&, FabricBuilder& builder, Warnings& warnings) {
  return Ns3Reader(lines, builder, warnings, false).read();
}

Status read_simai(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                  Warnings& warnings) {
  return Ns3Reader(lines, builder, warnings, true).read();
}

}  // namespace weft
