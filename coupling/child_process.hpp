#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "coupling/message.hpp"

namespace trammel::coupling {

/// A copy of this process that answers messages, until the end of this object. Memory of the two is
/// apart: whatever happens in the child, this process goes on.
class ChildProcess final {
 public:
  /// Answers one message in the child; called again and again. It is made by `prepare` there.
  using Answer = std::function<void(Message& request, Message& answer)>;

  /// Pre: this process has one thread.
  ChildProcess(std::string name, const std::function<Answer()>& prepare, double timeLimit);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends the request, waits for the answer in its place. Throws FmuError with what the child
  /// threw, and where it crashed or did not answer within the time limit.
  void exchange(Message& message);
  /// Why it ended; empty: it lives.
  const std::string& obituary() const { return obituary_; }

 private:
  void bury(const char* reason);

  std::string name_;
  double timeLimit_;  // [s]
  pid_t child_ = -1;
  int socket_ = -1;
  std::string obituary_;
};

}  // namespace trammel::coupling
