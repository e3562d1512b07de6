import { readFile } from "node:fs/promises";
import { serveStdio } from "tenon/node";
import { fromOpenApi } from "tenon/openapi";
import { McpServer } from "tenon/server";

const key = process.env["API_KEY"] ?? "";
const api = await fromOpenApi(await readFile("pets.json", "utf8"), {
  baseUrl: process.env["API_URL"] ?? "http://127.0.0.1:4100",
  include: { operations: ["getPet", "addPet"] },
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, "x-key": key } }),
});
const server = new McpServer({ name: "pets", version: "1.0.0" }, { tools: api.tools });

await serveStdio(server);
