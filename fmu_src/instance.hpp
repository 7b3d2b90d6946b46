#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/log.hpp"
#include "models/compiled_model.hpp"
#include "solver/integrator.hpp"

namespace trammel::fmi {

enum class Status { ok, warning, discard, error, fatal };
enum class Mode { instantiated, initialization, step, terminated, failed };

struct StepResult {
  Status status = Status::ok;
  double lastSuccessfulTime = 0;  // [s]
};

/// A version-neutral FMU instance: model + snapshot + log. Functions may throw Error; `guarded` turns that into a status.
/// Modes are checked by `guarded` (FMI) or by the caller (in process), not here.
class Instance {
 public:
  Instance(CompiledModel model, Log log);
  ~Instance();

  const CompiledModel& model() const;
  Mode mode() const;
  Log& log();

  void enterInitializationMode(std::optional<double> tolerance, double startTime, std::optional<double> stopTime);
  /// Solves for consistent q, v, a, λ. Throws Error naming the constraint where there are none.
  void exitInitializationMode();
  /// discard: the state is bit for bit what it was before the call.
  StepResult doStep(double currentTime, double stepSize);
  void terminate();
  void reset();
  void fail(const std::string& message);  // logs, mode failed; never throws

  void setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values);
  void getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values);

  /// The complete mutable part as bytes: magic, version, token, sizes, numbers, checksum.
  std::vector<std::byte> serialize() const;
  void deserialize(std::span<const std::byte> bytes);  // throws Error and changes nothing if anything is wrong

  double time() const;  // [s], communication time
  const Statistics& statistics() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::fmi
