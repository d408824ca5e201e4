// Offsets in formulas: the engine counts bytes of UTF-8, the browser counts units of UTF-16.

const encoder = new TextEncoder();

// The number of bytes before a place in a text.
export function toBytes(text, units) {
  return encoder.encode(text.slice(0, units)).length;
}

// The place in a text that has this number of bytes before it.
export function toUnits(text, bytes) {
  let seen = 0;
  let units = 0;
  for (const character of text) {
    if (seen >= bytes) break;
    seen += encoder.encode(character).length;
    units += character.length;
  }
  return units;
}
