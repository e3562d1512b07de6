// What a pair saw that is not what was expected, and the reason that explained.json has for it: whose fault it is.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { EXPECTED, REVISIONS } from "./checks.mjs";

/** Each: partner, side, family and transport that it is about (a missing one is any), check, fault, why; isRare if not every run sees it. */
export const explained = JSON.parse(readFileSync(new URL("explained.json", import.meta.url), "utf8"));

const MATCHED = ["partner", "side", "family", "transport", "check"];

/** The deviations of a pair: check, what was seen, and the reason if there is one. */
export function deviationsOf(pair, seen) {
  return Object.entries(EXPECTED).flatMap(([check, wanted]) => {
    const expected = check === "revision" ? REVISIONS[pair.family] : wanted;
    const found = seen[check];
    if (found !== undefined && "value" in found && isDeepStrictEqual(found.value, expected)) return [];
    const shown = found === undefined ? "not asked" : (found.error ?? JSON.stringify(found.value));
    const about = { ...pair, check };
    const reason = explained.find((one) => MATCHED.every((member) => one[member] === undefined || one[member] === about[member]));
    return [{ ...about, seen: shown.slice(0, 200), reason }];
  });
}
