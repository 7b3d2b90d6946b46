#include "coupling/fmu_instance.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "coupling/fmu_error.hpp"
#include "coupling/temporary_directory.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/output_file.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"

using namespace trammel;
using namespace trammel::coupling;
using namespace trammel::testing;
using fmi::FmiVersion;

namespace {

fmi::PackageOptions packageOptions(FmiVersion version) {
  const fmi::Platform host = fmi::hostPlatform();
  const fmi::Installation installation{TRAMMEL_BINARY_DIR};
  return {version, {{host, installation.runtimeBinary(host)}}, {}};
}

/// The driven slider as an FMU of one version in a temporary folder; a folder with a blank, '%' and
/// 'ü' in its name.
struct SliderFmu {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "a b%20\u00fc" / "slider.fmu";

  explicit SliderFmu(FmiVersion version) {
    std::filesystem::create_directory(path.parent_path());
    fmi::writeFmu(slider(), packageOptions(version), path);
  }
};

std::uint32_t reference(const Fmu& fmu, const char* name) {
  return fmu.description().find(name)->valueReference;
}

double get(FmuInstance& instance, std::uint32_t valueReference) {
  std::array<double, 1> value{};
  instance.getReal(std::array{valueReference}, value);
  return value[0];
}

void initialize(FmuInstance& instance) {
  instance.enterInitializationMode({.startTime = 0, .stopTime = 10, .tolerance = 1e-8});
  instance.exitInitializationMode();
}

}  // namespace

TEST_CASE("an FMU is unpacked, initialized, driven by its input and terminated") {
  const SliderFmu file(GENERATE(FmiVersion::fmi2, FmiVersion::fmi3));
  const Fmu fmu(file.path);
  FmuInstance instance(fmu, "slider");
  instance.setReal(std::array{reference(fmu, "F")}, std::array{4.0});
  initialize(instance);
  // From rest at the rest position, constant force: x − offset = F/k (1 − cos(ω t)), ω² = k/m = 4
  // s⁻².
  for (int i = 0; i < 10; ++i) {
    CHECK(instance.doStep(0.1 * i, 0.1).status == FmuStatus::ok);
  }
  CHECK(get(instance, reference(fmu, "x")) ==
        Approx(0.25 + 4.0 / 8 * (1 - std::cos(2.0))).margin(1e-5));
  instance.terminate();
}

TEST_CASE("a saved and a serialized state both continue bit for bit") {
  const SliderFmu file(GENERATE(FmiVersion::fmi2, FmiVersion::fmi3));
  const Fmu fmu(file.path);
  FmuInstance instance(fmu, "slider");
  initialize(instance);
  instance.doStep(0, 0.3);
  const FmuInstance::State state = instance.saveState();
  const std::vector<std::byte> bytes = instance.serialize(state);
  instance.doStep(0.3, 0.5);
  const double straight = get(instance, reference(fmu, "x"));

  instance.restoreState(state);
  instance.doStep(0.3, 0.5);
  CHECK(get(instance, reference(fmu, "x")) == straight);

  FmuInstance other(fmu, "other");
  initialize(other);
  other.restoreState(other.deserialize(bytes));
  other.doStep(0.3, 0.5);
  CHECK(get(other, reference(fmu, "x")) == straight);
}

TEST_CASE("the unpacked files are removed with the FMU") {
  const SliderFmu file(FmiVersion::fmi3);
  std::filesystem::path unpacked;
  {
    const Fmu fmu(file.path);
    unpacked = fmu.resources().parent_path();
    CHECK(std::filesystem::exists(unpacked / "modelDescription.xml"));
  }
  CHECK_FALSE(std::filesystem::exists(unpacked));
}

TEST_CASE("a call that fails names file, function, status and the FMU's message") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const SliderFmu file(version);
  const Fmu fmu(file.path);
  FmuInstance instance(fmu, "slider");
  initialize(instance);
  std::array<double, 1> value{};
  const std::string function = version == FmiVersion::fmi3 ? "fmi3GetFloat64" : "fmi2GetReal";
  CHECK_THROWS_WITH(instance.getReal(std::array{99999u}, value),
                    Catch::Contains(file.path.string()) &&
                        Catch::Contains(function + " returned error: ") &&
                        Catch::Contains("99999"));
}

TEST_CASE("an FMU that does not know its token is not instantiated, and says why") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const TemporaryDirectory directory;
  std::vector<fmi::ZipEntry> files = fmuFiles(slider(), packageOptions(version));
  for (fmi::ZipEntry& entry : files) {
    if (entry.name == "modelDescription.xml") replaceAll(entry.bytes, slider().token(), "wrong");
  }
  fmi::writeOutputFile(directory.path() / "a.fmu", fmi::zipArchive(files));
  const Fmu fmu(directory.path() / "a.fmu");
  CHECK_THROWS_WITH(FmuInstance(fmu, "a"),
                    Catch::Contains("returned NULL: ") && Catch::Contains("wrong"));
}

TEST_CASE("FMUs without description, binary or functions are refused by name") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a.fmu";
  const auto load = [&](const std::vector<fmi::ZipEntry>& files) {
    fmi::writeOutputFile(path, fmi::zipArchive(files));
    return Fmu(path);
  };
  const std::string xml = fmi::modelDescriptionXml(slider(), FmiVersion::fmi3);
  const std::string binary = "binaries/x86_64-linux/" + slider().identifier() + ".so";
  CHECK_THROWS_WITH(Fmu(directory.path() / "missing.fmu"), Catch::Contains("no such file"));
  CHECK_THROWS_WITH(load({{"a", ""}}), Catch::Contains("modelDescription.xml is missing"));
  CHECK_THROWS_WITH(load({{"modelDescription.xml", xml}}), Catch::Contains("expected " + binary));
  CHECK_THROWS_WITH(load({{"modelDescription.xml", xml}, {binary, "no library"}}),
                    Catch::Contains("cannot load"));
}
