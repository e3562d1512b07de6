/** Questions at the terminal, with a person whose lines are written down beforehand. */
import { expect, it } from "vitest";
import { ClientSession } from "../../client/session.ts";
import type { ElicitRequestedSchema, ElicitRequestParams, ElicitResult } from "../../protocol/elicitation.ts";
import { createMemoryPair } from "../../transport/memory.ts";
import type { Paint } from "./display.ts";
import { promptAtTerminal, TerminalQuestions, type QuestionScreen } from "./terminal-questions.ts";

class Screen implements QuestionScreen {
  readonly notes: string[] = [];
  readonly paintNote: Paint = (_style, text) => text;
  note(line: string): void {
    this.notes.push(line);
  }
}

const session = new ClientSession(createMemoryPair()[0]);
const context = { requestId: 1, meta: undefined, progress: () => undefined, signal: new AbortController().signal, session };
const trip: ElicitRequestedSchema = {
  type: "object",
  properties: {
    who: { type: "string", title: "Name", minLength: 2 },
    row: { type: "integer", minimum: 1, maximum: 30 },
    seat: {
      type: "string",
      oneOf: [
        { const: "w", title: "Window" },
        { const: "a", title: "Aisle" },
      ],
    },
    meals: { type: "array", items: { type: "string", enum: ["fish", "rice"] } },
    vegan: { type: "boolean", default: false },
    note: { type: "string" },
  },
  required: ["who", "row"],
};

/** Asks, with these lines typed one after the other; the input ends after them. */
async function asked(
  params: ElicitRequestParams,
  typed: string[],
): Promise<{ answer: ElicitResult; labels: string[]; notes: string[] }> {
  const screen = new Screen();
  const labels: string[] = [];
  const questions = new TerminalQuestions(screen, (label) => {
    labels.push(label);
    return Promise.resolve(typed.shift());
  });
  questions.server = "airline";
  return { answer: await questions.answer(params, context), labels, notes: screen.notes };
}

it("a form is filled in field by field, and sent when its reader says so [L1.4 L1.6]", async () => {
  const form = { message: "Your trip", requestedSchema: trip };
  const { answer, labels, notes } = await asked(form, ["A", "Ada", "31", "x", "12", "window", "fish, rice", "", "", "y"]);
  expect(answer).toEqual({
    action: "accept",
    content: { who: "Ada", row: 12, seat: "w", meals: ["fish", "rice"], vegan: false },
  });
  expect(notes[0]).toContain("airline asks: Your trip");
  expect(notes).toHaveLength(4); // the question, and three lines that could not be taken
  expect(labels).toContain("seat (w (Window) | a (Aisle)) – may stay empty: ");
  expect(labels).toContain("vegan (yes | no) [false] – may stay empty: ");
});

it("can be edited, declined and cancelled, also by ending the input [L1.6]", async () => {
  const form = {
    message: "?",
    requestedSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  } as const;
  expect((await asked(form, ["one", "e", "two", "what?", "yes"])).answer).toEqual({ action: "accept", content: { a: "two" } });
  expect((await asked(form, ["one", "n"])).answer).toEqual({ action: "decline" });
  expect((await asked(form, ["one", "c"])).answer).toEqual({ action: "cancel" });
  expect((await asked(form, ["", ""])).answer).toEqual({ action: "cancel" });
  const yesOrNo = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
  expect((await asked(yesOrNo, ["y"])).answer).toEqual({ action: "accept", content: {} });
});

it("a page is shown with its whole address and its host [L1.9]", async () => {
  const url = "https://xn--pple-43d.example/sign-in?return=https://apple.com";
  const { answer, notes } = await asked({ mode: "url", message: "Sign in", url }, ["y"]);
  expect(answer).toEqual({ action: "accept" });
  expect(notes.join("\n")).toContain(url);
  expect(notes.join("\n")).toContain("It leads to xn--pple-43d.example. Its name has letters that may look like others.");
});

it("what the server wrote cannot steer the terminal [R20]", async () => {
  const requestedSchema = { type: "object", properties: { a: { type: "string", title: "\u001B[2Jname\u202E" } } } as const;
  const { labels, notes } = await asked({ message: "\u001B]0;x\u0007Hello", requestedSchema }, ["", "y"]);
  expect(notes[0]).toContain("asks: Hello");
  expect(labels[0]).toBe("name (text) – may stay empty: ");
});

it("one question at a time", async () => {
  const screen = new Screen();
  const typed = ["y", "n"];
  const questions = new TerminalQuestions(screen, async () => (await Promise.resolve(), typed.shift()));
  const form = (message: string): ElicitRequestParams => ({ message, requestedSchema: { type: "object", properties: {} } });
  const answers = await Promise.all([questions.answer(form("1"), context), questions.answer(form("2"), context)]);
  expect(answers.map(({ action }) => action)).toEqual(["accept", "decline"]);
});

it("is refused where there is no terminal", async () => {
  const screen = new Screen();
  const questions = new TerminalQuestions(screen, promptAtTerminal()); // the standard input of the tests is not a terminal
  const form: ElicitRequestParams = { message: "Pay?", requestedSchema: { type: "object", properties: {} } };
  await expect(questions.answer(form, context)).rejects.toMatchObject({ code: -32600 });
  expect(screen.notes).toEqual([expect.stringContaining("asks: Pay?"), expect.stringContaining("There is no terminal")]);
});
