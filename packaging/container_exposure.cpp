#include "packaging/container_exposure.hpp"

#include <algorithm>
#include <set>

#include "models/text.hpp"
#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

/// Whether a word of the list means the variable: its name, that of a group that it is in
/// (`arm.tip` for `arm.tip.r`), or all of a component (`arm.*`).
bool means(const std::string& word, const std::string& component, const std::string& name) {
  if (word == component + ".*") return true;
  const std::string full = component + '.' + name;
  return full.starts_with(word) &&
         (full.size() == word.size() || full[word.size()] == '.' || full[word.size()] == '[');
}

/// `tip.F_der1[2]` of `tip.F[2]`.
std::string rateName(const std::string& input, const char* suffix) {
  const std::size_t bracket = std::min(input.find('['), input.size());
  return input.substr(0, bracket) + suffix + input.substr(bracket);
}

class Exposure {
 public:
  Exposure(const SystemFile& file, const ResolvedSystem& system,
           const std::vector<MemberXml>& members)
      : file_(file),
        system_(system),
        members_(members),
        used_(file.expose.size(), false),
        connected_(used_) {}

  std::vector<ExposedVariable> collect() {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      for (const MemberVariable& v : members_[k].variables) {
        if (isWanted(k, v)) add(k, v);
      }
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      throw ModelError(file_.source, file_.expose[i].line,
                       "expose: " + inQuotes(file_.expose[i].value) +
                           (connected_[i] ? " is set by a connection or a joint"
                                          : ": there is no variable that can be exposed"));
    }
    linkRates();
    addMultipliers();
    number();
    return std::move(exposed_);
  }

 private:
  const std::string& name(std::size_t k) const { return system_.members[k].entry->name; }

  bool isWanted(std::size_t k, const MemberVariable& v) {
    const bool connected = v.causality == Causality::input && isConnected(k, v.name);
    bool listed = false;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!means(file_.expose[i].value, name(k), v.name)) continue;
      (connected ? connected_ : used_)[i] = true;
      listed = true;
    }
    if (connected) return false;
    if (!used_.empty()) return listed;
    if (v.causality == Causality::output) return isRecorded(k, v.name);
    return v.causality != Causality::local;
  }

  bool isRecorded(std::size_t k, const std::string& output) const {
    if (file_.record.empty()) return true;
    return std::any_of(file_.record.begin(), file_.record.end(), [&](const ComponentPart& part) {
      return part.component == name(k) && part.name == output;
    });
  }

  /// Set by a connection, or by a joint on the port that it belongs to.
  bool isConnected(std::size_t k, const std::string& input) const {
    const coupling::FmuUse& use = system_.members[k].use;
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), input) != names.end();
    };
    return has(use.inputs) ||
           std::any_of(use.ports.begin(), use.ports.end(), [&](const auto& port) {
             const coupling::FmuPortNames& n = *port.names;
             return has(n.force) || has(n.torque) || has(n.forceRate) || has(n.forceSecondRate) ||
                    has(n.torqueRate) || has(n.torqueSecondRate);
           });
  }

  void add(std::size_t k, const MemberVariable& v) {
    ContainerVariable c;
    c.name = name(k) + '.' + v.name;
    c.type = v.type;
    c.causality = v.causality;
    c.variability = v.variability;
    c.member = static_cast<int>(k);
    c.reference = v.valueReference;
    c.size = v.size;
    c.isArray = v.isArray;
    if (v.causality == Causality::input || v.causality == Causality::parameter) {
      c.start = v.start;
      if (v.type != Type::string && c.start.empty()) c.start.assign(v.size, 0.0);
      c.startText = v.startText;
      for (const auto& [parameter, value] : system_.members[k].use.parameters) {
        if (parameter == v.name) c.start.assign(v.size, value);
      }
    }
    exposed_.push_back({std::move(c), &v, ""});
  }

  void linkRates() {
    for (ExposedVariable& e : exposed_) {
      if (e.variable.causality != Causality::input || e.variable.type != Type::float64) continue;
      const auto find = [&](const char* suffix) {
        const std::string wanted = rateName(e.variable.name, suffix);
        const auto found =
            std::find_if(exposed_.begin(), exposed_.end(), [&](const ExposedVariable& other) {
              return other.variable.name == wanted &&
                     other.variable.causality == Causality::input &&
                     other.variable.size == e.variable.size;
            });
        return found == exposed_.end() ? -1 : static_cast<int>(found - exposed_.begin());
      };
      e.variable.firstRate = find("_der1");
      if (e.variable.firstRate >= 0) e.variable.secondRate = find("_der2");
    }
  }

  void addMultipliers() {
    std::uint32_t row = 0;
    for (const coupling::Joint& joint : system_.joints) {
      for (Index i = 0; i < joint.size(); ++i, ++row) {
        ContainerVariable c;
        c.name = joint.name + ".lambda" +
                 (joint.size() > 1 ? '[' + std::to_string(i + 1) + ']' : std::string());
        c.reference = row;
        const coupling::JointRow& r = joint.rows[static_cast<std::size_t>(i)];
        const bool isScalar = std::holds_alternative<coupling::LinearRow>(r);
        exposed_.push_back({std::move(c), nullptr,
                            isScalar                   ? ""
                            : coupling::isTorqueRow(r) ? "N.m"
                                                       : "N"});
      }
    }
  }

  void number() {
    std::uint32_t next = 1;  // 0 is time
    std::set<std::string> names{"time"};
    for (ExposedVariable& e : exposed_) {
      e.variable.valueReference = next;
      next += static_cast<std::uint32_t>(e.variable.size);
      if (names.insert(e.variable.name).second) continue;
      throw InputError(file_.source + ": two variables of the container would be named " +
                       inQuotes(e.variable.name));
    }
  }

  const SystemFile& file_;
  const ResolvedSystem& system_;
  const std::vector<MemberXml>& members_;
  std::vector<bool> used_, connected_;  // words of the list that mean a variable, a set one
  std::vector<ExposedVariable> exposed_;
};

}  // namespace

std::vector<ExposedVariable> exposedVariables(const SystemFile& file, const ResolvedSystem& system,
                                              const std::vector<MemberXml>& members) {
  return Exposure(file, system, members).collect();
}

}  // namespace trammel::fmi
