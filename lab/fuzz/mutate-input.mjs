// New inputs from old ones: changes of characters, and of values of a JSON tree.

/** Numbers from a seed (mulberry32), so that a run can be repeated. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (max) => Math.floor(next() * max);
  return { below, pick: (items) => items[below(items.length)], chance: (share) => next() < share };
}

/** What breaks parsers. */
const TOKENS = [
  ..."{}[]\":,\\/\n\r\t #?&=;%+*~._-^$()|<>'`".split(""),
  "\0",
  "\uFEFF",
  "\uFFFD",
  "\uD800",
  "\u2028",
  "\u00E9",
  "\u{1F600}",
  "\r\n",
  "\n\n",
  "data:",
  "event:",
  "id:",
  "retry:",
  "__proto__",
  "constructor",
  "null",
  "true",
  "-0",
  "1e400",
  "9007199254740993",
  "%2F",
  "%00",
  "..",
  "=?base64?",
  "?=",
  '"a":1,"a":2',
  "\\u0000",
  "http://",
  "127.0.0.1",
  "[::1]",
  "Bearer ",
];
const VALUES = [null, true, false, 0, -1, 1.5, 2 ** 53, "", "a", [], {}, [[]], { a: 1 }];

/** One to four changes. */
export function changed(input, other, kind, tokens, random) {
  if (kind === "json" && random.chance(0.8)) {
    const tree = changedTree(input, other, random);
    if (tree !== undefined) return tree;
  }
  let text = input;
  for (let i = random.below(4); i >= 0; i--) text = changedText(text, other, tokens, random);
  return text.slice(0, 4_000);
}

function changedText(text, other, tokens, random) {
  const at = random.below(text.length + 1);
  const length = random.below(Math.min(12, text.length - at + 1));
  const rest = text.slice(at + length);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at) + rest;
    case 1:
      return text.slice(0, at) + random.pick(random.chance(0.5) ? TOKENS : tokens) + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.below(random.chance(0.9) ? 128 : 65_536)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length).repeat(1 + random.below(4)) + rest;
    case 4: {
      const from = random.below(other.length + 1);
      return text.slice(0, at) + other.slice(from, from + random.below(20)) + rest;
    }
    default:
      return text.slice(0, at) + other.slice(random.below(other.length + 1));
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every place in a tree: a container and a key. */
function placesIn(value, places = []) {
  if (typeof value !== "object" || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push([value, key]);
    placesIn(value[key], places);
  }
  return places;
}

function changedTree(input, other, random) {
  const tree = parsed(input);
  const places = placesIn(tree);
  if (places.length === 0) return undefined;
  const others = placesIn(parsed(other));
  for (let i = random.below(3); i >= 0; i--) {
    const [container, key] = random.pick(places);
    const [from, fromKey] = others.length > 0 ? random.pick(others) : [VALUES, 0];
    const taken = structuredClone(random.chance(0.5) ? from[fromKey] : random.pick(VALUES));
    if (random.chance(0.2)) delete container[key];
    else if (random.chance(0.3) && !Array.isArray(container)) container[String(fromKey)] = taken;
    else if (Array.isArray(container) && random.chance(0.3)) container.push(taken);
    else container[key] = taken;
  }
  const text = JSON.stringify(tree);
  return text.length > 20_000 ? undefined : text;
}
