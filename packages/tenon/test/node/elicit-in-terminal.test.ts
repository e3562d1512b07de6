/** `elicitInTerminal()` as `onElicit` of a client and of a group, with a user whose lines are written down beforehand. */
import { expect, test } from "vitest";
import { connect, McpServer } from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { elicitInTerminal, type ElicitInTerminalOptions } from "tenon/node";
import * as z from "zod";
import { closing } from "../support/matrix.ts";

/** A user at a terminal. */
function user(...typed: string[]): { shown: string[]; opened: string[]; options: ElicitInTerminalOptions } {
  const [shown, opened]: string[][] = [[], []];
  const prompt = (label: string): Promise<string | undefined> => {
    shown!.push(label);
    return Promise.resolve(typed.shift());
  };
  const options = { prompt, write: (line: string) => void shown!.push(line), open: (url: URL) => void opened!.push(url.href) };
  return { shown: shown!, opened: opened!, options };
}

/** A server that asks for a form with this field, or for a page. */
function asking(name: string, what: { field?: string; title?: string; message?: string; url?: string }): McpServer {
  const { field = "seat", title = "", message = "Your trip", url } = what;
  const server = new McpServer({ name, version: "1" });
  server.tool("ask", {}, async (_input, ctx) => {
    const answer =
      url === undefined
        ? await ctx.elicit("q", { message, schema: z.object({ [field]: z.string().min(2).meta({ title }) }) })
        : await ctx.elicitUrl("q", { message, url });
    return JSON.stringify(answer);
  });
  return server;
}

async function ask(server: McpServer, options: ElicitInTerminalOptions): Promise<unknown> {
  const client = await closing(connect(server, { onElicit: elicitInTerminal(options) }));
  const { text, isError } = await client.callTool("ask");
  return isError ? text : (JSON.parse(text) as unknown);
}

test("a form is filled in at the terminal, with the name of the server that asks [L1.4 L1.6]", async () => {
  const { shown, options } = user("x", "12A", "y");
  expect(await ask(asking("airline", {}), options)).toEqual({ action: "accept", content: { seat: "12A" } });
  expect(shown[0]).toBe("airline asks: Your trip");
});

test("the name that the user knows takes the place of the one that the server gives itself", async () => {
  const { shown, options } = user("12A", "n");
  expect(await ask(asking("your bank", {}), { ...options, server: "airline" })).toEqual({ action: "decline" });
  expect(shown[0]).toBe("airline asks: Your trip");
});

test("in a group each question has the name of its server, and one is asked after the other", async () => {
  const { shown, options } = user("12A", "y", "13B", "y");
  await using group = new ClientSessionGroup({ onElicit: elicitInTerminal(options) });
  await group.connectToServer(asking("liar", {}), { name: "one" });
  await group.connectToServer(asking("liar", { message: "Again" }), { name: "two" });
  const names = [...group.tools.keys()];
  await Promise.all(names.map((name) => group.callTool(name)));
  expect(shown.filter((line) => line.includes(" asks:")).sort()).toEqual(["one asks: Your trip", "two asks: Again"]);
  expect(shown.findLastIndex((line) => line.includes(" asks:"))).toBe(3); // after the first question, its field and its review
});

test("a page is shown whole, and opened only after the user agreed [L1.9]", async () => {
  const url = "https://login.example/start?state=1";
  const agreed = user("y");
  expect(await ask(asking("airline", { url }), agreed.options)).toBe("accept");
  expect(agreed.opened).toEqual([url]);
  expect(agreed.shown).toContain(`To open in your browser: ${url}`);
  const refused = user("n");
  expect(await ask(asking("airline", { url }), refused.options)).toBe("decline");
  expect(refused.opened).toEqual([]);
});

test("a page that cannot be opened is for the user to open", async () => {
  const { shown, options } = user("y");
  const open = (): never => {
    throw new Error("no browser");
  };
  expect(await ask(asking("airline", { url: "https://login.example" }), { ...options, open })).toBe("accept");
  expect(shown.at(-1)).toBe("It cannot be opened from here (Error: no browser): copy the address into your browser.");
});

test.each([
  [{ field: "password" }, "password"],
  [{ field: "apiKey" }, "apiKey"],
  [{ field: "GITHUB_TOKEN" }, "GITHUB_TOKEN"],
  [{ field: "value", title: "PIN" }, "value"],
  [{ field: "value", message: "Type your password:" }, "message"],
])("%j looks like a secret: it is declined, and the user sees why", async (what, named) => {
  const { shown, options } = user("hunter2", "y");
  expect(await ask(asking("airline", what), options)).toEqual({ action: "decline" });
  expect(shown).toEqual([`airline asks for what looks like a secret (${named}). The question was declined.`]);
});

test.each(["spin", "passenger", "tokenizer"])("%s is no secret", async (field) => {
  expect(await ask(asking("airline", { field }), user("12A", "y").options)).toMatchObject({ action: "accept" });
});

test("what the server wrote cannot steer the terminal, in its name neither [R20]", async () => {
  const { shown, options } = user("12A", "y");
  await ask(asking("air\u001B[2Jline", { message: "\u001B]0;x\u0007Hello\u202E" }), options);
  expect(shown[0]).toBe("airline asks: Hello");
});

test("without a terminal nothing is asked, and the call fails", async () => {
  const { shown, options } = user();
  const client = await closing(
    connect(asking("airline", {}), { onElicit: elicitInTerminal({ write: options.write! }), onError: () => {} }),
  );
  const failure = await client.callTool("ask").then(({ text }) => text, String);
  expect(failure).not.toContain("accept");
  expect(shown).toEqual(["airline asks: Your trip", "There is no terminal to answer at: run the command in one."]);
});

test("an unknown option is refused", () => {
  expect(() => elicitInTerminal({ promt: 1 } as ElicitInTerminalOptions)).toThrow('Unknown option "promt" of elicitInTerminal()');
});
