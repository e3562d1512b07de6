/** Records what the user does, runs it again to see what has changed, and writes it as a test. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { RecordedStep, ReplayedStep } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { equal } from "../../differences.ts";
import { visible } from "../data/json.ts";
import { connections, states, targets, version } from "../data/store.ts";
import { Empty } from "../parts/empty.tsx";
import { Differences } from "../parts/differences.tsx";

export function Recording({ target }: { target: number }): VNode {
  void version.servers.value;
  const { isRecording = false, steps = [], changing = 0 } = states.get(target) ?? {};
  const [done, setDone] = useState<readonly ReplayedStep[]>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState<() => Promise<void>>();
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  // The steps run on the real server: what may change something waits for a second click.
  const runAgain = (work: () => Promise<void>): void => void (changing === 0 ? work() : setWaiting(() => work));
  const replay = (revision?: string): Promise<void> =>
    run(async () => setDone(await perform("replay", { target, ...(revision !== undefined && { revision }) })));
  const save = (): Promise<void> =>
    run(async () => download(`${fileName(targets.get(target)?.name ?? "server")}.test.ts`, await perform<string>("export", { target })));
  const keep = (): Promise<void> =>
    run(async () => download(`${fileName(targets.get(target)?.name ?? "server")}.json`, await perform<string>("save", { target })));
  return (
    <div class="page">
      <h2>Recording</h2>
      <p class="about">
        Calls, reads, prompts and answers are recorded with their results. Values that look like secrets are left out of the exported file.
      </p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!isRecording && connections.get(target)?.state !== "open"}
          onClick={() => void run(() => (setDone(undefined), perform("record", { target, on: !isRecording })))}
        >
          {isRecording ? "■ Stop" : "● Record"}
        </button>
        <span role="status">
          {isRecording ? "Recording: " : ""}
          {steps.length} {steps.length === 1 ? "step" : "steps"}
        </span>
      </div>
      <div class="actions">
        <Exports isOff={isBusy || steps.length === 0} onTest={() => runAgain(save)} onServer={() => void keep()} />
        <button type="button" disabled={isBusy || steps.length === 0} onClick={() => runAgain(replay)}>
          Replay
        </button>
        {(targets.get(target)?.revisions ?? []).map((revision) => (
          <button
            key={revision}
            type="button"
            class="small"
            disabled={isBusy || steps.length === 0}
            onClick={() => runAgain(() => replay(revision))}
          >
            on {revision}
          </button>
        ))}
      </div>
      {waiting === undefined ? null : (
        <Confirm
          changing={changing}
          onEnd={(isRun) => {
            setWaiting(undefined);
            if (isRun) void waiting();
          }}
        />
      )}
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          ✗ {visible(problem)}
        </p>
      )}
      {done === undefined ? <Recorded target={target} steps={steps} /> : <Steps steps={done} />}
    </div>
  );
}

/** The two files that a recording becomes. */
function Exports({ isOff, onTest, onServer }: { isOff: boolean; onTest: () => void; onServer: () => void }): VNode {
  return (
    <>
      <button type="button" disabled={isOff} onClick={onTest}>
        Export as a vitest file
      </button>
      <button type="button" title="A file for tenon record --serve" disabled={isOff} onClick={onServer}>
        Save as a server
      </button>
    </>
  );
}

/** What is recorded, in order. A step that was a mistake can be taken out. */
function Recorded({ target, steps }: { target: number; steps: readonly RecordedStep[] }): VNode {
  if (steps.length === 0)
    return (
      <Empty title="Nothing is recorded yet">
        Record, then call tools, read resources and answer questions in the other views: each stands here as a step. Replay runs the steps
        again, also on another revision, and shows what has changed; the export is a test file that runs as it is.
      </Empty>
    );
  return (
    <ol class="steps" aria-label="Recorded steps">
      {steps.map(({ op, name, hasFailed, answers }, step) => (
        <li key={step}>
          <span class={hasFailed ? "bad" : "good"}>{hasFailed ? "✗" : "✓"}</span> <span class="type">{op}</span> <b>{visible(name)}</b>
          {answers === 0 ? null : (
            <span class="type">
              {answers} {answers === 1 ? "answer" : "answers"}
            </span>
          )}
          <span class="grow" />
          <button
            type="button"
            class="small"
            aria-label={`Take out step ${step + 1}, ${visible(name)}`}
            onClick={() => void perform("forget", { target, step }).catch(() => undefined)}
          >
            ✕
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Asks before calls run again that may change something. */
function Confirm({ changing, onEnd }: { changing: number; onEnd: (isRun: boolean) => void }): VNode {
  return (
    <div class="notice" role="alert">
      <p>
        This runs {changing} {changing === 1 ? "call" : "calls"} that may change something.
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => onEnd(true)}>
          Run {changing === 1 ? "it" : "them"}
        </button>
        <button type="button" onClick={() => onEnd(false)}>
          Do not run
        </button>
      </p>
    </div>
  );
}

function Steps({ steps }: { steps: readonly ReplayedStep[] }): VNode {
  return (
    <ol class="hops" aria-label="Replayed steps">
      {steps.map(({ op, name, before, after, unexpected }, index) => {
        const isSame = equal(before, after);
        return (
          <li key={index} class={isSame ? "ok" : "failed"}>
            <b>
              {isSame ? "✓ same" : "✗ changed"}: {op} {visible(name)}
            </b>
            {unexpected.length === 0 ? null : (
              <p class="about">It asked what the recording does not answer: {visible(unexpected.join("; "))}</p>
            )}
            {isSame ? null : <Differences before={before} after={after} names={["recorded", "now"]} />}
          </li>
        );
      })}
    </ol>
  );
}

function fileName(name: string): string {
  return (
    name
      .replace(/^.*[\\/]/, "")
      .replace(/\.\w+$/, "")
      .replace(/[^\w-]+/g, "-")
      .slice(0, 64) || "server"
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
