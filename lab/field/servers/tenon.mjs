// Tenon's client as the comparison asks it: the same questions as servers/official.mjs.
import { connect } from "tenon";

const LISTS = { tools: "tools", resources: "resources", resourceTemplates: "resourceTemplates", prompts: "prompts" };

/** Connects to a program that it starts, or to a URL. Kinds of deviations that were mended are collected. */
export async function connectTenon(program) {
  const deviations = new Set();
  const { command, args, env, cwd, url } = program;
  const target = url ?? { command, args, env, cwd, stderr: "ignore" };
  const client = await connect(target, { onDeviation: ({ kind }) => deviations.add(kind), onError: () => {} });
  return {
    about: () => ({ serverInfo: client.serverInfo, capabilities: client.serverCapabilities, instructions: client.instructions }),
    revision: () => client.protocolVersion,
    deviations: () => [...deviations].sort(),
    async list(kind) {
      const all = [];
      for await (const one of client[LISTS[kind]]()) all.push(one);
      return all;
    },
    call: (name, args) => client.callTool(name, args),
    read: (uri) => client.readResource(uri),
    prompt: (name) => client.getPrompt(name),
    plain: ({ code, message }) => ({ code, message }),
    close: () => client.close(),
  };
}
