/**
 * `ctx.secret` and `confirm` in a program that a client has started: pages on this machine,
 * as the program's user meets them. It starts `dist`.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { PageBrowser, pageIn, SECRET } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/asking-program.mjs", import.meta.url));
const yes = { choice: "yes", secret: SECRET };

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

/** The program, spoken to in lines, so that nothing of this library ends it. */
class Program {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<unknown[]>;
  readonly #pages: AsyncIterator<string>;
  readonly #lines: AsyncIterator<string>;
  #id = 0;
  #stderr = "";

  constructor(argument = "") {
    this.child = spawn(process.execPath, [PROGRAM, argument], { stdio: ["pipe", "pipe", "pipe"] });
    this.ended = once(this.child, "exit");
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.#lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
    this.#pages = createInterface(this.child.stderr)[Symbol.asyncIterator]();
  }

  /** The next page that the program would open. */
  async page(): Promise<string> {
    for (;;) {
      const { value, done } = await this.#pages.next();
      if (done === true) throw new Error(`The program has ended: ${this.#stderr}`);
      this.#stderr += `${value}\n`;
      if (value.startsWith("open ")) return value.slice(5);
    }
  }

  async start(): Promise<this> {
    const clientInfo = { name: "lines", version: "1.0.0" };
    await this.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#send({ method: "notifications/initialized" });
    return this;
  }

  call(name: string): Promise<Result> {
    return this.#request("tools/call", { name, arguments: {} });
  }

  async #request(method: string, params: object): Promise<Result> {
    const id = ++this.#id;
    this.#send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`The program has ended: ${this.#stderr}`);
      const message = JSON.parse(value) as { id?: number; result?: Result };
      if (message.id === id) return message.result!;
    }
  }

  #send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

test("a program opens a page of this machine, takes the key there once, and refuses other names, origins and ports", async () => {
  const program = await new Program().start();
  const call = program.call("key");
  const page = await program.page();
  const { hostname, port, origin, pathname } = new URL(page);
  expect(hostname).toBe("127.0.0.1");
  expect((await fetch(`http://localhost:${port}${pathname}`).catch(() => ({ status: 404 }))).status).toBe(404);
  expect((await fetch(`${origin}/`)).status).toBe(404);
  const browser = new PageBrowser();
  const shown = await browser.open(page);
  for (const wrong of [`http://localhost:${port}`, "http://evil.example", "null", "http://127.0.0.1:1"])
    expect((await browser.send(shown, yes, { origin: wrong })).status).toBe(400);
  expect((await browser.send(shown, yes)).status).toBe(200);
  const text = `${SECRET.length} characters of [secret]`;
  expect((await call).content[0]!.text).toBe(text);
  expect((await program.call("key")).content[0]!.text).toBe(text);
  expect((await new PageBrowser().open(page)).status).toBe(400);
});

test("a program whose input ends while a page is open ends by itself, with the page", async () => {
  const program = await new Program().start();
  void program.call("key").catch(() => undefined);
  const page = await program.page();
  const browser = new PageBrowser();
  expect((await browser.open(page)).status).toBe(200);
  program.child.stdin.end();
  expect(await program.ended).toEqual([0, null]);
  await expect(fetch(page)).rejects.toThrow("fetch failed");
});

test("without a browser, the address of a page for a key is said in words, and the key is there for the next call", async () => {
  const program = await new Program("none").start();
  const asked = await program.call("key");
  expect(asked.isError).toBe(true);
  expect(asked.content[0]!.text).toMatch(
    /No browser could be opened on this machine\. Ask the user to open this page, and then call again: http:/,
  );
  expect((await new PageBrowser().answer(pageIn(asked.content[0]!.text), yes)).status).toBe(200);
  expect((await program.call("key")).content[0]!.text).toContain("[secret]");
});

test("without a browser, the address of a page that asks for a yes is not said, because a model could open it", async () => {
  const program = await new Program("none").start();
  const { isError, content } = await program.call("remove");
  expect(isError).toBe(true);
  expect(content[0]!.text).toContain(
    "Nothing was done. No browser could be opened on this machine. Use a client that shows forms",
  );
  expect(content[0]!.text).not.toContain("http");
});
