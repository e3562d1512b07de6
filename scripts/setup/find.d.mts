import type { PartName } from "./parts.mjs";

/** Whether a part is here, and the environment does not say that it is to be done without. */
export function has(part: PartName): boolean;
/** The command, or the sentence, that says how to get these parts. */
export function howToGet(parts: readonly PartName[]): string;
/** Whether `TENON_WITHOUT` names the part: tests that need it are left out in continuous integration too. */
export function isDoneWithout(part: PartName): boolean;
/** Where a program of a part is: in PATH, or in a folder of the system that the table names; undefined where it is not. */
export function programOf(part: PartName, program?: string): string | undefined;
/** The folder of a part that consists of files; undefined where none of its folders has them. */
export function folderOf(part: PartName): string | undefined;
