#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

TEST_CASE("an FMU is found in a folder with spaces, per cent signs and umlauts") {
  const FmuFolder folder(pendulumText(), "a b%20c \xC3\xBC");
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    LogLines lines;
    void* const instance = host.instantiate(folder, lines);
    CHECK(instance != nullptr);
    host.free(instance);
  }
}

TEST_CASE("resources can be given in every legal form, or not at all") {
  const FmuFolder folder(pendulumText());
  const std::string path = folder.resources().string();
  const std::vector<std::string> uris = {"file://" + path, "file:" + path,
                                         "file://localhost" + path, path, path + "/"};
  const std::vector<std::string> paths = {path, path + "/"};
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const std::string& location : version == Version::fmi2 ? uris : paths) {
      LogLines lines;
      void* const instance =
          host.instantiate({.token = folder.token().c_str(), .resources = location.c_str()}, lines);
      INFO(location);
      CHECK(instance != nullptr);
      host.free(instance);
    }
    LogLines lines;
    void* const besideBinary = host.instantiate({.token = folder.token().c_str()}, lines);
    CHECK(besideBinary != nullptr);
    host.free(besideBinary);
  }
}

TEST_CASE("instantiation fails with a clear line of log, even when logging is off") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    const std::string good = host.location(folder), bad = good + "/nowhere";
    const char* const token = folder.token().c_str();
    const auto refusal = [&](Arguments arguments) {
      LogLines lines;
      arguments.loggingOn = false;
      REQUIRE(host.instantiate(arguments, lines) == nullptr);
      REQUIRE(lines.size() == 1);
      CHECK(lines[0].status == Status::error);
      CHECK(lines[0].category == "logStatusError");
      return lines[0].message;
    };
    CHECK_THAT(refusal({.token = "{other}", .resources = good.c_str()}),
               Catch::Contains("token (guid) is \"{other}\""));
    CHECK_THAT(refusal({.token = nullptr, .resources = good.c_str()}), Catch::Contains("NULL"));
    CHECK_THAT(refusal({.token = token, .resources = bad.c_str()}), Catch::Contains("nowhere"));
    CHECK_THAT(refusal({.name = nullptr, .token = token, .resources = good.c_str()}),
               Catch::Contains("name is empty"));
    CHECK_THAT(refusal({.name = " ", .token = token, .resources = good.c_str()}),
               Catch::Contains("name is empty"));
  }
}

TEST_CASE("an FMU without a logger works and fails in silence") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    LogLines lines;
    void* const instance =
        host.instantiate({.token = folder.token().c_str(), .withLogger = false}, lines);
    REQUIRE(instance != nullptr);
    CHECK(host.doStep(instance, 0, 1) == Status::error);
    host.free(instance);
    CHECK(host.instantiate({.token = "wrong", .withLogger = false}, lines) == nullptr);
    CHECK(lines.empty());
  }
  const Host two(Version::fmi2, folder.binary());
  auto* const instantiate = two.object().function<fmi2InstantiateTYPE>("fmi2Instantiate");
  void* const withoutCallbacks =
      instantiate("x", fmi2CoSimulation, folder.token().c_str(), nullptr, nullptr, 0, 1);
  CHECK(withoutCallbacks != nullptr);
  two.free(withoutCallbacks);
}

TEST_CASE("what the FMU does not declare is refused at instantiation") {
  const FmuFolder folder(pendulumText());
  const SharedObject object(folder.binary());
  const char* const token = folder.token().c_str();
  LogLines lines;
  const auto lastMessage = [&lines] {
    return lines.empty() ? std::string() : lines.back().message;
  };

  const fmi2CallbackFunctions callbacks{logMessage2, nullptr, nullptr, nullptr, &lines};
  CHECK(object.function<fmi2InstantiateTYPE>("fmi2Instantiate")(
            "x", fmi2ModelExchange, token, nullptr, &callbacks, 0, 1) == nullptr);
  CHECK_THAT(lastMessage(), Catch::Contains("model exchange is not supported"));

  CHECK(object.function<fmi3InstantiateModelExchangeTYPE>("fmi3InstantiateModelExchange")(
            "x", token, nullptr, false, true, &lines, logMessage3) == nullptr);
  CHECK_THAT(lastMessage(),
             Catch::Contains("fmi3InstantiateModelExchange: model exchange is not supported"));
  CHECK(object.function<fmi3InstantiateScheduledExecutionTYPE>("fmi3InstantiateScheduledExecution")(
            "x", token, nullptr, false, true, &lines, logMessage3, nullptr, nullptr, nullptr) ==
        nullptr);
  CHECK_THAT(lastMessage(), Catch::Contains("scheduled execution is not supported"));

  auto* const coSimulation =
      object.function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation");
  const fmi3ValueReference parameter = 1;
  CHECK(coSimulation("x", token, nullptr, false, true, false, false, &parameter, 1, &lines,
                     logMessage3, nullptr) == nullptr);
  CHECK_THAT(lastMessage(), Catch::Contains("required intermediate variable 1"));
  CHECK(coSimulation("x", token, nullptr, false, true, false, false, nullptr, 1, &lines,
                     logMessage3, nullptr) == nullptr);
  CHECK_THAT(lastMessage(), Catch::Contains("requiredIntermediateVariables is NULL"));
}

TEST_CASE("the environment may be NULL") {
  const FmuFolder folder(pendulumText());
  const SharedObject object(folder.binary());
  const auto silent = [](fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String) {};
  void* const instance = object.function<fmi3InstantiateCoSimulationTYPE>(
      "fmi3InstantiateCoSimulation")("x", folder.token().c_str(), nullptr, false, true, false,
                                     false, nullptr, 0, nullptr, silent, nullptr);
  REQUIRE(instance != nullptr);
  CHECK(object.function<fmi3TerminateTYPE>("fmi3Terminate")(instance) == fmi3Error);
  object.function<fmi3FreeInstanceTYPE>("fmi3FreeInstance")(instance);
}

TEST_CASE("a message with per cent and number signs passes the printf of FMI 2") {
  const FmuFolder folder(pendulumText());
  const Host host(Version::fmi2, folder.binary());
  LogLines lines;
  CHECK(host.instantiate({.token = "100%s #7"}, lines) == nullptr);
  CHECK_THAT(lines.back().message, Catch::Contains("100%s ##7"));
}

TEST_CASE("logging can be switched by category through the C interface") {
  const FmuFolder folder(dyingText);
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    LogLines lines;
    void* const c = host.instantiate({.token = folder.token().c_str(), .loggingOn = false}, lines);
    REQUIRE(c != nullptr);
    const std::vector<const char*> discard = {"logStatusDiscard"}, wrong = {"nonsense"};
    const auto setLogging = [&](bool on, const std::vector<const char*>& categories) {
      const auto& o = host.object();
      return version == Version::fmi2
                 ? static_cast<Status>(o.function<fmi2SetDebugLoggingTYPE>("fmi2SetDebugLogging")(
                       c, on, categories.size(), categories.data()))
                 : static_cast<Status>(o.function<fmi3SetDebugLoggingTYPE>("fmi3SetDebugLogging")(
                       c, on, categories.size(), categories.data()));
    };
    REQUIRE(host.enter(c, 0, 0, 0) == Status::ok);
    REQUIRE(host.exit(c) == Status::ok);
    CHECK(host.doStep(c, 0, 2) == Status::discard);
    CHECK(lines.empty());
    CHECK(setLogging(true, discard) == Status::ok);
    CHECK(host.doStep(c, 0, 2) == Status::discard);
    CHECK(lines.size() == 1);
    CHECK(setLogging(true, wrong) == Status::error);
    CHECK_THAT(lines.back().message, Catch::Contains("nonsense"));
    host.free(c);
  }
}
