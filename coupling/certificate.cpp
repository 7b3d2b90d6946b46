#include "coupling/certificate.hpp"

#include <sstream>

namespace trammel::coupling {
namespace {

const char* word(bool value) { return value ? "yes" : "no"; }

void writeSplit(std::ostream& out, const char* side, const std::optional<double>& factor) {
  out << "  constraint on side " << side << ": ";
  if (!factor) {
    out << "undefined, the mobility of that side is singular\n";
  } else {
    out << "factor " << *factor << (*factor < 1 ? ", converges\n" : ", diverges\n");
  }
}

}  // namespace

std::string Certificate::text() const {
  std::ostringstream out;
  out.precision(4);
  out << "subsystems: rollback, variable step, degree of force in a step, acceleration, "
         "derivatives\n";
  for (const SubsystemCertificate& s : subsystems) {
    const SubsystemCapabilities& can = s.capabilities;
    out << "  " << s.name << ": " << word(can.rollback) << ", " << word(can.variableStep) << ", "
        << can.forceOrder << ", " << word(can.acceleration) << ", " << word(can.mobility);
    if (s.noise.r > 0 || s.noise.v > 0) {
      out << "; repeats within " << s.noise.r << " m, " << s.noise.v << " m/s";
    }
    out << '\n';
  }
  if (rows > 0) {
    out << "interface mobilities: side A, side B, together\n";
    for (const JointCertificate& j : joints) {
      out << "  " << j.name << ", " << j.rows << (j.rows == 1 ? " row: " : " rows: ") << j.smallestA
          << " to " << j.largestA << ", " << j.smallestB << " to " << j.largestB << ", "
          << j.smallest << " to " << j.largest << '\n';
    }
    out << "plain splits";
    if (contractionKnown) {
      out << ":\n";
      writeSplit(out, "A", contractionA);
      writeSplit(out, "B", contractionB);
    } else {
      out << ": not computed for " << rows << " rows\n";
    }
    out << "redundant joints: ";
    if (redundantJoints.empty()) {
      out << "none\n";
    } else {
      const char* separator = "";
      for (const std::string& name : redundantJoints) {
        out << separator << name;
        separator = ", ";
      }
      out << "; " << rows - rank << " of " << rows
          << " rows depend on others, multipliers of minimum norm\n";
    }
    out << "scheme: " << coupling::text(scheme) << ", " << reason << '\n';
    out << "expected evaluations for each step: " << expectedLow;
    if (expectedHigh > expectedLow) out << " to " << expectedHigh;
    out << '\n';
  }
  for (const std::string& warning : warnings) out << "warning: " << warning << '\n';
  return out.str();
}

}  // namespace trammel::coupling
