#include "packaging/check/check_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "packaging/check/probe_plan.hpp"
#include "solver/error.hpp"

namespace trammel::fmi::check {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Both ends of a pipe, closed at the end.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("no pipe can be made for a child process");
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void closeEnd(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{-1, -1};  // reading, writing
};

/// Texts of one line: what the child tells.
std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
  return text;
}

void writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// The child: never returns. Lines "rule<tab>text" and "<tab>next call" go to `answers`, what the
/// FMU prints to `printed`.
[[noreturn]] void probeInChild(const coupling::ProbePlan& plan, int answers, int printed) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive the check
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit noDump{0, 0};
  setrlimit(RLIMIT_CORE, &noDump);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  try {
    coupling::probeFmu(plan, [answers](std::string_view rule, const std::string& text) {
      writeAll(answers, std::string(rule) + "\t" + oneLine(text) + "\n");
    });
    std::fflush(nullptr);  // what the FMU printed
    writeAll(answers, "done\t\n");
  } catch (...) {
    writeAll(answers, "run-crash\tan exception came out of the FMU\n");
  }
  _exit(0);
}

/// A process that is ended with all that it started.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// How it ended, as waitpid says.
  int end() {
    if (id_ <= 0) return 0;
    kill(-id_, SIGKILL);
    kill(id_, SIGKILL);  // it may not have its group yet
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  pid_t id_;
};

class ProbeRun {
 public:
  ProbeRun(const coupling::ProbePlan& plan, const CheckOptions& options, FindingList& findings)
      : plan_(plan), options_(options), findings_(findings) {}

  void run(const std::string& file) {
    file_ = file;
    std::fflush(nullptr);  // or the child would print it a second time
    const pid_t id = fork();
    if (id < 0) throw Error("no child process can be made");
    if (id == 0) probeInChild(plan_, answers_.ends[1], printed_.ends[1]);
    Child child(id);
    answers_.closeEnd(1);
    printed_.closeEnd(1);
    const bool inTime = listen(Clock::now() + options_.timeout);
    conclude(inTime, child.end());
  }

 private:
  static constexpr std::size_t mostText = 1'000'000;  // [byte] kept of what the child says

  /// Reads both pipes until the child closes them; false where the time is over.
  bool listen(Clock::time_point end) {
    std::array<pollfd, 2> polled{{{answers_.ends[0], POLLIN, 0}, {printed_.ends[0], POLLIN, 0}}};
    while (polled[0].fd >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return false;
      options_.whileWaiting();
      const int ready = poll(polled.data(), polled.size(),
                             static_cast<int>(std::min<std::int64_t>(left.count(), 200)));
      if (ready < 0 && errno != EINTR) return false;
      if (ready <= 0) continue;
      if (polled[0].revents != 0 && !take(polled[0].fd, answer_)) polled[0].fd = -1;
      if (polled[1].revents != 0 && !take(polled[1].fd, print_)) polled[1].fd = -1;
      if (readAnswers()) break;
    }
    if (polled[1].fd >= 0 && poll(&polled[1], 1, 0) > 0) take(polled[1].fd, print_);
    return true;
  }

  static bool take(int file, std::string& text) {
    std::array<char, 65536> buffer;
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR;
    if (text.size() < mostText) text.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  /// Names inside the FMU, not in the folder where it happens to be unpacked.
  std::string withoutFolder(std::string text) const {
    const std::string folder = plan_.resources.parent_path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
      text.erase(at, folder.size());
    return text;
  }

  /// Whole lines become findings; true where the last of them says that all is done.
  bool readAnswers() {
    for (std::size_t end = answer_.find('\n'); end != std::string::npos; end = answer_.find('\n')) {
      const std::string line = answer_.substr(0, end);
      answer_.erase(0, end + 1);
      const std::size_t tab = std::min(line.find('\t'), line.size());
      const std::string rule = line.substr(0, tab);
      const std::string text = tab < line.size() ? withoutFolder(line.substr(tab + 1)) : "";
      if (rule == "done") {
        done_ = true;
      } else if (rule.empty()) {
        lastCall_ = text;
      } else if (rule.starts_with("run-") && told_.insert(line).second) {
        findings_.add(rule, {file_, 0}, text);
      }
    }
    return done_;
  }

  void conclude(bool inTime, int status) {
    if (!inTime) {
      findings_.add("run-timeout", {file_, 0}, "no end in the given time, in " + lastCall_);
    } else if (!done_ && WIFSIGNALED(status)) {
      findings_.add("run-crash", {file_, 0},
                    std::string("signal ") + strsignal(WTERMSIG(status)) + " in " + lastCall_);
    } else if (!done_) {
      findings_.add("run-crash", {file_, 0},
                    "the process was left with exit code " +
                        std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + " in " +
                        lastCall_);
    }
    const std::string_view printed = std::string_view(print_).substr(0, print_.find('\n'));
    if (!print_.empty())
      findings_.add("run-output", {file_, 0}, "the FMU printed " + inQuotes(printed));
  }

  const coupling::ProbePlan& plan_;
  const CheckOptions& options_;
  std::string file_;
  FindingList& findings_;
  Pipe answers_, printed_;
  std::string answer_, print_, lastCall_ = "loading";
  std::set<std::string> told_;
  bool done_ = false;
};

std::string binaryFor(const CheckOptions& options, pugi::xml_node interface,
                      const std::set<std::string>& files) {
  for (const std::string& folder : options.hostFolders) {
    std::string file =
        "binaries/" + folder + "/" + interface.attribute("modelIdentifier").value() + ".so";
    if (files.contains(file)) return file;
  }
  return {};
}

}  // namespace

void checkRun(const Description& description, const fs::path& directory,
              const std::set<std::string>& files, const CheckOptions& options,
              FindingList& findings) {
  for (const pugi::xml_node interface : description.interfaces()) {
    const std::string file = binaryFor(options, interface, files);
    if (file.empty()) {
      findings.add(
          "run-skipped", {},
          std::string(interface.name()) + " was not called: there is no binary for this machine");
      continue;
    }
    if (isTrue(interface.attribute("needsExecutionTool"))) {
      findings.add("run-skipped", {file, 0}, "not called: it needs its tool");
      continue;
    }
    coupling::ProbePlan plan = probePlan(description, interface);
    plan.library = directory / file;
    plan.resources = directory / "resources";
    ProbeRun(plan, options, findings).run(file);
  }
}

}  // namespace trammel::fmi::check
