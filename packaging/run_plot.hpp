#pragma once

#include <string>

#include "packaging/page.hpp"

namespace trammel::fmi {

/// A page of its own with plots to zoom and to choose variables in.
std::string runPage(const std::string& title, const std::string& subtitle, const PlotData& data);

/// The same as a picture: one panel for each unit, as many as fit.
std::string runSvg(const std::string& title, const PlotData& data);

}  // namespace trammel::fmi
