// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "service/front/front_service.h"
#include "service/http/server/http_workers.h"
#include "service/sandbox.h"

namespace weft::front {
namespace {

constexpr std::chrono::milliseconds kSetupMax{30'000};

/// Sets the highest OOM score, so that the kernel kills this process first if memory is exhausted.
void set_highest_oom_score() {
  const Descriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kFirst = "1000";
  if (file.get() >= 0) (void)!::write(file.get(), kFirst.data(), kFirst.size());
}

/// The first message of the manager. Fails with kTimeout if no valid message arrives, and with
/// kBadInput if the message is not the setup.
Result<Message> receive_setup(Channel& channel) {
  pollfd ready{channel.fd(), POLLIN, 0};
  (void)::poll(&ready, 1, static_cast<int>(kSetupMax.count()));
  Message message;
  if (channel.receive(message, true) != Channel::Got::kMessage)
    return fail(Code::kTimeout, "no message from the subnet manager");
  if (message.kind != static_cast<std::uint8_t>(Kind::kSetup) || message.descriptors.size() != 1)
    return fail(
        Code::kBadInput,
        "first message of the subnet manager: found kind {} with {} descriptors, expected the "
        "setup with one descriptor",
        message.kind, message.descriptors.size());
  return message;
}

Status serve(Channel& channel, bool restricted) {
  auto message = receive_setup(channel);
  if (!message) return forward(message);
  auto setup = decode_setup(message->bytes);
  if (!setup) return forward(setup);
  std::shared_ptr<const HttpTls> tls;
  if (setup->tls) {
    auto loaded = HttpTls::of(std::move(*setup->tls));
    if (!loaded) return forward(loaded);
    tls = std::move(*loaded);
  }
  FrontService service(channel, *setup);
  const HttpListener listener{message->descriptors.front().release(), 0};
  // Restrict the process before it reads the first byte of a client.
  if (restricted)
    if (auto status = restrict_to_open_descriptors(); !status) return status;
  if (auto started = service.start(listener, std::move(tls)); !started) return started;
  service.run();
  // Skip destructors, because threads may still serve clients.
  ::_exit(0);
}

}  // namespace

int run_http_process(Descriptor socket, bool restricted) {
  (void)::prctl(PR_SET_NAME, "weft-http");
  set_highest_oom_score();
  lower_http_priority();
  Channel channel(std::move(socket));
  Status status = drop_all_capabilities();
  if (status) status = hide_memory();
  if (status) status = serve(channel, restricted);
  if (!status)
    (void)channel.send(static_cast<std::uint8_t>(Kind::kFailed), status.error().message, {},
                       std::chrono::seconds(1));
  return 1;
}

}  // namespace weft::front
