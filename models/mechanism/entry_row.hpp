#pragma once

#include "models/mechanism/mechanism_program.hpp"
#include "solver/types.hpp"

namespace trammel {

/// W of a channel, and where its entries belong.
struct EntryRow {
  EntryRow(const MechanismProgram& program, const std::vector<double>& allW, int channel) {
    const ChannelProgram& c = program.channels[static_cast<std::size_t>(channel)];
    entries = program.entries.data() + c.firstEntry;
    W = allW.data() + c.firstEntry;
    count = c.entryCount;
  }

  double times(VectorIn v) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += W[i] * v[entries[i].column];
    return sum;
  }
  void addTo(VectorOut r, double factor) const {
    for (int i = 0; i < count; ++i) r[entries[i].column] += factor * W[i];
  }

  const LocalEntry* entries = nullptr;
  const double* W = nullptr;
  int count = 0;
};

}  // namespace trammel
