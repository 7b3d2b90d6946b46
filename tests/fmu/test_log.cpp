#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "fmu_src/log.hpp"

using namespace trammel::fmi;

namespace {

struct Recorder {
  std::vector<std::string> lines;
  Log log{[this](Status, const char* category, const std::string& message) {
    lines.push_back(std::string(category) + "|" + message);
  }};
};

}  // namespace

TEST_CASE("errors are logged even when logging is off, nothing else is") {
  Recorder r;
  r.log.write(Status::ok, "event");
  r.log.write(Status::warning, "warning");
  r.log.write(Status::discard, "discard");
  r.log.write(Status::error, "error");
  r.log.write(Status::fatal, "fatal");
  CHECK(r.lines == std::vector<std::string>{"logStatusError|error", "logStatusFatal|fatal"});
}

TEST_CASE("a category can be switched on and off by its name") {
  Recorder r;
  const std::vector<const char*> discard = {"logStatusDiscard"};
  r.log.setDebugLogging(true, discard);
  r.log.write(Status::discard, "doStep", "why");
  r.log.write(Status::warning, "not this one");
  r.log.setDebugLogging(false, discard);
  r.log.write(Status::discard, "nor this one");
  CHECK(r.lines == std::vector<std::string>{"logStatusDiscard|doStep: why"});
}

TEST_CASE("logAll and an empty list of categories mean all of them") {
  for (const std::vector<const char*>& all :
       {std::vector<const char*>{"logAll"}, std::vector<const char*>{}}) {
    Recorder r;
    r.log.setDebugLogging(true, all);
    r.log.write(Status::ok, "event");
    r.log.write(Status::warning, "warning");
    CHECK(r.lines.size() == 2);
    r.log.setDebugLogging(false, all);
    r.log.write(Status::ok, "event");
    CHECK(r.lines.size() == 2);
  }
}

TEST_CASE("an unknown category is refused and changes nothing") {
  Recorder r;
  const std::vector<const char*> wrong = {"logEvents", "logWhatever"};
  CHECK_THROWS_WITH(r.log.setDebugLogging(true, wrong),
                    Catch::Contains("\"logWhatever\" is not known"));
  const std::vector<const char*> null = {nullptr};
  CHECK_THROWS_WITH(r.log.setDebugLogging(true, null), Catch::Contains("NULL"));
  r.log.write(Status::ok, "event");
  CHECK(r.lines.empty());
}

TEST_CASE("a sink that throws does not disturb the writer") {
  const Log log(
      [](Status, const char*, const std::string&) { throw std::runtime_error("importer"); }, true);
  CHECK_NOTHROW(log.write(Status::error, "message"));
}

TEST_CASE("a log without a sink is silent") {
  CHECK_NOTHROW(Log().write(Status::error, "message"));
}

TEST_CASE("number signs are doubled, per cent signs only where the message is a printf format") {
  CHECK(escapeMessage("#1 is 5%") == "##1 is 5%");
  CHECK(escapePrintfMessage("#1 is 5%s") == "##1 is 5%%s");
}
