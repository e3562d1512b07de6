/**
 * Tasks between this and the official SDK, which has those of 2025-11-25: its client with our server, our client with its server.
 * Needs a build.
 */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { connect, type Client } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { closing } from "../../support/matrix.ts";

it("the official client begins tasks, answers them, gets their results, lists and cancels them [N2 N3 N6 N7 N10]", async () => {
  const program = fileURLToPath(new URL("fixtures/official-client.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 100_000 });
  const { booked, failed, ...seen } = JSON.parse(stdout) as { booked: unknown[]; failed: unknown[] };
  expect(booked[0]).toBe("taskCreated");
  expect(booked.slice(-2)).toEqual(["result", [{ type: "text", text: "Booked 12A" }]]);
  // A tool that answers `isError` has failed here; its words are in tasks/result.
  expect(failed.slice(-2)).toEqual(["failed", "error"]);
  expect(seen).toEqual({
    supports: ["optional", "required", "optional"],
    asked: ["Which seat?"],
    listed: [
      ["completed", false],
      ["failed", false],
      ["working", true],
    ],
    cancelled: "cancelled",
    after: "cancelled",
    words: [{ type: "text", text: "Sold out" }],
  });
});

describe("The official everything server", () => {
  const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

  function everything(): Promise<Client> {
    const options = {
      extensions: [tasks({ pollInterval: 100 })],
      onElicit: () => ({ action: "accept" as const, content: { interpretation: "technical", name: "Ada", check: true } }),
      onSample: () => ({ role: "assistant" as const, model: "m", content: { type: "text" as const, text: "Sampled here" } }),
    };
    return closing(connect({ command: process.execPath, args: [program, "stdio"] }, options));
  }

  it("runs a tool that must be a task, and asks in the middle of it [N3 N6 N7]", async () => {
    const client = await everything();
    const seen: string[] = [];
    const { text } = await client.callTool(
      "simulate-research-query",
      { topic: "tenons", ambiguous: true },
      { onTask: ({ status }) => void seen.push(status) },
    );
    expect(text).toContain("# Research Report: tenons (technical)");
    expect([...new Set(seen)]).toEqual(["working", "input_required", "completed"]);
  });

  it("asks its client for tasks, and polls them [N11 TK-19]", async () => {
    const client = await everything();
    const sampled = await client.callTool("trigger-sampling-request-async", { prompt: "Hi" });
    expect(sampled.text).toContain("Sampled here");
    const elicited = await client.callTool("trigger-elicitation-request-async");
    expect(elicited.text).toContain("Ada");
  });
});
