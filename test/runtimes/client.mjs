// Runs the subset against the server at the URL it is given, under whatever runtime runs it: one JSON line a check.
import process from "node:process";
import { connect } from "tenon/client";
import { runSubset } from "./subset.mjs";

const [url, ...revisions] = process.argv.slice(2);
for (const revision of revisions) {
  for await (const outcome of runSubset(connect, url, revision)) console.log(JSON.stringify(outcome));
}
