// What an editor offers after `server.`: what users call, and nothing that only edges, mounts and layers above a server use. The
// compiler's own language server is asked, as an editor asks it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const FILE = pathToFileURL(join(import.meta.dirname, "completion-of.ts")).href; // it need not exist: the editor has its text

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

/** The language server of the compiler. */
class Editor {
  readonly #server = spawn(process.execPath, [TSC, "--lsp", "--stdio"], { cwd: ROOT, stdio: ["pipe", "pipe", "ignore"] });
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #bytes = Buffer.alloc(0);
  #id = 0;

  constructor() {
    this.#server.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  async close(): Promise<void> {
    const ended = once(this.#server, "exit");
    this.#server.kill();
    await ended;
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#id;
    this.#write({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #write(message: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/i.exec(this.#bytes.toString("latin1"));
      const end = head === null ? 0 : head[0].length + Number(head[1]);
      if (head === null || this.#bytes.length < end) return;
      this.#take(JSON.parse(this.#bytes.toString("utf8", head[0].length, end)) as Message); // JSON-RPC
      this.#bytes = this.#bytes.subarray(end);
    }
  }

  #take({ id, method, result }: Message): void {
    if (method === undefined) this.#waiting.get(id!)?.(result);
    else if (id !== undefined) this.#write({ id, result: method === "workspace/configuration" ? [{}] : null });
  }
}

/** The names that an editor offers at the end of a program. */
async function offered(program: string): Promise<string[]> {
  const editor = new Editor();
  onTestFinished(() => editor.close());
  await editor.ask("initialize", { processId: process.pid, rootUri: pathToFileURL(ROOT).href, capabilities: {} });
  editor.notify("initialized", {});
  editor.notify("textDocument/didOpen", { textDocument: { uri: FILE, languageId: "typescript", version: 1, text: program } });
  const lines = program.split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1)!.length };
  const list = await editor.ask("textDocument/completion", { textDocument: { uri: FILE }, position });
  return (list as { readonly items: readonly { readonly label: string }[] }).items.map(({ label }) => label).toSorted();
}

test("of a server an editor offers what users call, and not what serves it", async () => {
  const names = await offered(
    `import { McpServer } from "tenon/server";\nconst server = new McpServer({ name: "a", version: "1" });\nserver.`,
  );
  // `Symbol` is for `await using`; the last one exists for the compiler only, and editors list it last.
  expect(names.filter((name) => name !== "Symbol" && name !== "~tools?")).toEqual([
    ...["begin", "capabilities", "close", "info", "listChanged", "method", "mount", "onRootsChanged", "prompt", "resource"],
    ...["resourceTemplate", "resourceUpdated", "tool", "use", "visibilityChanged", "visible"],
  ]);
});
