// The referee of 30 tasks for coding agents: gives each task to an agent in an empty folder with Tenon installed, tests what the
// agent has left there, and says what share of the runs ends green, by task.
//   npm run agent-tasks -- --agent "claude -p"       any command that reads the task from stdin, or from the file $TASK_PROMPT
//   npm run agent-tasks -- --replay                  no agent: the recorded answers, which must be green, and the wrong ones, red
//   --without-skills, --runs 5, --only server-notes,http-bearer, --minutes 10, --keep folder, --json, --list: README.md here
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { askAgent } from "./referee/agent.mjs";
import { check } from "./referee/check.mjs";
import { installTenon, placeWork } from "./referee/places.mjs";
import { report } from "./referee/report.mjs";
import { ANSWER, choose, placeAnswer, recordedAnswers } from "./referee/tasks.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { values } = parseArgs({
  options: {
    agent: { type: "string" },
    replay: { type: "boolean" },
    "without-skills": { type: "boolean", default: false },
    runs: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
    only: { type: "string" },
    keep: { type: "string" },
    json: { type: "boolean", default: false },
    list: { type: "boolean" },
  },
});
const say = values.json ? () => {} : (text) => console.log(text);

/** What is to be run: a task, what answers it, and whether its test must come out green. */
function* turns(names) {
  for (const task of names)
    if (values.replay) for (const answer of recordedAnswers(task)) yield { task, answer, expected: answer === ANSWER };
    else for (let run = 1; run <= Number(values.runs); run += 1) yield { task, answer: `run ${run}`, expected: true };
}

/** Runs one turn in a folder of its own. */
async function play({ task, answer, expected }, at, installed) {
  placeWork(task, at, installed);
  const started = performance.now();
  const limit = Number(values.minutes) * 60_000;
  const fault = values.replay
    ? placeAnswer(task, answer, at)
    : await askAgent(values.agent, task, at, { skills: installed.skills, limit });
  const seconds = Math.round((performance.now() - started) / 1_000);
  const reason = fault ?? (await check(task, at));
  const result = {
    task,
    answer,
    green: reason === undefined,
    expected,
    ...(reason && { reason }),
    ...(!values.replay && { seconds }),
  };
  say(
    `${result.green ? "green" : "red  "}  ${task}${answer === ANSWER ? "" : `, ${answer}`}${reason ? `: ${reason.split("\n")[0]}` : ""}`,
  );
  return result;
}

async function main() {
  const names = choose(values.only);
  if (values.list) return console.log(names.join("\n"));
  if ((values.agent === undefined) === (values.replay === undefined))
    throw new Error('give either --agent "command" or --replay');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-agent-tasks-")));
  const to = values.keep === undefined ? folder : resolve(values.keep);
  try {
    const installed = installTenon(folder, { skills: !values["without-skills"] });
    const results = [];
    for (const turn of turns(names)) {
      const at = join(to, `${turn.task}-${turn.answer.replaceAll(/\W+/g, "-")}`);
      mkdirSync(at, { recursive: true });
      results.push(await play(turn, at, installed));
      if (values.keep === undefined) rmSync(at, { recursive: true, force: true });
    }
    const { text, ok } = report(results, { skills: installed.skills, replay: values.replay === true, json: values.json });
    console.log(text);
    process.exitCode = ok ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
