#!/usr/bin/env node
// npm run bench -- against [--commit HEAD~1] [--scenarios a,b] [--rounds n] [--ms n]
// The CPU time of each row beside the same row of another commit, in one run: `tenon-before` and `tenon` take turns, and a ratio compares two windows
// of one round. A row that costs more than its noise (`lib/verdict.mjs`) is measured again, with all rows of its scenario; if it costs more once
// more, the program names it and ends with 1. Nothing here is timed: a busy machine makes the run longer, and changes the CPU time of a call little.
import { SCENARIOS } from './scenarios/index.mjs';
import { loadPeer } from './peers/index.mjs';
import { stopAll } from './lib/proc.mjs';
import { gate } from './lib/interleave.mjs';
import { verdictOf } from './lib/verdict.mjs';
import { median } from './lib/stats.mjs';
import { endWithReader } from '../scripts/stdout.mjs';

endWithReader();

const args = process.argv.slice(2);
const opt = (name, otherwise) => {
  const i = args.indexOf(`--${name}`);
  return i >= 0 ? args[i + 1] : otherwise;
};
const wanted = opt('scenarios', 'stdio,http-2025,http-2026,client,list,result,stream,fanout,ways').split(',');
const rounds = Number(opt('rounds', 9));
const cfg = {
  ...{ rounds, payloadRounds: rounds, ms: Number(opt('ms', 60)), warmCalls: 4000, warmMs: 300, warmMaxMs: 10000 },
  ...{ concurrency: [16, 1], notifications: 5000, streamCalls: 4, streams: 200 },
  // Each engine that is installed but PGlite, which takes seconds to start.
  engines: ['memory', 'redis', 'postgres', 'nats']
};
gate.leastCalls = 600;
gate.budgetMs = 0; // other processes cost no CPU time of ours: there is nothing to wait for
const log = s => console.error(s);
const peers = await Promise.all(['tenon-before', 'tenon'].map(loadPeer));

/** The rows of one scenario with their verdicts. */
async function measure(scenario) {
  const rows = await scenario.run({ peers, cfg, log });
  return rows.filter(r => r.peer === 'tenon').map(now => {
    const before = rows.find(r => r.peer === 'tenon-before' && r.variant === now.variant);
    const failed = now.failed ?? before.failed;
    const [was, is] = [before, now].map(r => r.metrics.cpuUs?.rounds ?? []);
    return { name: `${scenario.id}, ${now.variant}`, failed, was: median(was), is: median(is), ...verdictOf(was, is) };
  });
}

const lost = [];
for (const scenario of SCENARIOS.filter(s => wanted.includes(s.id))) {
  let rows = await measure(scenario);
  for (const { name, was, is, ratio, bound } of rows) console.log(`${name.padEnd(44)} ${was.toFixed(1).padStart(8)} ${is.toFixed(1).padStart(8)} µs  ${ratio.toFixed(2)} (at most ${bound.toFixed(2)})`);
  const suspects = rows.filter(r => r.isSlower || r.failed).map(r => r.name);
  if (suspects.length === 0) continue;
  rows = await measure(scenario);
  lost.push(...rows.filter(r => suspects.includes(r.name) && (r.isSlower || r.failed)));
}
await stopAll();
for (const { name, ratio, bound, failed } of lost) console.log(`SLOWER ${name}: ${failed ?? `${ratio.toFixed(2)} times the CPU time of the commit before, at most ${bound.toFixed(2)}`}`);
process.exit(lost.length > 0 ? 1 : 0);
