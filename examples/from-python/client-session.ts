// A `ClientSession` over a pair of streams, as in the Python documents, with its callbacks: the server asks the client's model,
// its user and its roots, and logs, while it answers one call.
// From the folder of the project: node --import jiti/register examples/from-python/client-session.ts
import {
  acceptorOf,
  ClientSession,
  JsonRpcDispatcher,
  McpServer,
} from "tenon";
import { createContextStreams, StreamTransport } from "tenon/compat/python";

const server = new McpServer({ name: "curious", version: "1.0.0" });
server.tool("ask", {}, async (_input, { session, log }) => {
  await log.info("asking");
  const { roots } = await session.listRoots();
  const requestedSchema = {
    type: "object" as const,
    properties: { name: { type: "string" as const } },
  };
  const user = await session.elicitForm({
    message: "Who are you?",
    requestedSchema,
  });
  const question = {
    role: "user" as const,
    content: {
      type: "text" as const,
      text: `A name like ${String(user.content?.["name"])}?`,
    },
  };
  const model = await session.createMessage({
    messages: [question],
    maxTokens: 10,
  });
  return `${roots[0]?.uri} ${user.action} ${model.content.type === "text" ? model.content.text : ""}`;
});

const [toServer, fromClient] = createContextStreams();
const [toClient, fromServer] = createContextStreams();
const served = acceptorOf(server).accept(
  new JsonRpcDispatcher(
    new StreamTransport({ read: fromClient, write: toClient }),
  ),
);

const session = new ClientSession(
  { read: fromServer, write: toServer },
  {
    timeout: 5_000,
    roots: [{ uri: "file:///work" }],
    onElicit: ({ message }) => ({
      action: "accept",
      content: { name: message.length > 0 ? "Ada" : "" },
    }),
    onSample: () => ({
      role: "assistant",
      model: "none",
      content: { type: "text", text: "Grace" },
    }),
    onLog: ({ level, data }) => console.log(level, data),
  },
);
await session.connect();
const { serverInfo, protocolVersion } = await session.initialize();
console.log(serverInfo.name, protocolVersion);
console.log((await session.callTool("ask")).text);
await session.close();
await served;
