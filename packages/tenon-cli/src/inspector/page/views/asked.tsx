/** What the server asks in the middle of a call, and the roots. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { perform } from "../data/api.ts";
import { timeText, visible } from "../data/json.ts";
import { openQuestions, questions, states, version } from "../data/store.ts";
import { Empty } from "../parts/empty.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Question } from "../parts/question.tsx";

export function Asked({ target }: { target: number }): VNode {
  const open = openQuestions().filter((question) => question.target === target);
  const past = [...questions.values()].filter((question) => question.target === target && question.state !== "open").reverse();
  return (
    <div class="page">
      <h2>Questions that wait</h2>
      {open.length === 0 ? (
        <Empty title="The server asks nothing now">
          Its question stands here while a call waits for it: a form, a page to visit, or a text that a model would write. Call a tool that
          asks, and a bar above every view leads here; after the answer the page goes back to the result.
        </Empty>
      ) : null}
      {open.map((question) => (
        <Question key={question.question} question={question} />
      ))}
      <Roots target={target} />
      {past.length === 0 ? null : <h2>Answered</h2>}
      {past.slice(0, 50).map((question) => (
        <details key={question.question} class="card">
          <summary>
            {timeText(question.at)} {visible(question.params["message"] ?? question.method)} – {question.state}
          </summary>
          <JsonView value={question.answer ?? null} />
        </details>
      ))}
    </div>
  );
}

function Roots({ target }: { target: number }): VNode {
  void version.servers.value;
  const roots = states.get(target)?.roots ?? [];
  const [typed, setTyped] = useState("file:///");
  const [problem, setProblem] = useState("");
  const set = (list: readonly object[]): void => {
    perform("roots", { target, roots: list }).then(
      () => setProblem(""),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <section aria-label="Roots" class="card">
      <h3>Roots</h3>
      <p class="about">Folders that the client offers. The server learns of each change, if its revision has such a message.</p>
      <ul>
        {roots.map((root, at) => (
          <li key={at}>
            <code>{visible(root["uri"])}</code>{" "}
            <button
              type="button"
              class="small"
              aria-label={`Remove ${String(root["uri"])}`}
              onClick={() => set(roots.filter((_, index) => index !== at))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <input aria-label="URI of a root" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
        <button type="button" onClick={() => set([...roots, { uri: typed }])}>
          + add
        </button>
      </div>
      {problem === "" ? null : <p class="wrong">✗ {problem}</p>}
    </section>
  );
}
