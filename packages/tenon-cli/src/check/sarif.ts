/** Findings as SARIF 2.1.0, the form that code hosts show beside the lines of a pull request. */
import { createHash } from "node:crypto";
import type { JsonObject } from "tenon";
import { packageVersion } from "../version.ts";
import type { Finding } from "./rule.ts";
import { RULE_TEXTS } from "./rules.ts";
import type { Places } from "./source-places.ts";

export function toSarif(findings: readonly Finding[], places: Places): JsonObject {
  const rules = RULE_TEXTS.map(({ id, about, explain, level }) => ({
    id,
    shortDescription: { text: about },
    fullDescription: { text: explain },
    help: { text: explain },
    defaultConfiguration: { level },
  }));
  const marks = new Fingerprints();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "tenon check", version: packageVersion(), rules } },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, places, marks)),
      },
    ],
  };
}

function resultOf(finding: Finding, places: Places, marks: Fingerprints): JsonObject {
  const { rule, level, where, message } = finding;
  const { uri, line } = places.of(finding);
  return {
    ruleId: rule,
    ruleIndex: RULE_TEXTS.findIndex(({ id }) => id === rule),
    level,
    message: { text: `${where}: ${message}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri, uriBaseId: "%SRCROOT%" }, region: { startLine: line } },
        logicalLocations: [{ name: where, kind: "member" }],
      },
    ],
    partialFingerprints: { "tenon/v1": marks.of(finding) },
  };
}

/** What tells a finding from others, and stays when its line or a count in its message changes. */
class Fingerprints {
  readonly #seen = new Map<string, number>();

  of({ rule, where, message }: Finding): string {
    const text = `${rule}\n${where}\n${message.replace(/\d[\d,]*/g, "#")}`;
    const times = (this.#seen.get(text) ?? 0) + 1;
    this.#seen.set(text, times);
    return createHash("sha256").update(`${text}\n${times}`).digest("hex");
  }
}
