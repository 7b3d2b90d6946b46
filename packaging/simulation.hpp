#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "models/text.hpp"
#include "packaging/blocked_signals.hpp"
#include "packaging/csv_writer.hpp"
#include "packaging/errors.hpp"
#include "packaging/input_table.hpp"
#include "packaging/page.hpp"
#include "packaging/progress_bar.hpp"
#include "packaging/run_settings.hpp"
#include "packaging/run_variable.hpp"

namespace trammel::fmi {

struct RunReport {
  long steps = 0;            // communication steps
  double endTime = 0;        // [s]
  bool interrupted = false;  // by a signal, which still waits
};

/// Times of the communication points, each computed from its number so that nothing accumulates.
class TimeGrid {
 public:
  TimeGrid(const RunSettings& settings, bool shortLastStep)
      : settings_(settings), shortLastStep_(shortLastStep) {}

  double time(long i) const {
    return std::min(settings_.startTime + static_cast<double>(i) * settings_.outputInterval,
                    settings_.stopTime);
  }

  /// Whether the run ends at point i: nothing that is worth a step remains, or only a shorter step
  /// than the FMU can do.
  bool isLast(long i) const {
    const double left = settings_.stopTime - time(i);
    const double smallest = shortLastStep_ ? 1e-9 : 1 - 1e-9;  // of an interval
    return left <= smallest * settings_.outputInterval;
  }

 private:
  const RunSettings& settings_;
  const bool shortLastStep_;
};

/// A run of a ModelRun or FmuRun from its start to its end, with inputs from a table, every
/// communication point written as a row and, if wanted, kept for a plot.
template <class Run>
class Simulation {
 public:
  Simulation(Run& run, const RunSettings& settings, std::ostream& stream)
      : run_(run), settings_(settings), stream_(stream), csv_(stream) {}

  void choose(const std::vector<const RunVariable*>& variables) {
    run_.choose(variables);
    variables_ = variables;
  }

  /// Throws InputError where a column is no input of the model.
  void setInputs(const InputTable& table) {
    table_ = &table;
    for (const std::string& name : table.names()) {
      const RunVariable& variable = findVariable(name, run_.variables(), table.source());
      if (variable.causality != Causality::input || variable.type == Type::string)
        throw InputError(table.source() + ": " + inQuotes(name) + " is not an input");
      inputs_.push_back(&variable);
    }
    values_.resize(inputs_.size());
    slopes_.resize(inputs_.size());
    run_.announceInputs(inputs_);
  }

  void keepRows() { keepsRows_ = true; }

  /// Whether the run was initialized, so that there is a first row.
  bool hasStarted() const { return hasStarted_; }

  RunReport simulate(const BlockedSignals& signals) {
    ProgressBar bar(settings_.startTime, settings_.stopTime, stream_);
    start();
    const TimeGrid grid(settings_, run_.handlesVariableStep());
    RunReport report{0, settings_.startTime, false};
    for (long i = 0; !grid.isLast(i); ++i) {
      if (signals.waiting()) {
        report.interrupted = true;
        return report;
      }
      const RunStep step = stepOver(grid.time(i), grid.time(i + 1));
      ++report.steps;
      report.endTime = step.terminate ? step.reachedTime : grid.time(i + 1);
      writeRow(report.endTime);
      bar.update(report.endTime);
      if (step.terminate) break;
    }
    run_.finish();
    return report;
  }

  /// The rows that were kept; `allAlike`: no variable is shown before others.
  PlotData plotData(bool allAlike) const {
    PlotData data;
    data.times = times_;
    const std::size_t width = variables_.size();
    for (std::size_t k = 0; k < width; ++k) {
      const RunVariable& variable = *variables_[k];
      PlotData::Column column{variable.name, variable.unit, variable.description, "", {}};
      const bool first =
          allAlike || (variable.causality == Causality::output && !isState(variable));
      column.kind = variable.causality == Causality::input ? "input" : first ? "output" : "local";
      for (std::size_t i = 0; i < times_.size(); ++i) column.values.push_back(rows_[i * width + k]);
      data.columns.push_back(std::move(column));
    }
    return data;
  }

 private:
  /// Whether the variable is a derivative or has one: plots show others first.
  bool isState(const RunVariable& variable) const {
    if (variable.name.starts_with("der(")) return true;
    const std::string whole = variable.name.substr(0, variable.name.rfind('['));
    return std::any_of(run_.variables().begin(), run_.variables().end(), [&](const auto& other) {
      return other.name == "der(" + variable.name + ")" ||
             other.name.starts_with("der(" + whole + ")[");
    });
  }

  void start() {
    std::vector<std::string> names{"time"};
    for (const RunVariable* variable : variables_) names.push_back(variable->name);
    row_.resize(names.size());
    setInputsOver(settings_.startTime, settings_.startTime);
    run_.start(settings_);
    csv_.writeHeader(names);
    writeRow(settings_.startTime);
    hasStarted_ = true;
  }

  /// One communication step; where an input jumps within it and the run takes any step, it is done
  /// in parts.
  RunStep stepOver(double begin, double end) {
    double from = begin;
    if (table_ != nullptr && run_.handlesVariableStep()) {
      const double least = 1e-9 * (end - begin);
      for (const double jump : table_->jumps()) {
        if (jump <= from + least || jump >= end - least) continue;
        RunStep part = doStep(from, jump);
        if (part.terminate) return part;
        from = jump;
      }
    }
    return doStep(from, end);
  }

  RunStep doStep(double from, double to) {
    setInputsOver(from, to);
    RunStep step = run_.step(from, to - from);
    if (!step.completed && !step.terminate)
      throw SimulationError("simulation stopped at t = " + numberText(from) + " s, reached " +
                            numberText(step.reachedTime) + " s: " + step.message);
    return step;
  }

  /// u = u(from), u' = (u(to) − u(from))/(to − from); inputs that are not continuous are held.
  void setInputsOver(double from, double to) {
    if (inputs_.empty()) return;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const bool held = isDiscrete(inputs_[k]->type);
      values_[k] = held ? table_->held(k, from) : table_->after(k, from);
      slopes_[k] = held || to <= from ? 0 : (table_->before(k, to) - values_[k]) / (to - from);
    }
    run_.setInputs({values_, slopes_});
  }

  void writeRow(double time) {
    row_.front() = time;
    run_.read(std::span(row_).subspan(1));
    csv_.writeRow(row_);
    if (!stream_) throw InputError("cannot write the results to standard output");
    if (!keepsRows_) return;
    times_.push_back(time);
    rows_.insert(rows_.end(), row_.begin() + 1, row_.end());
  }

  Run& run_;
  const RunSettings& settings_;
  std::ostream& stream_;
  CsvWriter csv_;
  std::vector<const RunVariable*> variables_;  // columns
  const InputTable* table_ = nullptr;
  std::vector<const RunVariable*> inputs_;
  std::vector<double> values_, slopes_;  // of the inputs
  std::vector<double> row_;
  bool keepsRows_ = false, hasStarted_ = false;
  std::vector<double> times_, rows_;
};

}  // namespace trammel::fmi
