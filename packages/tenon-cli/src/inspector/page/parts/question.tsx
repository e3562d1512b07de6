/** A question of the server in the middle of a call: a form, a page to visit, or an answer of a model. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CallEntry, Numbered, QuestionEntry } from "../../entries.ts";
import { perform } from "../data/api.ts";
import { isObject, visible, type Json } from "../data/json.ts";
import { go, route, type Route, type View } from "../data/route.ts";
import { calls, openQuestions, targets } from "../data/store.ts";
import { Form } from "../form/form.tsx";
import { initial } from "../form/schema.ts";
import { membersOf } from "tenon/internal";
import { typedValue, useIssues } from "./call-pane.tsx";
import { safeAddress } from "./address.tsx";
import { Content } from "./content.tsx";
import { JsonView } from "./json-view.tsx";

export function Question({ question }: { question: Numbered<QuestionEntry> }): VNode {
  const { method, params } = question;
  const kind = method === "sampling/createMessage" ? "sampling" : params["mode"] === "url" ? "page" : "form";
  const titles = {
    sampling: "The server wants an answer of a model",
    page: "The server wants a page to be opened",
    form: "The server asks",
  } as const;
  return (
    <section class="question card" aria-label={titles[kind]}>
      <h3>{titles[kind]}</h3>
      {kind === "sampling" ? (
        <Sampling question={question} />
      ) : kind === "page" ? (
        <Visit question={question} />
      ) : (
        <FormQuestion question={question} />
      )}
    </section>
  );
}

/** Answers, and goes back to the call that asked, where its result appears; not if another question waits. */
function answer({ question, target }: QuestionEntry, response: object): void {
  const asking = runningCall(target);
  const isLast = openQuestions().filter((one) => one.target === target).length === 1;
  perform("answer", { question, answer: response }).then(
    () => void (isLast && asking !== undefined && route.peek().view === "asked" && go(asking)),
    () => undefined, // the entry of the question says what became of it
  );
}

const VIEW_OF: Partial<Record<CallEntry["op"], View>> = { call: "tools", read: "resources", prompt: "prompts" };

/** Where the newest call stands that runs. */
function runningCall(target: number): Partial<Route> | undefined {
  const running = [...calls.values()].filter((call) => call.target === target && call.state === "running");
  const newest = running.sort((a, b) => b.seq - a.seq)[0];
  const view = newest && VIEW_OF[newest.op];
  return view && { view, target, item: newest.name };
}

function Refusals({ question, decline = "Decline" }: { question: QuestionEntry; decline?: string }): VNode {
  return (
    <>
      <button type="button" onClick={() => answer(question, { action: "decline" })}>
        {decline}
      </button>
      <button type="button" onClick={() => answer(question, { action: "cancel" })}>
        Cancel the question
      </button>
    </>
  );
}

function FormQuestion({ question }: { question: QuestionEntry }): VNode {
  const { params, question: number } = question;
  const schema = isObject(params["requestedSchema"]) ? params["requestedSchema"] : {};
  const typed = typedValue(`question ${number}`, () => initial(schema, schema, true) ?? {});
  const issues = useIssues(typed.value, { question: number });
  const message = <blockquote>{visible(params["message"])}</blockquote>;
  if (Object.keys(membersOf(schema, "properties")).length === 0)
    return (
      <>
        {message}
        <div class="actions">
          <button type="button" class="primary" onClick={() => answer(question, { action: "accept", content: {} })}>
            Yes
          </button>
          <Refusals question={question} decline="No" />
        </div>
      </>
    );
  return (
    <>
      {message}
      <Form schema={schema} value={typed.value} onChange={(value) => (typed.value = value)} issues={issues} label="Answer" />
      <div class="actions">
        <button type="button" class="primary" onClick={() => answer(question, { action: "accept", content: typed.value })}>
          {issues.length === 0 ? "Send" : "Send anyway"}
        </button>
        <Refusals question={question} />
      </div>
    </>
  );
}

/** Nothing opens by itself: the user sees the whole address first. */
function Visit({ question }: { question: QuestionEntry }): VNode {
  const url = String(question.params["url"]);
  const href = safeAddress(url);
  const host = href === undefined ? "" : new URL(href).host;
  return (
    <>
      <blockquote>{visible(question.params["message"])}</blockquote>
      <p>
        <code>{visible(href ?? url)}</code>
      </p>
      {href === undefined ? <p class="wrong">✗ This is not an address of the web. It cannot be opened here.</p> : null}
      {host === "" ? null : (
        <p class="about">
          It leads to <b>{visible(host)}</b>.{host.includes("xn--") ? " Its name has letters that may look like others." : ""}
        </p>
      )}
      <div class="actions">
        {href === undefined ? null : (
          <a
            class="button primary"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => answer(question, { action: "accept" })}
          >
            Open
          </a>
        )}
        <Refusals question={question} />
      </div>
    </>
  );
}

function Sampling({ question }: { question: QuestionEntry }): VNode {
  const { params } = question;
  const [text, setText] = useState("");
  const messages = Array.isArray(params["messages"]) ? params["messages"].filter(isObject) : [];
  const [drafted, setDrafted] = useState<Json>();
  const [drafting, setDrafting] = useState({ isRunning: false, problem: "" });
  const model = targets.get(question.target)?.model;
  const content = drafted?.["content"];
  /** What is not one text, such as uses of tools, is sent as the model made it. */
  const tools = drafted === undefined || (isObject(content) && content["type"] === "text") ? undefined : drafted;
  const byHand = { role: "assistant", model: "by-hand", stopReason: "endTurn" };
  const reply = tools ?? { ...(drafted ?? byHand), content: { type: "text", text } };
  const draft = (): void => {
    setDrafting({ isRunning: true, problem: "" });
    perform<Json>("draft", { question: question.question }).then(
      (made) => {
        setDrafted(made);
        const block = made["content"];
        if (isObject(block) && block["type"] === "text") setText(String(block["text"]));
        setDrafting({ isRunning: false, problem: "" });
      },
      (error: unknown) => setDrafting({ isRunning: false, problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  return (
    <>
      {params["systemPrompt"] === undefined ? null : <blockquote>{visible(params["systemPrompt"])}</blockquote>}
      {messages.map((message, at) => (
        <figure class="card" key={at}>
          <figcaption>{visible(message["role"])}</figcaption>
          {(Array.isArray(message["content"]) ? message["content"] : [message["content"]]).map((block, place) => (
            <Content key={place} block={block} />
          ))}
        </figure>
      ))}
      <p class="about">
        At most {visible(params["maxTokens"] ?? "any number of")} tokens.{" "}
        {model === undefined ? "You answer for the model." : "Nothing is sent before you have seen it."}
      </p>
      {tools === undefined ? (
        <textarea rows={4} aria-label="Answer of the model" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      ) : (
        <JsonView value={tools} />
      )}
      {drafting.problem === "" ? null : <p class="wrong">✗ {visible(drafting.problem)}</p>}
      <div class="actions">
        <button type="button" class="primary" onClick={() => answer(question, reply)}>
          Send
        </button>
        {model === undefined ? null : (
          <button type="button" disabled={drafting.isRunning} onClick={draft}>
            {drafting.isRunning ? `${visible(model)} answers …` : `Ask ${visible(model)}`}
          </button>
        )}
        <button type="button" onClick={() => answer(question, { code: -1, message: "The user refused" })}>
          Refuse
        </button>
      </div>
    </>
  );
}
