#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "fmu_src/call_table.hpp"

using namespace trammel::fmi;

TEST_CASE("every function has one row with its own name") {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const CallRule& rule : callTable()) {
    CHECK((rule.fmi2 != nullptr || rule.fmi3 != nullptr));
    for (const char* name : {rule.fmi2, rule.fmi3}) {
      if (name == nullptr) continue;
      names.insert(name);
      ++count;
    }
  }
  CHECK(names.size() == count);
}

TEST_CASE("the modes of a call differ between the versions where the standards differ") {
  // FMI 3.0, 2.3.2: start values can be read in state Instantiated; FMI 2.0, 4.2.4: not before
  // initialization.
  CHECK(ruleOf(Call::getFloat64).allows(Version::fmi3, Mode::instantiated));
  CHECK_FALSE(ruleOf(Call::getFloat64).allows(Version::fmi2, Mode::instantiated));
  CHECK(ruleOf(Call::setupExperiment).allows(Version::fmi2, Mode::instantiated));
  CHECK_FALSE(ruleOf(Call::setupExperiment).allows(Version::fmi3, Mode::instantiated));
}

TEST_CASE("nothing but reading, states, logging and reset is legal after a failure") {
  const std::set<Call> legal = {Call::setDebugLogging,   Call::reset,
                                Call::getFMUState,       Call::setFMUState,
                                Call::freeFMUState,      Call::serializedFMUStateSize,
                                Call::serializeFMUState, Call::deserializeFMUState};
  for (const CallRule& rule : callTable()) {
    INFO((rule.fmi3 != nullptr ? rule.fmi3 : rule.fmi2));
    const bool reads = std::string(rule.fmi3 != nullptr ? rule.fmi3 : "").substr(0, 7) == "fmi3Get";
    const bool derivative = rule.call == Call::getDirectionalDerivative ||
                            rule.call == Call::getAdjointDerivative ||
                            rule.call == Call::getOutputDerivatives;
    const bool allowed =
        rule.refusal == nullptr && (legal.contains(rule.call) || (reads && !derivative));
    CHECK(rule.allows(Version::fmi3, Mode::failed) == allowed);
  }
}

TEST_CASE("the message of an illegal call says what was expected") {
  CHECK_THROWS_WITH(requireLegal<Version::fmi3>(Call::doStep, Mode::terminated),
                    "illegal call: the instance is terminated, expected step mode");
  CHECK_THROWS_WITH(requireLegal<Version::fmi2>(Call::setTime, Mode::step),
                    Catch::Contains("model exchange"));
  CHECK_NOTHROW(requireLegal<Version::fmi2>(Call::doStep, Mode::step));
}
