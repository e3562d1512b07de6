import { connect, type ConnectOptions } from "tenon/client";

const [revision, file = ""] = process.argv.slice(2);
const onElicit: ConnectOptions["onElicit"] = (question) => {
  if (question.mode === "url") return { action: "decline" };
  const fields = Object.entries(question.requestedSchema.properties);
  if (fields.some(([name]) => name === "seat")) return { action: "accept", content: { seat: process.env["SEAT"] ?? "" } };
  if (!fields.every(([, { type }]) => type === "boolean")) return { action: "decline" };
  return { action: "accept", content: Object.fromEntries(fields.map(([name]) => [name, true])) };
};

await using client = await connect(
  { command: "npx", args: ["tsx", file] },
  { revision: revision as "2025-11-25" | "2026-07-28", onElicit },
);
console.log((await client.callTool("book")).text);
