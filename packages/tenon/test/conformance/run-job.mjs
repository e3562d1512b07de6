/**
 * A job: connect to a server once, take its steps in order, close, and print a JSON line for each thing that happened.
 *
 * The same module runs on Node (`job.mjs`) and, bundled, in the page of a browser, where servers are reached by HTTP only.
 */
import { ConnectionClosedError, McpError, RequestTimeoutError } from "tenon";
import { oauth } from "tenon/auth";
import { connect } from "tenon/client";
import { steps } from "./job-steps.mjs";

/** No step takes longer, progress or not. */
const STEP_MS = 60_000;

/**
 * Runs `job`; `print` gets each line. Resolves with whether there was a connection.
 */
export async function runJob(job, print) {
  const say = (line) => print(JSON.stringify(line));
  const seen = { notifications: [], requests: [] };
  let client;
  try {
    client = await connect({ ...targetOf(job.server), ...(job.auth && { auth: userOf(job.auth) }) }, optionsOf(job, seen));
  } catch (error) {
    say({ connected: false, error: errorOf(error) });
    return false;
  }
  const { protocolVersion, serverInfo, serverCapabilities: capabilities, instructions } = client;
  say({ connected: true, protocolVersion, serverInfo, capabilities, instructions });
  const context = { client, streams: new Map() };
  for (const [index, step] of (job.steps ?? []).entries()) await take(context, step, index, say);
  for (const stream of context.streams.values()) await stream.close().catch(() => undefined);
  await client.close();
  say({ closed: true, ...seen });
  return true;
}

function targetOf({ type, command, args, env, cwd, url, headers }) {
  if (type !== "stdio") return { url, ...(headers && { headers }) };
  return { command, ...(args && { args }), ...(env && { env }), ...(cwd && { cwd }) };
}

/** A user whose browser is an address: a GET of it visits the page that is appended. */
function userOf({ browser, scope }) {
  const open = async (page, signal) => {
    const response = await fetch(browser + encodeURIComponent(page.href), { signal });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The browser answered with ${response.status}`);
  };
  return oauth({ open, ...(scope !== undefined && { scope }) });
}

function optionsOf({ era = "auto", answers: { sampling, elicitation, roots } = {} }, { notifications, requests }) {
  const answer = (method, result) => (params) => {
    requests.push({ method, params });
    return result;
  };
  const options = {
    timeout: STEP_MS,
    maxTotalTimeout: STEP_MS,
    // Every report there was is printed.
    limits: { maxProgressRate: Infinity },
    onMessage: ({ method, params }) => {
      if (method !== "notifications/progress") notifications.push({ method, params });
    },
  };
  if (era !== "auto") options.revision = era < "2026" ? "stateful" : era;
  if (elicitation) options.onElicit = answer("elicitation/create", elicitation);
  if (roots) options.roots = () => answer("roots/list", roots)({});
  if (sampling) {
    const content = { type: "text", text: sampling.text };
    options.onSample = answer("sampling/createMessage", { role: "assistant", model: "fixture", content });
  }
  return options;
}

async function take(context, step, index, say) {
  if (step.op === "together") {
    await Promise.all(step.steps.map((inner, at) => take(context, inner, `${index}.${at}`, say)));
    return;
  }
  const started = performance.now();
  const call = { progress: [], signal: undefined, timer: undefined };
  const line = { step: index, op: step.op };
  try {
    const run = steps[step.op];
    if (run === undefined) throw new TypeError(`No such step: ${step.op}`);
    const result = (await run(context, step, call)) ?? {};
    Object.assign(line, { ok: true, ms: since(started), result });
  } catch (error) {
    Object.assign(line, { ok: false, ms: since(started), error: errorOf(error, call.signal) });
  } finally {
    clearTimeout(call.timer);
  }
  say({ ...line, ...(step.op === "callTool" && { progress: call.progress }) });
}

const since = (started) => Math.round(performance.now() - started);

function errorOf(error, signal) {
  const { message } = error;
  return { kind: kindOf(error, signal), ...(error instanceof McpError && { code: error.code, data: error.data }), message };
}

function kindOf(error, signal) {
  if (signal?.aborted) return "abort";
  if (error instanceof RequestTimeoutError) return "timeout";
  if (error instanceof ConnectionClosedError) return "transport";
  return error instanceof McpError ? "rpc" : "transport";
}
