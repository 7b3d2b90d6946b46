#pragma once

#include <string>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// The text of terminalsAndIcons.xml: in FMI 3 the place of the icon; every port is a terminal with
/// matchingRule "plug" and terminalKind "trammel.flange", "trammel.point" or "trammel.frame". FMI 2
/// lists the components of vectors one by one.
std::string terminalsXml(const std::vector<Port>& ports, FmiVersion version);

}  // namespace trammel::fmi
