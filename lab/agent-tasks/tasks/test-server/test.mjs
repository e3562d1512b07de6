import { equal, notEqual, ok } from "node:assert/strict";
import { writeFileSync } from "node:fs";

/** Faults of the server, each of which a test must find: a text, and what it becomes. */
const FAULTS = {
  "it pays twice": ['await ctx.step("pay", () => {\n      paid.push(sum);\n    });', "paid.push(sum);"],
  "it pays after a no": ['return ctx.fail("Not paid.");', "paid.push(sum);"],
  "it pays a negative sum": ["z.number().positive()", "z.number()"],
};

export async function test(bench) {
  const server = bench.read("server.ts");
  const run = async () => {
    const program = bench.run("--test", { args: ["server.test.ts"] });
    return { code: await program.ended(), out: program.stdout };
  };
  const { code, out } = await run();
  equal(code, 0, `the tests fail for the right server: ${out}`);
  ok(/pass [2-9]|pass \d\d/.test(out), "there are no tests");
  for (const [what, [from, to]] of Object.entries(FAULTS)) {
    ok(server.includes(from));
    writeFileSync(bench.path("server.ts"), server.replace(from, to));
    notEqual((await run()).code, 0, `the tests do not find that ${what}`);
  }
}
