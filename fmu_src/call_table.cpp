#include "fmu_src/call_table.hpp"

#include <string>

namespace trammel::fmi {

const char* modeName(Mode mode) {
  constexpr std::array names = {
      "instantiated", "initialization mode", "step mode",          "terminated",
      "failed",       "event mode",          "configuration mode", "intermediate update mode"};
  return names[static_cast<std::size_t>(mode)];
}

void throwIllegal(Call call, Version version, Mode mode) {
  using enum Mode;
  const CallRule& rule = ruleOf(call);
  if (rule.refusal != nullptr) throw Error("not supported: " + std::string(rule.refusal));
  std::string expected;
  for (const Mode legal : {instantiated, initialization, step, terminated, failed, event,
                           configuration, intermediateUpdate})
    if (rule.allows(version, legal))
      expected += (expected.empty() ? "" : ", ") + std::string(modeName(legal));
  if (expected.empty()) throw Error("not supported: " + std::string(call_rules::modelExchange));
  throw Error("illegal call: the instance is " + std::string(modeName(mode)) + ", expected " +
              expected);
}

}  // namespace trammel::fmi
