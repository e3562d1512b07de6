// What the page of browser.test.ts loads: the client as a bundler takes it for browsers, and the subset.
import { connect } from "tenon/client";
import { runSubset } from "./subset.mjs";

/** Every outcome of one revision. */
async function outcomes(url, revision) {
  const all = [];
  for await (const outcome of runSubset(connect, url, revision)) all.push(outcome);
  return all;
}

/** The name and message of the error a connection fails with. */
async function refusal(url) {
  const client = connect(url, { timeout: 5_000 });
  return client.then(
    (connected) => connected.close().then(() => undefined),
    (error) => ({ name: error.name, message: error.message }),
  );
}

/** Connects without knowing the revision, and adds two numbers. */
async function sum(url) {
  const client = await connect(url, { timeout: 5_000 });
  const { text } = await client.callTool("add", { a: 20, b: 22 });
  const { protocolVersion } = client;
  await client.close();
  return { protocolVersion, text };
}

Object.assign(globalThis, { outcomes, refusal, sum });
