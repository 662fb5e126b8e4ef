// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "second_simulator/ns3_run.h"

#include <ns3/drop-tail-queue.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "jobs/paths.h"

namespace weft::jobs {
namespace {

constexpr std::uint16_t kIpv4 = 0x0800;  // a protocol that the point-to-point device supports

/// The header of each packet. It has the size of LRH, BTH and both checksums.
class TransportHeader : public ns3::Header {
 public:
  std::uint32_t message = 0;
  std::uint32_t to = 0;  // destination: a host of the network

  static ns3::TypeId GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("weft::TransportHeader")
                                      .SetParent<ns3::Header>()
                                      .AddConstructor<TransportHeader>();
    return id;
  }
  ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  std::uint32_t GetSerializedSize() const override { return kPacketOverhead - 2; }
  void Serialize(ns3::Buffer::Iterator at) const override {
    at.WriteU32(message);
    at.WriteU32(to);
    at.WriteU8(0, GetSerializedSize() - 8);
  }
  std::uint32_t Deserialize(ns3::Buffer::Iterator at) override {
    message = at.ReadU32();
    to = at.ReadU32();
    return GetSerializedSize();
  }
  void Print(std::ostream& out) const override { out << message << " to " << to; }
};

struct TopologyLink {
  std::uint32_t a = 0, b = 0;
  std::string rate, delay;
};
struct Topology {
  std::uint32_t nodes = 0;
  std::vector<TopologyLink> links;
};

Result<Topology> read_topology(const std::string& text) {
  std::istringstream in(text);
  Topology topology;
  std::uint32_t switches = 0, links = 0, id = 0;
  in >> topology.nodes >> switches >> links;
  for (std::uint32_t i = 0; i < switches; ++i) in >> id;
  if (!in) return fail(Code::kBadInput, "the topology does not begin with its nodes and switches");
  for (std::uint32_t i = 0; i < links; ++i) {
    TopologyLink link;
    std::string error_rate;
    in >> link.a >> link.b >> link.rate >> link.delay >> error_rate;
    if (!in || std::max(link.a, link.b) >= topology.nodes)
      return fail(Code::kBadInput, "link {} of the topology is not valid", i);
    topology.links.push_back(link);
  }
  return topology;
}

/// The numbers of nodes in the exported topology, by node of the network.
std::vector<std::uint32_t> exported_nodes(const RoutedFabric& input, const RoutedNetwork& network) {
  std::map<Guid, std::uint32_t> by_guid;
  for (std::uint32_t h = 0; h < input.hosts.size(); ++h)
    for (const NodeId adapter : input.hosts[h].adapters)
      by_guid[input.fabric.node(adapter).node_guid] = h;
  const auto hosts = static_cast<std::uint32_t>(input.hosts.size());
  for (std::uint32_t s = 0; s < input.fabric.switch_count(); ++s)
    by_guid[input.fabric.node(NodeId(s)).node_guid] = hosts + s;
  std::vector<std::uint32_t> exported;
  for (std::uint32_t n = 0; n < network.node_count(); ++n)
    exported.push_back(by_guid.at(network.node(n).guid));
  return exported;
}

struct Message {
  std::uint32_t from = 0, to = 0;         // hosts of the network
  std::uint64_t to_send = 0, to_get = 0;  // bytes
  ns3::Time return_time;                  // delay of an acknowledgement
};

struct OutputPort {
  ns3::Ptr<ns3::PointToPointNetDevice> device;
  ns3::Time delay;  // delay of the link
};

class PacketNetwork {
 public:
  PacketNetwork(const RoutedNetwork& network, std::vector<std::uint32_t> exported,
                const Schedule& schedule)
      : network_(network), exported_(std::move(exported)), schedule_(schedule) {}

  Status build(const Topology& topology) {
    nodes_.resize(topology.nodes);
    for (auto& node : nodes_) node = ns3::CreateObject<ns3::Node>();
    for (const TopologyLink& link : topology.links) {
      if (ports_.contains({link.a, link.b}))
        return fail(Code::kBadInput, "two links join nodes {} and {}", link.a, link.b);
      const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
      channel->SetAttribute("Delay", ns3::StringValue(link.delay));
      add_port(link.a, link.b, link, channel);
      add_port(link.b, link.a, link, channel);
    }
    return {};
  }

  /// Runs all ops and returns the end time of each op in seconds.
  Result<std::vector<double>> run() {
    messages_.resize(schedule_.op_count());
    waits_for_.resize(schedule_.op_count());
    ended_.resize(schedule_.op_count());
    for (const ScheduledJob& job : schedule_.jobs)
      for (OpId id = job.first; id < job.end; ++id) {
        const Op& op = schedule_.ops[id];
        waits_for_[id] = op.predecessors;
        if (op.connection == kDelay) continue;
        const Connection& connection = schedule_.connections[op.connection];
        if (connection.from == connection.to)
          return fail(Code::kBadInput, "message {} has the same host as source and destination",
                      id);
        const auto bytes = static_cast<std::uint64_t>(op.amount);
        messages_[id] = {connection.from, connection.to, bytes, bytes, return_time(connection)};
      }
    for (const ScheduledJob& job : schedule_.jobs)
      for (OpId id = job.first; id < job.end; ++id)
        if (waits_for_[id] == 0) begin(id, job, job.start);
    ns3::Simulator::Run();
    return ended_;
  }

 private:
  void add_port(std::uint32_t at, std::uint32_t peer, const TopologyLink& link,
                const ns3::Ptr<ns3::PointToPointChannel>& channel) {
    const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
    device->SetAttribute("DataRate", ns3::StringValue(link.rate));
    device->SetAddress(ns3::Mac48Address::Allocate());
    const auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
    queue->SetAttribute("MaxSize", ns3::StringValue("4294967295p"));
    device->SetQueue(queue);
    nodes_[at]->AddDevice(device);
    device->Attach(channel);
    device->SetReceiveCallback([this, at](ns3::Ptr<ns3::NetDevice>,
                                          ns3::Ptr<const ns3::Packet> packet, std::uint16_t,
                                          const ns3::Address&) {
      arrive(at, packet);
      return true;
    });
    ports_[{at, peer}] = {device, ns3::Time(link.delay)};
  }

  const OutputPort& port_of(const NetChannel& channel) const {
    return ports_.at({exported_[channel.from], exported_[channel.to]});
  }

  /// The sum of the delays of all links of the path.
  ns3::Time return_time(const Connection& connection) const {
    std::vector<std::uint32_t> path;
    network_.walk(connection.from, connection.to, 0, path);
    ns3::Time time;
    for (const std::uint32_t channel : path) time += port_of(network_.channel(channel)).delay;
    return time;
  }

  void begin(OpId id, const ScheduledJob& job, Picoseconds wait) {
    const Op& op = schedule_.ops[id];
    wait += op.connection == kDelay ? static_cast<Picoseconds>(op.amount) : job.start_up;
    ns3::Simulator::Schedule(ns3::PicoSeconds(wait), [this, id, &job] {
      if (schedule_.ops[id].connection == kDelay || messages_[id].to_get == 0) return end(id, job);
      for (std::uint32_t i = 0; i < kPacketWindow; ++i) send_next(id);
    });
  }

  void end(OpId id, const ScheduledJob& job) {
    ended_[id] = ns3::Simulator::Now().GetSeconds();
    for (const OpId next : schedule_.successors_of(id))
      if (--waits_for_[next] == 0) begin(next, job, 0);
  }

  void send_next(OpId id) {
    Message& message = messages_[id];
    const auto bytes = std::min<std::uint64_t>(message.to_send, kPacketPayload);
    if (bytes == 0) return;
    message.to_send -= bytes;
    TransportHeader header;
    header.message = id;
    header.to = message.to;
    const auto packet = ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(bytes));
    packet->AddHeader(header);
    forward(network_.node_of_host(message.from), header, packet);
  }

  void forward(std::uint32_t node, const TransportHeader& header,
               const ns3::Ptr<ns3::Packet>& packet) {
    const auto& device = port_of(network_.channel(network_.next(node, header.to))).device;
    device->Send(packet, device->GetBroadcast(), kIpv4);
  }

  void arrive(std::uint32_t at, const ns3::Ptr<const ns3::Packet>& packet) {
    TransportHeader header;
    packet->PeekHeader(header);
    const std::uint32_t node = node_of(at);
    if (network_.host_of_node(node) != header.to) return forward(node, header, packet->Copy());
    Message& message = messages_[header.message];
    message.to_get -= packet->GetSize() - header.GetSerializedSize();
    ns3::Simulator::Schedule(message.return_time, [this, id = header.message] { send_next(id); });
    if (message.to_get == 0) end(header.message, job_of(header.message));
  }

  /// The node of the network with this number in the topology.
  std::uint32_t node_of(std::uint32_t exported) {
    if (node_of_.empty()) {
      node_of_.resize(nodes_.size());
      for (std::uint32_t n = 0; n < exported_.size(); ++n) node_of_[exported_[n]] = n;
    }
    return node_of_[exported];
  }

  const ScheduledJob& job_of(OpId id) const {
    return *std::ranges::find_if(schedule_.jobs,
                                 [&](const ScheduledJob& job) { return id < job.end; });
  }

  const RoutedNetwork& network_;
  std::vector<std::uint32_t> exported_;  // by node of the network
  std::vector<std::uint32_t> node_of_;   // nodes of the network, by number in the topology
  const Schedule& schedule_;
  std::vector<ns3::Ptr<ns3::Node>> nodes_;  // by number in the topology
  std::map<std::pair<std::uint32_t, std::uint32_t>, OutputPort> ports_;  // by node and peer
  std::vector<Message> messages_;                                        // by op
  std::vector<std::uint32_t> waits_for_;
  std::vector<double> ended_;
};

}  // namespace

Result<std::vector<double>> run_in_ns3(const std::string& topology, const RoutedFabric& fabric,
                                       const RoutedNetwork& network, const Schedule& schedule) {
  if (ns3::Time::GetResolution() != ns3::Time::PS) ns3::Time::SetResolution(ns3::Time::PS);
  const auto read = read_topology(topology);
  if (!read) return forward(read);
  PacketNetwork packets(network, exported_nodes(fabric, network), schedule);
  if (const Status built = packets.build(*read); !built) return forward(built);
  const auto ended = packets.run();
  ns3::Simulator::Destroy();
  if (!ended) return forward(ended);
  std::vector<double> ends;
  for (const ScheduledJob& job : schedule.jobs)
    ends.push_back(*std::max_element(ended->begin() + job.first, ended->begin() + job.end));
  return ends;
}

}  // namespace weft::jobs
