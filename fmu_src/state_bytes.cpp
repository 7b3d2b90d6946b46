#include "fmu_src/state_bytes.hpp"

namespace trammel::fmi {

/// The checksum comes first: all later checks then speak of whole bytes.
StateReader openState(std::span<const std::byte> bytes, const StateFormat& format,
                      const std::string& token) {
  if (bytes.size() < format.magic.size() + 2 * wordSize)
    throw Error("serialized state: " + std::to_string(bytes.size()) +
                " bytes are too few to be one");
  const std::string magic(format.magic.begin(), format.magic.end());
  StateReader reader(bytes.first(bytes.size() - wordSize));
  if (reader.characters(format.magic.size()) != magic)
    throw Error("serialized state: does not begin with " + magic + ", so it is not one");
  const std::uint64_t version = reader.word();
  if (version != format.version)
    throw Error("serialized state: format version is " + std::to_string(version) + ", expected " +
                std::to_string(format.version));
  if (StateReader(bytes.last(wordSize)).word() !=
      stateChecksum(bytes.first(bytes.size() - wordSize)))
    throw Error("serialized state: checksum differs, " + std::to_string(bytes.size()) +
                " bytes are damaged or cut");
  const std::string found = reader.characters(reader.word());
  if (found != token)
    throw Error("serialized state: belongs to the model with token \"" + found + "\", expected \"" +
                token + "\"");
  return reader;
}

}  // namespace trammel::fmi
