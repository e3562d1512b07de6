#!/usr/bin/env node
// What Tenon's own blocks cost on this machine, each beside the least that could be done instead.
// npm run bench -- micro-tenon [--only text] [--ms n]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon/client';
import { McpServer } from 'tenon/server';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { otel } from 'tenon/otel';
import { build } from 'esbuild';
import { median } from './lib/stats.mjs';
import { V2025, V2026, addCall } from './lib/workload.mjs';
import { endWithReader } from '../scripts/stdout.mjs';

endWithReader();

const args = process.argv.slice(2);
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : '';
const MS = args.includes('--ms') ? Number(args[args.indexOf('--ms') + 1]) : 150;
let sink;

// Blocks that are not public are taken from the source.
const blocks = await build({
  stdin: {
    contents: "export { LineSplitter } from './node/stdio/line-splitter.ts'; export { parseMessage } from './jsonrpc/parse.ts';",
    resolveDir: fileURLToPath(new URL('../packages/tenon/src', import.meta.url)),
    loader: 'ts'
  },
  bundle: true, format: 'esm', platform: 'node', write: false
});
const { LineSplitter, parseMessage } = await import(`data:text/javascript,${encodeURIComponent(blocks.outputFiles[0].text)}`);

/** Microseconds per operation: the best of five windows, each operation awaited only when it returns a promise. */
async function cost(operation) {
  const window = async ms => {
    let n = 0;
    const start = performance.now();
    while (performance.now() - start < ms) {
      for (let i = 0; i < 16; i++) {
        sink = operation(n++);
        if (typeof sink?.then === 'function') sink = await sink;
      }
    }
    return ((performance.now() - start) * 1000) / n;
  };
  await window(MS);
  const windows = [];
  for (let i = 0; i < 5; i++) windows.push(await window(MS));
  return Math.min(...windows);
}

async function compare(name, ours, reference) {
  if (!name.includes(only)) return;
  const [b, a] = [await cost(reference), await cost(ours)];
  const digits = a < 100 ? 2 : 0;
  console.log(`| ${name} | ${a.toFixed(digits)} | ${b.toFixed(digits)} | ${(a - b).toFixed(digits)} | ${(a / b).toFixed(2)} |`);
}

/** A client in process on a server with that many tools; the tool that is called is the last one. */
async function caller(tools, revision) {
  const server = new McpServer({ name: 'micro', version: '1.0.0' });
  const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
  for (let i = 1; i <= tools; i++) server.tool(`tool_${i}`, { description: `Tool ${i}`, input }, ({ a, b }) => String(a + b));
  const client = await connect(server, { revision });
  return n => client.callTool(`tool_${tools}`, { a: n, b: 1 });
}

/** One message of 9 MB that is mostly a tree, in the pieces a pipe would deliver. */
function largeLine() {
  const record = { id: 12345, name: 'a record of a catalogue', tags: ['one', 'two'], price: 1.5, note: 'x'.repeat(900) };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { records: Array.from({ length: 9000 }, () => record) } });
  const bytes = Buffer.from(`${text}\n`);
  const chunks = [];
  for (let i = 0; i < bytes.length; i += 8192) chunks.push(bytes.subarray(i, i + 8192));
  return { text, chunks };
}
function readInChunks(chunks) {
  const splitter = new LineSplitter();
  const lines = [];
  for (const chunk of chunks) splitter.push(chunk, lines);
  return parseMessage(lines[0], { nodes: 1e6, size: 1e8 });
}

function importMs(code) {
  const program = `const t=performance.now();${code};console.log(performance.now()-t)`;
  const once = () => Number(spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname, encoding: 'utf8', timeout: 20_000 }).stdout);
  return median(Array.from({ length: 9 }, once));
}

console.log('| block | µs | reference µs | difference | ratio |\n| --- | ---: | ---: | ---: | ---: |');
for (const [era, revision] of [['2025', V2025], ['2026', V2026]]) {
  const text = addCall(era, 12345, 12);
  await compare(`parseMessage of a tools/call, ${revision}, against JSON.parse`, () => parseMessage(text), () => JSON.parse(text));
  const one = await caller(1, revision);
  const many = await caller(1000, revision);
  await compare(`tools/call in process, ${revision}, 1 000 tools against 1`, many, one);
}
/** A call that asks its user once, and one that does not; with handlers that may wait for the answer, or none. */
async function asker(maxSuspended) {
  const server = new McpServer({ name: 'micro', version: '1.0.0' }, { requestState: { maxSuspended } });
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  server.tool('plain', {}, async () => 'accept');
  server.tool('asks', {}, async (_input, ctx) => (await ctx.elicit('n', { message: 'n?', schema })).action);
  const client = await connect(server, { revision: V2026, onElicit: () => ({ action: 'accept', content: { n: 1 } }) });
  return name => client.callTool(name);
}
for (const [how, maxSuspended] of [['resumed', 100], ['run again', 0]]) {
  const call = await asker(maxSuspended);
  await compare(`tools/call that asks once, sealed, ${how}, against one that does not`, () => call('asks'), () => call('plain'));
}

/** A traced client of a traced server, or neither. */
async function traced(middleware, revision) {
  const server = new McpServer({ name: 'micro', version: '1.0.0' });
  for (const layer of middleware) server.use(layer);
  server.tool('plain', {}, () => 'text');
  const client = await connect(server, { revision, middleware, validateOutput: false });
  return () => client.callTool('plain');
}
// First without an SDK, as in a process that has none: it is registered for all of the process, and for good.
const plain = await traced([], V2025);
await compare('tools/call in process, otel() without an SDK, against none', await traced([otel()], V2025), plain);
trace.setGlobalTracerProvider(new BasicTracerProvider());
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
await compare('tools/call in process, otel() with spans on both sides, against none', await traced([otel()], V2025), plain);
context.disable();

const { text, chunks } = largeLine();
await compare('9 MB line in 8 KiB chunks, split and parsed, against JSON.parse', () => readInChunks(chunks), () => JSON.parse(text));
if ('import'.includes(only)) {
  for (const name of ['tenon/server', 'tenon/client', 'tenon/node']) console.log(`import of ${name}: ${importMs(`await import(${JSON.stringify(name)})`).toFixed(1)} ms`);
}
process.exit(0);
