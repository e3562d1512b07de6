// wrk as the driver: a program in C that sends ready-made requests, for servers that use every core, where a driver in Node needs a core for itself. In a window
// that `checks` every reply is looked at; that costs wrk more, so in the others only their status and their size are.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUT } from './proc.mjs';

const FILE = join(OUT, `wrk-${process.pid}.lua`);

/** What wrk runs. JSON's strings are Lua's, too: requests and what is expected are ASCII. */
const script = (requests, expected, checks) => `
local requests, n, one = {${requests.map(text => JSON.stringify(text)).join(',')}}, 0, nil
wrong = 0
setup = function(thread) one = thread end
request = function()
  n = n % #requests + 1
  return requests[n]
end
${checks ? `response = function(status, _, body) if status ~= 200 or not body:find(${JSON.stringify(expected)}, 1, true) then wrong = wrong + 1 end end` : ''}
done = function(summary, latency)
  local errors = summary.errors
  local bad = one:get("wrong") + errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\\n{"replies":%d,"us":%d,"bytes":%d,"bad":%d,"p50us":%d,"p99us":%d}', summary.requests, summary.duration, summary.bytes, bad, latency:percentile(50), latency:percentile(99)))
end
`;

/** CPU time of the programs that this process has started and that have ended, in microseconds. */
function usedByEnded() {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

/** Sends the requests by turns over that many connections. `checks`: whether each reply must have the text `expected`. */
export async function drive({ port, requests, expected, inFlight, seconds, checks = false }) {
  writeFileSync(FILE, script(requests, expected, checks));
  const before = usedByEnded();
  const wrk = spawn('wrk', ['-t1', `-c${inFlight}`, `-d${seconds}s`, '--timeout', '10s', '-s', FILE, `http://127.0.0.1:${port}/mcp`]);
  let said = '';
  for (const pipe of [wrk.stdout, wrk.stderr]) pipe.on('data', piece => (said += piece));
  await new Promise((resolve, reject) => wrk.once('error', () => reject(new Error('wrk is not there: apt-get install wrk'))).once('close', resolve));
  rmSync(FILE);
  const line = said.split('\n').at(-1);
  if (!line.startsWith('{')) throw new Error(`wrk: ${said.slice(-300)}`);
  const { replies, us, bytes, bad, p50us, p99us } = JSON.parse(line);
  return { replies, bad, perSecond: replies / (us / 1e6), bytesEach: bytes / replies, driverUs: usedByEnded() - before, p50: p50us / 1000, p99: p99us / 1000 };
}
