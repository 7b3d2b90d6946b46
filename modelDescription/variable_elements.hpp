#pragma once

#include <pugixml.hpp>

#include "modelDescription/described_variables.hpp"

namespace trammel::fmi {

/// Fills ModelVariables.
void writeVariables(pugi::xml_node node, const DescribedVariables& variables, bool fmi3);

}  // namespace trammel::fmi
