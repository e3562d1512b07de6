// Bad inputs: those that parsers get, those that peers get over the wire, and the official conformance suite.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { last, project, read, row, script } from "./run.mjs";

export async function fuzz(size) {
  const { ok } = await script("fuzz", "--seconds", String(size.fuzzSeconds), "--json");
  if (!existsSync(join(project, "out/fuzz.json")))
    return [row("Inputs for parsers", "≥ 1,000,000, no failure", "the fuzzer did not run", false)];
  const { inputs, failures, targets } = read("out/fuzz.json");
  const slowest = Math.max(...targets.map(({ slowestMs }) => slowestMs));
  const inputsOf = (target) => targets.find(({ name }) => name === target).inputs;
  const [states, urls] = [inputsOf("states"), inputsOf("urls")];
  return [
    row("Inputs for parsers", "≥ 1,000,000, no failure", `${inputs} inputs, ${failures} failures`, ok && inputs >= 1_000_000),
    row("Longest CPU time of one input", "≤ 50 ms", `${slowest} ms`, slowest <= 50),
    row("Sealed states that were altered", "≥ 10,000, none opens", `${states}`, ok && states >= 10_000),
    row("URLs of authorization servers", "≥ 2,000, none allowed that is private", `${urls}`, ok && urls >= 2_000),
  ];
}

export async function wire() {
  const { output, ok } = await script("fuzz:wire");
  const control = await script("fuzz:wire", "--http", "300", "--stdio", "300", "--client", "100", "--broken");
  return [
    row(
      "Changed requests over HTTP and stdio; changed answers for our client",
      "≥ 20,000, ≥ 5,000, ≥ 5,000: all answered, no call waits for its whole time",
      last(output),
      ok,
    ),
    row(
      "Negative control: requests that stay open on either side, errors that tell where",
      "is found",
      last(control.output),
      control.ok,
    ),
  ];
}

/** The official suite: each leg of each revision, then the server behind the gateway and the client in front of it. */
export async function conformance() {
  const { output, ok } = await script("conformance");
  const passed = [...output.matchAll(/: (\d+)\/(\d+) scenarios/g)].reduce(
    (sum, [, done, of]) => [sum[0] + Number(done), sum[1] + Number(of)],
    [0, 0],
  );
  const value = `${passed.join(" of ")} scenarios; ${last(output)}`;
  return [
    row(
      "Official conformance on every revision, also through the gateway",
      "meets the bar: every scored and unscored scenario",
      value,
      ok,
    ),
  ];
}
