import type { PartName } from "../setup/parts.mjs";

/** A test that was left out, and the parts that are missing. */
export interface LeftOut {
  readonly file: string;
  readonly parts: readonly PartName[];
}

/** The table that stands at the end of a run; no lines if nothing was left out. */
export function leftOutTable(leftOut: readonly LeftOut[]): string[];
