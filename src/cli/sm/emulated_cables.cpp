// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/emulated_cables.h"

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "emulator/cables.h"

namespace weft::cli {
namespace {

/// Finds a node by its name in `published`; nullopt unless exactly one node has this name.
std::optional<NodeId> find_renamed(const EmulatedFabric& emulated, std::string_view node,
                                   const Snapshot* published) {
  if (published == nullptr) return std::nullopt;
  const auto nodes = published->fabric.nodes();
  const auto named = [&](const Node& one) { return one.description == node; };
  const auto first = std::ranges::find_if(nodes, named);
  if (first == nodes.end() || std::find_if(first + 1, nodes.end(), named) != nodes.end())
    return std::nullopt;
  return emulated.fabric().find_node(first->node_guid);
}

NamedPort end_of(const EmulatedFabric& emulated, PortId id) {
  const Port& port = emulated.fabric().port(id);
  return {emulated.fabric().node(port.node).node_guid, emulated.description(port.node), port.num};
}

NamedCable ends_of(const EmulatedFabric& emulated, PortId id) {
  return {end_of(emulated, id), end_of(emulated, emulated.cable_end(id))};
}

std::string describe(const NamedCable& cable) {
  const auto end = [](const NamedPort& e) {
    return fmt::format("{} (0x{:016x}) port {}", weft::quoted(e.name), e.node.value(),
                       e.port.value());
  };
  return end(cable.a) + " - " + end(cable.b);
}

}  // namespace

Result<CableOutcome> carry_out(const CableOrder& order, EmulatedFabric& emulated,
                               const Snapshot* published) {
  CableOutcome outcome;
  if (order.action != CableOrder::Action::kList) {
    auto node = find_node(emulated, order.node);
    if (!node)
      if (const auto renamed = find_renamed(emulated, order.node, published)) node = *renamed;
    if (!node) return forward(node);
    const auto port = find_cabled_port(emulated, *node, order.port);
    if (!port) return forward(port);
    const bool cuts = order.action == CableOrder::Action::kCut;
    outcome.changed = emulated.is_cut(*port) != cuts;
    outcome.cable = ends_of(emulated, *port);
    if (outcome.changed) {
      log::info("Emulation: link {}: {}", cuts ? "cut" : "restored", describe(*outcome.cable));
      if (cuts) {
        emulated.cut_cable(*port);
      } else {
        emulated.restore_cable(*port);
      }
    }
  }
  for (const PortId port : cut_cables(emulated)) outcome.cut.push_back(ends_of(emulated, port));
  return outcome;
}

Result<CableOutcome> EmulatedCables::submit(const CableOrder& order, const Snapshot* published) {
  std::unique_lock lock(mutex_);
  Request request{order, published, CableOutcome{}};
  if (!ended_) requests_.push_back(&request);
  waiting_ = true;
  done_.wait_for(lock, kRequestTimeout, [&] { return request.done || ended_; });
  if (request.done) return std::move(request.outcome);
  std::erase(requests_, &request);
  return fail(Code::kTimeout, "the subnet manager {}: no link changed",
              ended_ ? "has ended" : "is busy");
}

void EmulatedCables::step() {
  if (!waiting_) return;
  {
    const std::lock_guard lock(mutex_);
    for (Request* request : requests_) {
      request->outcome = carry_out(request->order, emulated_, request->published);
      request->done = true;
    }
    requests_.clear();
    waiting_ = false;
  }
  done_.notify_all();
}

void EmulatedCables::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    requests_.clear();
  }
  done_.notify_all();
}

}  // namespace weft::cli
