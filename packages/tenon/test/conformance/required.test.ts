/**
 * What the official conformance suite requires of a revision, against the report of the last `npm run conformance`: the suite
 * itself says which scenarios these are. Without a report they are left out, and so they are if it is of another source.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { leaveOut, needs } from "../support/needs.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const REPORT = join(root, "out/conformance.json");
const GATEWAY_REPORTS = {
  server: join(root, "out/conformance-gateway.json"),
  client: join(root, "out/conformance-gateway-client.json"),
};
const SUITE = join(root, "conformance/node_modules/@modelcontextprotocol/conformance");
/** The suite skips it whatever a server does. */
const WITHOUT_CHECKS = "tasks-status-notifications";

/** What a report depends on. */
const SOURCES = ["packages/tenon/src", "packages/tenon/test/conformance", "conformance", "package-lock.json"];

interface Report {
  /** The commit that it is of, with `-changed` if files differed from it; absent in reports of before that was kept. */
  readonly commit?: string;
  /** The version of the suite. */
  readonly suite: string;
  readonly legs: readonly {
    readonly label: string;
    readonly detail: readonly { readonly name: string; readonly ok: boolean }[];
  }[];
}

interface Requirements {
  readonly server: readonly string[];
  readonly client: readonly string[];
  readonly not_scored?: readonly { readonly scenario: string; readonly leg: "server" | "client" }[];
}

const report = (file = REPORT): Report => JSON.parse(readFileSync(file, "utf8")) as Report;
const requirementsOf = (revision: string): Requirements =>
  parse(readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8")) as Requirements;

/** Whether a report is of the source as it is now: nothing that it depends on differs from its commit. */
function isOfThisSource({ commit = "" }: Report): boolean {
  if (!/^[0-9a-f]{40}$/.test(commit)) return false;
  return spawnSync("git", ["diff", "--quiet", commit, "--", ...SOURCES], { cwd: root }).status === 0;
}

/** The scenarios of a leg that passed. */
function passedIn(label: string, file?: string): string[] {
  const leg = report(file).legs.find((one) => one.label === label);
  return (leg?.detail ?? []).filter(({ ok }) => ok).map(({ name }) => name);
}

describe("The official conformance suite", () => {
  const isHere = needs("conformance");

  // What another source passed proves nothing of this one.
  beforeEach((context) => {
    const files = [REPORT, GATEWAY_REPORTS.server, GATEWAY_REPORTS.client];
    if (isHere && !files.every((file) => isOfThisSource(report(file)))) leaveOut(["conformance"], context);
  });

  it("is the one that is pinned", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "conformance/package.json"), "utf8")) as { dependencies: object };
    expect(dependencies).toEqual({ "@modelcontextprotocol/conformance": report().suite });
  });

  describe.each(["2025-11-25", "2026-07-28"])("on %s", (revision) => {
    it.each(["server", "client"] as const)(
      "passes every scenario that it requires of a %s, at the wire version of the revision [requirement S1]",
      (side) => {
        const required = requirementsOf(revision)[side];
        expect(required.length).toBeGreaterThan(10);
        expect(passedIn(`${side} ${revision}`).toSorted()).toEqual(required.toSorted());
      },
    );

    it.each(["server", "client"] as const)(
      "passes every scenario that it requires of a %s through the gateway as well",
      (side) => {
        expect(passedIn(`${side} ${revision}`, GATEWAY_REPORTS[side]).toSorted()).toEqual(
          requirementsOf(revision)[side].toSorted(),
        );
      },
    );

    it.each(["server", "client"] as const)("passes what it runs for a %s without scoring it [requirement S1]", (side) => {
      const { not_scored: unscored = [] } = requirementsOf(revision);
      const names = unscored
        .filter(({ leg, scenario }) => leg === side && scenario !== WITHOUT_CHECKS)
        .map(({ scenario }) => scenario);
      expect(names).not.toEqual([]);
      expect(passedIn(`${side} ${revision} not scored`)).toEqual(expect.arrayContaining(names));
    });
  });
});
