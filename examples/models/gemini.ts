// A model of Gemini answers a question with the tools of an MCP server. Needs
// GEMINI_API_KEY.
import { GoogleGenAI, type Content } from "@google/genai";
import { connect } from "tenon/client";
import { toGemini } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});
const { tools, run } = await toGemini(client);

const gemini = new GoogleGenAI({});
const contents: Content[] = [
  { role: "user", parts: [{ text: process.argv[2] ?? "What is 1 + 2?" }] },
];
for (let turn = 0; turn < 10; turn++) {
  const response = await gemini.models.generateContent({
    model: "gemini-2.5-flash",
    contents,
    config: { tools },
  });
  const content = response.candidates?.[0]?.content;
  if (content === undefined || response.functionCalls === undefined) {
    console.log(response.text);
    break;
  }
  // as it came: its parts may have signatures, which the API wants back
  contents.push(content, await run(content));
}
