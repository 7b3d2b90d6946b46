#pragma once

#include <pugixml.hpp>

#include "modelDescription/described_variables.hpp"

namespace trammel::fmi {

/// Fills ModelStructure: outputs, derivatives of the states, initial unknowns.
void writeStructure(pugi::xml_node node, const DescribedVariables& variables, bool fmi3);

}  // namespace trammel::fmi
