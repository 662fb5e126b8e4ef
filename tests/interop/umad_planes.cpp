// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library to preload: presents one CA of an emulated fabric, with a port in each plane, as umad
// ports, so that a manager runs with libibumad on a CA with several ports. It behaves as ib_umad
// does on such a CA:
// * a directed-route SMP leaves by a port only if its first hop is the number of the port;
// * MADs arrive at the port by which the packet arrived; a GMP leaves by the port to which it is
//   written, and is lost if its destination is in another plane;
// * the state of a port in sysfs is that of its link.
// The virtual clock of the fabric is not slower than real time. Environment:
//   UMAD_PLANES          the fabric, such as "fattree2:k=4,planes=2"; its first CA has the ports
//   UMAD_PLANES_PLAIN    if set: no device states its planes (HierarchyInfo)
//   UMAD_PLANES_SPLIT    if set: mlx5_0 has one port only for GMPs, smi1 has the ports for SMPs
//   UMAD_PLANES_CONTROL  path of a socket. Each connection sends one line and receives a line:
//     cut PORT, restore PORT   the cable at this port of the CA: "done"
//     query HOST PORT          a host queries ClassPortInfo from the SA by this port: "answer", the
//                              status, the sender's LID, the LID of the query, or "silence"
//     misdirected              the number of refused SMPs: their first hop was another port
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "fabric/planes.h"
#include "ib/sa.h"

namespace {

using namespace weft;

constexpr TimeNs kSendTime = std::chrono::microseconds(50);  // by which a send advances the clock
constexpr auto kClockStep = std::chrono::milliseconds(2);

/// A umad port, and the port of the emulated fabric that it stands for.
struct FakePort {
  std::string device;
  int number = 1;
  EndportId endport{};
  bool smps = true, gmps = true;
  SmpTransport* wire = nullptr;
  std::map<int, MgmtClass> classes{};        // of the registered agents
  std::map<int, GmpTransport*> gmp_wires{};  // by agent
};

class World {
 public:
  static World& only() {
    static auto* const world = new World;  // never destroyed: its threads run until the end
    return *world;
  }

  int names(char found[][UMAD_CA_NAME_LEN], int max) {
    const std::vector<std::string> all = is_split_
                                             ? std::vector<std::string>{"eth0", "mlx5_0", "smi1"}
                                             : std::vector<std::string>{"eth0", "mlx5_0"};
    const int count = std::min(max, static_cast<int>(all.size()));
    for (int i = 0; i < count; ++i)
      std::snprintf(found[i], UMAD_CA_NAME_LEN, "%s", all[static_cast<std::size_t>(i)].c_str());
    return count;
  }

  void fill(std::string_view device, umad_ca_t& ca) {
    const std::lock_guard lock(mutex_);
    ca = {};
    std::snprintf(ca.ca_name, sizeof ca.ca_name, "%s", std::string(device).c_str());
    ca.node_guid = htobe64(fabric_.node(node()).node_guid.value());
    if (device == "eth0") {
      ca.node_guid = htobe64(1);
      ca.ports[1] = make_port(device, 1, "Ethernet");
    }
    for (const FakePort& port : ports_)
      if (port.device == device) {
        const PortInfo& info = info_of(port);
        umad_port_t& at = *(ca.ports[port.number] = make_port(device, port.number, "InfiniBand"));
        const PortId of = fabric_.endport(is_split_ ? ports_[0].endport : port.endport).port;
        at.port_guid = htobe64(fabric_.port(of).guid.value());
        at.base_lid = info.lid.value();
        at.state = static_cast<unsigned>(info.state);
        at.capmask = htobe32(info.capability_mask | (port.smps ? 0 : cap_mask::kSmDisabled));
      }
  }

  int open(std::string_view device, int number) {
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::find_if(ports_, [&](const FakePort& port) {
      return port.device == device && port.number == number;
    });
    if (at == ports_.end()) return -EINVAL;
    if (at->smps) at->wire = &emulated_.attach(at->endport);
    return static_cast<int>(at - ports_.begin());
  }

  void close(int id) {
    const std::lock_guard lock(mutex_);
    FakePort& port = ports_[static_cast<std::size_t>(id)];
    if (port.wire != nullptr) emulated_.detach(port.endport);
    port.wire = nullptr;
  }

  int add_agent(int id, MgmtClass mgmt_class) {
    const std::lock_guard lock(mutex_);
    FakePort& port = ports_[static_cast<std::size_t>(id)];
    const bool is_smp =
        mgmt_class == MgmtClass::kSmpDirected || mgmt_class == MgmtClass::kSmpLidRouted;
    if (is_smp ? !port.smps : !port.gmps) {
      errno = EPROTONOSUPPORT;
      return -EPROTONOSUPPORT;
    }
    const int agent = next_agent_++;
    port.classes[agent] = mgmt_class;
    if (!is_smp)
      port.gmp_wires[agent] = &emulated_.attach_gmps(port.endport, mgmt_class, is_split_);
    return agent;
  }

  void remove_agent(int id, int agent) {
    const std::lock_guard lock(mutex_);
    FakePort& port = ports_[static_cast<std::size_t>(id)];
    if (port.gmp_wires.erase(agent) > 0)
      emulated_.detach_gmps(port.endport, port.classes.at(agent));
    port.classes.erase(agent);
  }

  int send(int id, int agent, void* umad) {
    const std::lock_guard lock(mutex_);
    FakePort& port = ports_[static_cast<std::size_t>(id)];
    const std::span<const std::byte, kMadSize> mad(static_cast<std::byte*>(umad_get_mad(umad)),
                                                   kMadSize);
    const ib_mad_addr_t& to = *umad_get_mad_addr(umad);
    if (const auto at = port.gmp_wires.find(agent); at != port.gmp_wires.end()) {
      auto gmp = decode_gmp(mad);
      if (!gmp) return refused(EINVAL);
      gmp->peer.lid = Lid(be16toh(to.lid));
      gmp->peer.sl = Sl(to.sl);
      gmp->peer.path_bits = to.path_bits;
      if (is_split_) gmp->peer.port = port_towards(gmp->peer.lid);
      if (!at->second->send(*gmp)) return refused(EINVAL);
    } else {
      auto smp = decode_smp(mad);
      if (!smp || port.wire == nullptr) return refused(EINVAL);
      smp->dlid = Lid(be16toh(to.lid));
      if (const int exit = departure_port(*smp); exit != 0 && exit != port.number) {
        ++misdirected_;
        return refused(EINVAL);
      }
      if (!port.wire->send(*smp)) return refused(EINVAL);
    }
    emulated_.run_for(kSendTime);
    arrived_.notify_all();
    return 0;
  }

  int receive(int id, void* umad, int* length, int timeout_ms) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (true) {
      FakePort& port = ports_[static_cast<std::size_t>(id)];
      if (const int agent = take(port, umad); agent >= 0) {
        *length = static_cast<int>(kMadSize);
        return agent;
      }
      if (arrived_.wait_until(lock, end) == std::cv_status::timeout) return -EWOULDBLOCK;
    }
  }

  /// The content of the file `state` of a port in sysfs; empty for another path.
  std::string state_text(std::string_view path) {
    const std::lock_guard lock(mutex_);
    for (const FakePort& port : ports_)
      if (path == "/sys/class/infiniband/" + port.device + "/ports/" + std::to_string(port.number) +
                      "/state")
        return std::to_string(static_cast<unsigned>(info_of(port).state)) + ": STATE\n";
    return {};
  }

  std::string execute(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    unsigned first = 0, second = 0;
    words >> what >> first >> second;
    if (what == "query") return query(first, second);
    const std::lock_guard lock(mutex_);
    if (what == "misdirected") return std::to_string(misdirected_);
    const PortId port = fabric_.port_id(node(), PortNum(static_cast<std::uint8_t>(first)));
    if (what == "cut") emulated_.cut_cable(port);
    if (what == "restore") emulated_.restore_cable(port);
    return "done";
  }

 private:
  static Fabric fabric_from_environment() {
    const char* spec = std::getenv("UMAD_PLANES");
    auto fabric = generate(spec != nullptr ? spec : "");
    if (!fabric) {
      std::fprintf(stderr, "UMAD_PLANES: %s\n", fabric.error().message.c_str());
      std::abort();
    }
    return std::move(*fabric);
  }

  static EmulatorOptions options() {
    EmulatorOptions options;
    if (std::getenv("UMAD_PLANES_PLAIN") == nullptr) options.planar = PlanarSupport::kAll;
    return options;
  }

  World()
      : fabric_(fabric_from_environment()),
        emulated_(fabric_, options()),
        is_split_(std::getenv("UMAD_PLANES_SPLIT") != nullptr) {
    for (const Port& port : fabric_.ports(node()).subspan(1))
      ports_.push_back({is_split_ ? "smi1" : "mlx5_0", port.num.value(),
                        fabric_.endport_at(fabric_.port_id(node(), port.num)), true, !is_split_});
    if (is_split_) ports_.push_back({"mlx5_0", 1, ports_[0].endport, false, true});
    std::thread([this] { follow_real_time(); }).detach();
    if (const char* path = std::getenv("UMAD_PLANES_CONTROL"); path != nullptr)
      std::thread([this, at = listen_at(path)] { serve(at); }).detach();
  }

  /// The CA with the umad ports.
  NodeId node() const { return NodeId(fabric_.switch_count()); }
  const PortInfo& info_of(const FakePort& port) const {
    return emulated_.port_info(fabric_.endport(port.endport).port);
  }
  static umad_port_t* make_port(std::string_view device, int number, const char* layer) {
    auto* port = new umad_port_t{};
    std::snprintf(port->ca_name, sizeof port->ca_name, "%s", std::string(device).c_str());
    std::snprintf(port->link_layer, sizeof port->link_layer, "%s", layer);
    port->portnum = number;
    return port;
  }
  /// The number of the port of the CA in the plane of a LID, by which the device for GMPs sends.
  std::uint8_t port_towards(Lid lid) const {
    const std::vector<std::uint32_t> part = connected_parts(fabric_);
    const std::vector<LidRange> lids = emulated_.lids();
    for (std::uint32_t e = 0; e < lids.size(); ++e) {
      if (lids[e].base != lid) continue;
      for (const FakePort& port : ports_)
        if (port.smps && part[fabric_.endport(port.endport).sw.value()] ==
                             part[fabric_.endport(EndportId(e)).sw.value()])
          return static_cast<std::uint8_t>(port.number);
    }
    return 0;
  }
  static int refused(int error) {
    errno = error;
    return -error;
  }

  /// Moves a received MAD into `umad`. Returns its agent, or -1 if there is none.
  static int take(FakePort& port, void* umad) {
    const auto put = [&](const std::array<std::byte, kMadSize>& mad, Lid from) {
      std::memset(umad, 0, umad_size());
      std::memcpy(umad_get_mad(umad), mad.data(), mad.size());
      umad_set_addr(umad, from.value(), 1, 0, 0);
    };
    if (port.wire != nullptr)
      if (const auto smp = port.wire->receive()) {
        put(encode(*smp), smp->slid);
        for (const auto& [agent, mgmt_class] : port.classes)
          if (mgmt_class == smp->mgmt_class) return agent;
      }
    for (const auto& [agent, wire] : port.gmp_wires)
      if (const auto gmp = wire->receive()) {
        put(encode(*gmp), gmp->peer.lid);
        umad_get_mad_addr(umad)->path_bits = gmp->peer.path_bits;
        return agent;
      }
    return -1;
  }

  /// Advances the virtual clock to real time in steps of kClockStep.
  void follow_real_time() {
    const RealClock real;
    const TimeNs start = real.now();
    while (true) {
      std::this_thread::sleep_for(kClockStep);
      const std::lock_guard lock(mutex_);
      if (const TimeNs now = real.now() - start; now > emulated_.clock().now())
        emulated_.run_until(now);
      arrived_.notify_all();
    }
  }

  std::string query(unsigned host, unsigned number) {
    const NodeId from(fabric_.switch_count() + host);
    const PortId port = fabric_.port_id(from, PortNum(static_cast<std::uint8_t>(number)));
    Gmp request;
    request.class_version = kSaClassVersion;
    request.attribute = static_cast<std::uint16_t>(AttributeId::kClassPortInfo);
    request.transaction_id = 1;
    GmpTransport* wire = nullptr;
    {
      const std::lock_guard lock(mutex_);
      request.peer.lid = emulated_.port_info(port).master_sm_lid;
      wire = &emulated_.attach_gmps(fabric_.endport_at(port), MgmtClass::kSubnAdm);
      (void)wire->send(request);
    }
    std::string answer = "silence";
    for (unsigned tries = 0; tries < 500 && answer == "silence"; ++tries) {
      std::this_thread::sleep_for(kClockStep);
      const std::lock_guard lock(mutex_);
      if (const auto gmp = wire->receive())
        answer = "answer " + std::to_string(gmp->status) + " " +
                 std::to_string(gmp->peer.lid.value()) + " " +
                 std::to_string(request.peer.lid.value());
    }
    const std::lock_guard lock(mutex_);
    emulated_.detach_gmps(fabric_.endport_at(port), MgmtClass::kSubnAdm);
    return answer;
  }

  static int listen_at(const char* path) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket, 4) != 0) {
      std::perror("UMAD_PLANES_CONTROL");
      std::abort();
    }
    return socket;
  }

  void serve(int socket) {
    while (true) {
      const int client = ::accept(socket, nullptr, nullptr);
      if (client < 0) return;
      std::array<char, 128> line{};
      if (::recv(client, line.data(), line.size() - 1, 0) > 0) {
        const std::string answer = execute(line.data());
        ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      ::close(client);
    }
  }

  const Fabric fabric_;
  EmulatedFabric emulated_;
  const bool is_split_;
  std::vector<FakePort> ports_;
  int next_agent_ = 0;
  unsigned misdirected_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// A descriptor of the file `state` of a port; -1 for another path.
int open_state(const char* path) {
  if (!std::string_view(path).starts_with("/sys/class/infiniband/")) return -1;
  const std::string text = World::only().state_text(path);
  if (text.empty()) return -1;
  const int file = memfd_create("state", MFD_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) < 0) return -1;
  ::lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  static const auto open_on = next<int (*)(const char*, int, ...)>("open");
  if (const int file = open_state(path); file >= 0) return file;
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_on(path, flags, mode);
}

int umad_init(void) {
  World::only();
  return 0;
}

int umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int max) {
  return World::only().names(names, max);
}

int umad_get_ca(const char* device, umad_ca_t* ca) {
  World::only().fill(device, *ca);
  return 0;
}

int umad_release_ca(umad_ca_t* ca) {
  for (umad_port_t* port : ca->ports) delete port;
  return 0;
}

int umad_get_issm_path(const char*, int, char path[], int max) {
  std::snprintf(path, static_cast<std::size_t>(max), "/dev/null");  // open() sets IsSM already
  return 0;
}

int umad_open_port(const char* device, int number) { return World::only().open(device, number); }

int umad_close_port(int port) {
  World::only().close(port);
  return 0;
}

int umad_register(int port, int mgmt_class, int, uint8_t, long*) {
  return World::only().add_agent(port, static_cast<MgmtClass>(mgmt_class));
}

int umad_unregister(int port, int agent) {
  World::only().remove_agent(port, agent);
  return 0;
}

int umad_send(int port, int agent, void* umad, int, int, int) {
  return World::only().send(port, agent, umad);
}

int umad_recv(int port, void* umad, int* length, int timeout_ms) {
  return World::only().receive(port, umad, length, timeout_ms);
}

}  // extern "C"
#pragma GCC visibility pop
