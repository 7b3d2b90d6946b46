#include "models/compiled_model.hpp"

#include "models/mechanism/mechanism_system.hpp"
#include "models/model_data.hpp"

namespace trammel {

CompiledModel::CompiledModel(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
CompiledModel::CompiledModel(CompiledModel&&) noexcept = default;
CompiledModel& CompiledModel::operator=(CompiledModel&&) noexcept = default;
CompiledModel::~CompiledModel() = default;

const std::string& CompiledModel::name() const { return data_->name; }
const std::string& CompiledModel::identifier() const { return data_->identifier; }
const std::string& CompiledModel::description() const { return data_->description; }
const std::string& CompiledModel::token() const { return data_->token; }
const std::string& CompiledModel::text() const { return data_->text; }
const VariableTable& CompiledModel::variables() const { return data_->variables; }
const UnitTable& CompiledModel::units() const { return data_->units; }
const DefaultExperiment& CompiledModel::defaultExperiment() const { return data_->experiment; }
const SolverOptions& CompiledModel::solverOptions() const { return data_->options; }
const std::vector<std::uint64_t>& CompiledModel::structure() const { return data_->structure; }
CompiledModel CompiledModel::withStructure(std::span<const std::uint64_t> values) const {
  if (data_->structure.empty()) throw Error(data_->name + ": there are no structural parameters");
  return compile(parseModel(data_->text, data_->source), values);
}
const std::vector<Port>& CompiledModel::ports() const { return data_->ports; }
const std::vector<InputRate>& CompiledModel::inputRates() const { return data_->inputRates; }
const MechanismProgram* CompiledModel::mechanism() const {
  return std::get_if<MechanismProgram>(&data_->program);
}
Index CompiledModel::parameterCount() const { return data_->parameterCount; }
Index CompiledModel::inputCount() const { return data_->inputCount; }
Index CompiledModel::outputCount() const { return data_->outputCount; }
Index CompiledModel::coordinateCount() const { return data_->coordinateCount; }
Index CompiledModel::constraintCount() const { return data_->constraintCount; }

std::unique_ptr<ModelSystem> CompiledModel::makeSystem() const {
  if (const auto* mechanism = std::get_if<MechanismProgram>(&data_->program))
    return std::make_unique<MechanismSystem>(*mechanism);
  if (const auto* coded = std::get_if<CodedProgram>(&data_->program)) {
    if (coded->makeSystem) return coded->makeSystem(*coded);
    throw Error(data_->name +
                ": the equations of this model are in C++, its file alone cannot run");
  }
  return std::make_unique<EquationsSystem>(std::get<EquationsProgram>(data_->program));
}

}  // namespace trammel
