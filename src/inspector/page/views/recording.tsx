/** Records what the user does, runs it again to see what has changed, and writes it as a test. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ReplayedStep } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { equal, visible } from "../data/json.ts";
import { states, targets, version } from "../data/store.ts";
import { Differences } from "../parts/differences.tsx";

export function Recording({ target }: { target: number }): VNode {
  void version.servers.value;
  const { isRecording = false, steps = 0 } = states.get(target) ?? {};
  const [done, setDone] = useState<readonly ReplayedStep[]>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
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
  const replay = (revision?: string): Promise<void> =>
    run(async () => setDone(await perform("replay", { target, ...(revision !== undefined && { revision }) })));
  const save = (): Promise<void> =>
    run(async () => download(`${fileName(targets.get(target)?.name ?? "server")}.test.ts`, await perform<string>("export", { target })));
  return (
    <div class="page">
      <h2>Recording</h2>
      <p class="about">
        Calls, reads, prompts and answers are recorded with their results. Values of arguments that look like secrets are left out.
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void run(() => perform("record", { target, on: !isRecording }))}>
          {isRecording ? "■ Stop" : "● Record"}
        </button>
        <span role="status">
          {isRecording ? "Recording: " : ""}
          {steps} {steps === 1 ? "step" : "steps"}
        </span>
      </div>
      <div class="actions">
        <button type="button" disabled={isBusy || steps === 0} onClick={() => void save()}>
          Export as a vitest file
        </button>
        <button type="button" disabled={isBusy || steps === 0} onClick={() => void replay()}>
          Replay
        </button>
        {(targets.get(target)?.revisions ?? []).map((revision) => (
          <button key={revision} type="button" class="small" disabled={isBusy || steps === 0} onClick={() => void replay(revision)}>
            on {revision}
          </button>
        ))}
      </div>
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          ✗ {visible(problem)}
        </p>
      )}
      {done === undefined ? null : <Steps steps={done} />}
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
