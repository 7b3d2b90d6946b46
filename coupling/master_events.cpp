#include <algorithm>
#include <cmath>

#include "coupling/master_implementation.hpp"

// Events that subsystems report: all go back and step to the event, where λ starts anew.
namespace trammel::coupling {
namespace {

constexpr int mostEventsInRow = 1000;  // with steps between them that are next to nothing

}  // namespace

/// After a trial in which a subsystem met an event before the end: back to t, then to the event and
/// a little beyond, so that it is not missed. False: there is no way back, or no way on.
bool Master::Implementation::goToEvent() {
  const double reached = last.step.reachedTime;
  if (!restoreAll()) return false;
  if (++eventsInRow > mostEventsInRow) {
    last.step.outcome = StepOutcome::failed;
    last.step.message = "more than " + std::to_string(mostEventsInRow) + " events in a row";
    return false;
  }
  eventTime = std::max(reached, t) + eventRounding() / 2;
  return true;
}

/// Pre: the subsystems of last.atEvent stand at an event at t.
bool Master::Implementation::handleEvents() {
  if (last.atEvent.empty()) return true;
  for (const std::size_t k : last.atEvent) {
    ++statistics.events;
    const bool isHandled = carriedOut(k, [&] {
      const bool wantsToEnd = system.subsystems[k]->handleEvent();
      if (wantsToEnd) last.subsystem = static_cast<int>(k);
      last.wantsToEnd = last.wantsToEnd || wantsToEnd;
      system.subsystems[k]->readMotion(motions[k]);
      system.subsystems[k]->readOutputs(outputs[k]);
    });
    if (!isHandled) return false;
  }
  last.atEvent.clear();
  u = connectedValues(outputs);
  uStep = 0;
  restartMultipliers();
  return true;
}

/// λ with g'' = 0 at t for the motion there; what was learnt before does not hold any more.
void Master::Implementation::restartMultipliers() {
  iteration.forget();
  Vector lambda = memory.last;
  if (allAccelerate && joints.rowCount() > 0) {
    joints.evaluate(motions, last.interface);
    renewInterface(last.interface);
    Vector change(lambda.size());
    solver.solve(last.interface.ga, change);
    lambda = sentAtEnd + change;
  }
  memory.restart(lambda);
  if (!allAccelerate) memory.samples.clear();  // λ may have jumped, nobody knows how far
}

}  // namespace trammel::coupling
