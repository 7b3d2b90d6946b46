#include "coupling/child_process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

namespace trammel::coupling {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

constexpr std::uint64_t longestMessage = std::uint64_t{64} << 20;  // [byte]

enum class Transfer { done, ended, late };

/// Whether something can be read before the deadline.
Transfer waitFor(int socket, const Deadline& deadline) {
  while (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    if (left.count() <= 0) return Transfer::late;
    pollfd wanted{socket, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::min<long>(left.count(), 1'000'000)));
    if (ready > 0) return Transfer::done;
    if (ready < 0 && errno != EINTR) return Transfer::ended;
  }
  return Transfer::done;
}

Transfer receiveBytes(int socket, char* data, std::size_t size, const Deadline& deadline) {
  while (size > 0) {
    if (const Transfer wait = waitFor(socket, deadline); wait != Transfer::done) return wait;
    const ssize_t count = recv(socket, data, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Transfer::ended;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return Transfer::done;
}

bool sendBytes(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = send(socket, data, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool sendMessage(int socket, Message& message) {
  const std::uint64_t size = message.bytes().size();
  std::array<char, sizeof size> header{};
  std::memcpy(header.data(), &size, sizeof size);
  return sendBytes(socket, header.data(), header.size()) &&
         sendBytes(socket, message.bytes().data(), message.bytes().size());
}

Transfer receiveMessage(int socket, Message& message, const Deadline& deadline) {
  std::uint64_t size = 0;
  std::array<char, sizeof size> header{};
  message.clear();
  const Transfer first = receiveBytes(socket, header.data(), header.size(), deadline);
  if (first != Transfer::done) return first;
  std::memcpy(&size, header.data(), sizeof size);
  if (size > longestMessage) return Transfer::ended;
  message.bytes().resize(size);
  return receiveBytes(socket, message.bytes().data(), size, deadline);
}

/// The life of the child: an answer is `true` and values, or `false` and the text of an error.
void serve(int socket, const std::function<ChildProcess::Answer()>& prepare) {
  ChildProcess::Answer answer;
  Message request, reply;
  const auto carryOut = [&](const std::function<void()>& call) {
    reply.clear();
    reply.put(true);
    try {
      call();
    } catch (const std::exception& error) {
      reply.clear();
      reply.put(false);
      reply.putText(error.what());
    }
    return sendMessage(socket, reply);
  };
  if (!carryOut([&] { answer = prepare(); })) return;
  while (answer && receiveMessage(socket, request, {}) == Transfer::done) {
    if (!carryOut([&] { answer(request, reply); })) return;
  }
}

}  // namespace

ChildProcess::ChildProcess(std::string name, const std::function<Answer()>& prepare,
                           double timeLimit)
    : name_(std::move(name)), timeLimit_(timeLimit) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw FmuError(name_ + ": cannot make a socket for its process: " + std::strerror(errno));
  }
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // what an FMU prints is not part of the results
    serve(ends[1], prepare);
    _exit(0);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (child_ < 0) {
    close(socket_);
    throw FmuError(name_ + ": cannot start its process: " + std::strerror(errno));
  }
}

ChildProcess::~ChildProcess() {
  if (child_ >= 0) bury("");
}

/// Ends the child and keeps the reason. A child that ended by itself tells its own.
void ChildProcess::bury(const char* reason) {
  close(socket_);
  int status = 0;
  // Closing the socket ends a child that listens; one that does not is ended after a second.
  bool isOver = false;
  for (int i = 0; i < 100 && !isOver && *reason == '\0'; ++i) {
    isOver = waitpid(child_, &status, WNOHANG) == child_;
    if (!isOver) usleep(10'000);
  }
  if (!isOver) {
    kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
  }
  child_ = -1;
  std::ostringstream text;
  if (*reason != '\0') {
    text << reason;
  } else if (WIFSIGNALED(status)) {
    text << "its process crashed with signal " << WTERMSIG(status) << " ("
         << strsignal(WTERMSIG(status)) << ')';
  } else {
    text << "its process ended with exit code " << WEXITSTATUS(status);
  }
  obituary_ = text.str();
}

void ChildProcess::exchange(Message& message) {
  if (child_ < 0) throw FmuError(name_ + ": " + obituary_);
  const bool isFirst = message.bytes().empty();  // the answer to prepare(): nothing is sent
  const auto limit = std::chrono::duration<double>(timeLimit_);
  const Deadline deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  Transfer transfer = Transfer::ended;
  if (isFirst || sendMessage(socket_, message)) {
    transfer = receiveMessage(socket_, message, deadline);
  }
  if (transfer != Transfer::done) {
    std::ostringstream late;
    late << "its process did not answer within " << timeLimit_ << " s and was ended";
    bury(transfer == Transfer::late ? late.str().c_str() : "");
    throw FmuError(name_ + ": " + obituary_);
  }
  if (!message.get<bool>()) throw FmuError(message.getText());
}

}  // namespace trammel::coupling
