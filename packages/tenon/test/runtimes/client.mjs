// Runs the subset under whatever runtime runs it, against a URL or a program to start: one JSON line a check.
import process from "node:process";
import { connect } from "tenon/client";
import { runSubset } from "./subset.mjs";

const [target, ...revisions] = JSON.parse(process.argv[2]);
for (const revision of revisions) {
  for await (const outcome of runSubset(connect, target, revision)) console.log(JSON.stringify(outcome));
}
