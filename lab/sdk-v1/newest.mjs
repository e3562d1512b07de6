// One server on 2026-07-28, with Tenon's client and with the official one of the second generation: a list, a call, an error. It runs in
// a process of its own, and tells the parent what came back.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connect } from "tenon/client";
import { prepared } from "../field/servers/files.mjs";
import { startHttp } from "../field/servers/over-http.mjs";

const REVISION = "2026-07-28";

async function connectTenon({ command, args, env, cwd, url }) {
  const client = await connect(url ?? { command, args, env, cwd, stderr: "ignore" }, { revision: REVISION, onError: () => {} });
  return {
    revision: client.protocolVersion,
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => {
      const { content, structuredContent, isError } = await client.callTool(name, args);
      return { content, structuredContent, isError };
    },
    close: () => client.close(),
  };
}

async function connectSecond({ command, args, env, cwd, url }) {
  const client = new Client({ name: "moved", version: "1.0.0" }, { versionNegotiation: { mode: { pin: REVISION } } });
  const transport =
    url === undefined
      ? new StdioClientTransport({ command, args, env, cwd, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion?.() ?? REVISION,
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => {
      const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args });
      return { content, structuredContent, isError };
    },
    close: () => client.close(),
  };
}

const CLIENTS = { tenon: connectTenon, second: connectSecond };

const told = (error) => ({ error: { code: error.code, message: String(error.message) } });

/** What one client gets. Texts that name the folder of this run are the same in each run. */
async function askedBy(connectTo, program, folder, [name, args]) {
  const plain = (value) => JSON.parse(JSON.stringify(value).replaceAll(folder, "<home>"));
  let client;
  try {
    client = await connectTo(program);
    const call = JSON.parse(JSON.stringify(args).replaceAll("<home>", folder));
    return plain({
      revision: client.revision,
      tools: (await client.list()).map((tool) => tool.name),
      call: await client.call(name, call).catch(told),
      error: await client.call("no_such_tool", {}).catch(told),
    });
  } catch (error) {
    return plain(told(error));
  } finally {
    await client?.close();
  }
}

async function observe({ program, folder, call }) {
  for (const [name, connectTo] of Object.entries(CLIENTS))
    process.send({ [name]: await askedBy(connectTo, program, folder, call) });
  process.send({ closed: true });
}

async function observeAt({ program, ...task }) {
  if (program.http === undefined) return observe({ program, ...task });
  const { url, end } = await startHttp(program);
  try {
    await observe({ program: { url }, ...task });
  } finally {
    await end();
  }
}

process.once("message", (task) => {
  // The parent ends what does not end by itself.
  observeAt({ ...task, program: prepared(task.program, task.folder) })
    .catch((error) => process.send({ fault: String(error.stack ?? error) }))
    .finally(() => process.disconnect());
});
