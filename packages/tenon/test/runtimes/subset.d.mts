/** The types of the subset, which is plain JavaScript so that every runtime runs it as it is. */
import type { connect, Target } from "tenon/client";
import type { Outcome } from "./running.ts";

/** The newest revision of each kind. */
export const REVISIONS: readonly string[];

/** The names of what is reported, in order. */
export const CHECKS: readonly string[];

/** Runs all of it in one revision against a server. */
export function runSubset(connect: typeof connect, target: Target, revision: string): AsyncIterable<Outcome>;
