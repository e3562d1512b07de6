import { z } from "zod";
import type { InferSchema, ToolMetadata } from "xmcp";

export const schema = { a: z.number(), b: z.number() };
export const outputSchema = { sum: z.number() };
export const metadata: ToolMetadata = { name: "add", description: "Add two numbers" };

// oxlint-disable-next-line import/no-default-export -- it is how xmcp finds a tool
export default function add({ a, b }: InferSchema<typeof schema>) {
  const structuredContent = { sum: a + b };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}
