/**
 * The reporter that says at the end of every run which tests were left out (needs.ts), and how to get what they need.
 *
 * It also leaves the missing parts with each test, where vitest's own report has them: scripts/check.mjs reads it there, and is
 * the one that speaks when it has started the run.
 */
import type { Reporter, TestModule } from "vitest/node";
import { leftOutTable, type LeftOut } from "../../../../scripts/check/left-out.mjs";
import type { PartName } from "../../../../scripts/setup/parts.mjs";

declare module "vitest" {
  interface TaskMeta {
    /** The parts without which this test was left out. */
    needs?: readonly PartName[];
  }
}

export class LeftOutReporter implements Reporter {
  readonly #isQuiet: boolean;

  /** @param isQuiet whether somebody else prints the table */
  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const leftOut = modules.flatMap((module) => leftOutOf(module));
    if (this.#isQuiet || leftOut.length === 0) return;
    console.log(["", ...leftOutTable(leftOut)].join("\n"));
  }
}

function leftOutOf(module: TestModule): LeftOut[] {
  return [...module.children.allTests("skipped")].flatMap((test) => {
    const result = test.result();
    const note = result.state === "skipped" ? result.note : undefined;
    if (!note?.startsWith("needs ")) return [];
    const parts = note.slice("needs ".length).split(" ") as PartName[]; // as needs.ts wrote it
    test.meta().needs = parts;
    return [{ file: module.moduleId, parts }];
  });
}
