/**
 * One definition with everything the official conformance suite asks a server for, written as anyone would write it.
 * `server.mjs` beside this folder serves it on Node, `fetch.mjs` everywhere else.
 */
import { tasks } from "tenon/ext/tasks";
import { McpServer } from "tenon/server";
import { addAskingTools } from "./asking.mjs";
import { addDiagnostics } from "./diagnostics.mjs";
import { addPrompts } from "./prompts.mjs";
import { addResources } from "./resources.mjs";
import { addAskingByHand, addAskingInALine } from "./rounds.mjs";
import { exampleSkills } from "./skills.mjs";
import { addTaskTools } from "./tasks.mjs";
import { addTools } from "./tools.mjs";

export const server = new McpServer(
  { name: "tenon-everything", version: "1.0.0" },
  { instructions: "For testing: no tool does harm, and the first one takes no arguments.", extensions: [tasks(), exampleSkills] },
);
addTools(server); // first: the suite calls the first tool there is
addAskingTools(server);
addAskingByHand(server);
addAskingInALine(server);
addDiagnostics(server);
addTaskTools(server);
addResources(server);
addPrompts(server);
