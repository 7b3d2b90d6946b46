#include <algorithm>

#include "models/mechanism/mechanism_system.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Rows and bodies by what is done with them.
void MechanismSystem::listParts() {
  for (int r = 0; r < static_cast<int>(program_.rows.size()); ++r) {
    const RowProgram& row = program_.rows[at(r)];
    if (row.channel >= 0) extend(directRows_, r, row.channel);
    if (row.expression >= 0) expressionRows_.push_back({r, row.expression});
  }
  for (const RowTerm& term : program_.rowTerms) {
    if (term.root >= 0) {
      otherTerms_.push_back(term);
      continue;
    }
    extend(unitTerms_, term.row, term.channel);
    const ChannelProgram& c = program_.channels[at(term.channel)];
    if (!unitEntries_.empty() && unitEntries_.back().isBefore(c.firstEntry, term.firstPosition)) {
      unitEntries_.back().count += c.entryCount;
    } else {
      unitEntries_.push_back({c.firstEntry, term.firstPosition, c.entryCount});
    }
  }
  for (const MeasurePlans* plans : {&program_.dynamics, &program_.outputMeasures})
    for (const VectorPlan& vector : plans->vectors)
      if (vector.kind == VectorKind::planarPlace || vector.kind == VectorKind::planarAxis)
        turningPlanar_.push_back(vector.slot);
  std::sort(turningPlanar_.begin(), turningPlanar_.end());
  turningPlanar_.erase(std::unique(turningPlanar_.begin(), turningPlanar_.end()),
                       turningPlanar_.end());
  const std::vector<MeasurePlan>& windings = program_.dynamics.windings;
  for (int b = 1; b < static_cast<int>(program_.bodies.size()); ++b) {
    const BodyProgram& body = program_.bodies[at(b)];
    if (body.kind == BodyKind::planar) planarAngles_.push_back(body.coordinate + 2);
    if (body.kind == BodyKind::rigid)
      rigidBodies_.push_back({b, body.coordinate + 3, body.normRow});
    if (body.windingBlock < 0) continue;
    const auto winding =
        std::find_if(windings.begin(), windings.end(),
                     [&](const MeasurePlan& plan) { return plan.block == body.windingBlock; });
    woundAngles_.push_back(
        {b, winding->channel, static_cast<std::size_t>(winding - windings.begin())});
  }
  for (BodyMotion* motion : {&at_, &along_}) {
    motion->planar.resize(planarAngles_.size());
    motion->rigid.resize(rigidBodies_.size());
  }
  planarCurvatures_.resize(planarAngles_.size());
  turnings_.resize(rigidBodies_.size());
  listLots();
  ratesAreRows_ = isWhole(directRows_);
  gradientIsRows_ = countsOnce();
  loadsAreMultipliers_ = isWhole(unitTerms_) && otherTerms_.empty() &&
                         program_.lawChannels.empty() && woundAngles_.empty();
}

/// Bodies have their coordinates in their own order; pins stay in theirs.
void MechanismSystem::listLots() {
  constexpr std::size_t most = 128;  // bodies
  const std::vector<PinPlan>& pins = program_.dynamics.pins;
  for (PlanarLot lot; lot.bodyEnd < planarAngles_.size();) {
    lot.bodyEnd = std::min(lot.bodyEnd + most, planarAngles_.size());
    lot.coordinateEnd = at(planarAngles_[lot.bodyEnd - 1]) + 1;
    const auto isDone = [&](int slot) { return at(slot) < lot.bodyEnd; };
    while (lot.pinEnd < pins.size() && isDone(pins[lot.pinEnd].slotA) &&
           isDone(pins[lot.pinEnd].slotB))
      ++lot.pinEnd;
    lots_.push_back(lot);
  }
}

/// Whether the entries of G are those of W, each once.
bool MechanismSystem::countsOnce() const {
  std::size_t entries = 0;
  std::vector<bool> taken(program_.G.entryCount(), false);
  for (const EntryRun& run : unitEntries_) {
    for (int i = run.position; i < run.position + run.count; ++i) {
      const auto position = at(program_.gradientPositions[at(i)]);
      if (taken[position]) return false;
      taken[position] = true;
      ++entries;
    }
  }
  return entries == taken.size() && otherTerms_.empty() && rigidBodies_.empty();
}

/// Whether each row belongs to the channel of its number, and the dynamics have no other channels.
bool MechanismSystem::isWhole(const std::vector<RowRun>& runs) const {
  const auto rows = static_cast<int>(program_.rows.size());
  return runs.size() == 1 && runs[0].row == 0 && runs[0].channel == 0 && runs[0].count == rows &&
         program_.dynamics.channelEnd <= rows;
}

void MechanismSystem::extend(std::vector<RowRun>& runs, int row, int channel) {
  if (!runs.empty() && runs.back().row + runs.back().count == row &&
      runs.back().channel + runs.back().count == channel) {
    ++runs.back().count;
  } else {
    runs.push_back({row, channel, 1});
  }
}

}  // namespace trammel
