// What two observations do not have in common, by place, and which of that has a reason in explained.json.
import { readFileSync } from "node:fs";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function* compared(path, first, second) {
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
    for (const [index, one] of first.entries()) yield* compared(`${path}[]`, one, second[index]);
  } else if (isObject(first) && isObject(second)) {
    const members = new Set([...Object.keys(first), ...Object.keys(second)]);
    for (const member of members) yield* compared(path === "" ? member : `${path}.${member}`, first[member], second[member]);
  } else if (JSON.stringify(first) !== JSON.stringify(second)) yield { path, first, second };
}

/**
 * The places in which two values differ, each once: entries of lists have the place of the first one that differs. A list of
 * another length is one difference, and so is a value of another type.
 */
export function differences(first, second) {
  const places = new Map();
  for (const found of compared("", first, second)) if (!places.has(found.path)) places.set(found.path, found);
  return [...places.values()];
}

/** A value as the results keep it. */
export const short = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 300);

const quoted = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
const toPattern = (text) => new RegExp(`^${text.split("*").map(quoted).join(".*")}$`, "s");

/** The file beside this one: `name` is a server or a client, `at` a place; `*` stands for any text in both. */
const reasons = JSON.parse(readFileSync(new URL("explained.json", import.meta.url), "utf8")).map(({ name, at, reason }) => ({
  isFor: toPattern(name),
  isAt: toPattern(at),
  reason,
}));

const reasonOf = (name, at) => reasons.find((one) => one.isFor.test(name) && one.isAt.test(at))?.reason;

/** The differences of a row, each with the reason why it is right as it is; without one if the file does not say. */
export const explained = ({ name, differences }) => differences.map((one) => ({ ...one, reason: reasonOf(name, one.at) }));

/** The differences that nothing explains. */
export const openOf = (row) => explained(row).filter(({ reason }) => reason === undefined);
