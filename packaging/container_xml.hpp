#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "packaging/container_exposure.hpp"

namespace trammel::fmi {

/// What the description of a container says besides its variables.
struct ContainerHeading {
  std::string modelName, modelIdentifier;
  double stopTime = 1;  // [s]
  bool needsTool = false, onlyOncePerProcess = false;
  DescriptionOptions options;
};

/// The text of modelDescription.xml. Capabilities are what all members allow.
std::string containerXml(const ContainerDescription& container, const ContainerHeading& heading,
                         const std::vector<ExposedVariable>& variables,
                         const std::vector<MemberXml>& members, FmiVersion version);

}  // namespace trammel::fmi
