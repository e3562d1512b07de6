/** Findings as SARIF 2.1.0, the form that code hosts show beside the lines of a pull request. */
import type { JsonObject } from "tenon";
import { packageVersion } from "../version.ts";
import type { Finding } from "./rule.ts";
import { RULE_TEXTS } from "./rules.ts";

/** @param file the file that the findings are about, as the repository names it */
export function toSarif(findings: readonly Finding[], file: string): JsonObject {
  const rules = RULE_TEXTS.map(({ id, about, explain, level }) => ({
    id,
    shortDescription: { text: about },
    fullDescription: { text: explain },
    help: { text: explain },
    defaultConfiguration: { level },
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "tenon check", version: packageVersion(), rules } },
        results: findings.map(({ rule, level, where, message }) => ({
          ruleId: rule,
          level,
          message: { text: `${where}: ${message}` },
          locations: [
            { physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 1 } }, logicalLocations: [{ name: where }] },
          ],
          partialFingerprints: { "tenon/v1": `${rule} ${where}` },
        })),
      },
    ],
  };
}
