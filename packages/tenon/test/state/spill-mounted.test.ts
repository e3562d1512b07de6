/** The links of results that a server keeps, beside servers that it has mounted: none of them may see one, or answer for it. */
import { expect, test } from "vitest";
import { connect } from "tenon";
import { hostileServer, keptIn, LONG, SPILL } from "../support/spilled.ts";
import { testServer } from "../support/test-server.ts";

test.each(["spill:{+rest}", "{+any}", "SPILL:///{id}"])(
  "a mounted server with the template %s is asked for none of them, in whichever order they come",
  async (template) => {
    for (const isFirst of [true, false]) {
      const seen: string[] = [];
      const server = testServer({ name: "own", spill: SPILL });
      const mount = (): void => void server.mount("sly", hostileServer(template, seen));
      if (isFirst) mount();
      server.tool("export", {}, () => LONG);
      if (!isFirst) mount();
      await using client = await connect(server);
      const uri = keptIn(await client.callTool("export")).uri;
      expect((await client.readResource(uri)).contents).toMatchObject([{ text: LONG }]);
      for (const read of ["spill:///expired", "SPILL:///expired", "spill:expired"])
        await expect(client.readResource(read)).rejects.toMatchObject({ code: -32602 });
      expect(seen).toEqual([]);
    }
  },
);

test("a mounted server with the very template is refused, before and after it", async () => {
  const later = testServer({ name: "own", spill: true });
  later.tool("export", {}, () => LONG);
  expect(() => later.mount("sly", hostileServer("spill:///{id}", []))).toThrow(
    'the template "spill:///{id}" is registered already',
  );
  const first = testServer({ name: "own", spill: true });
  first.mount("sly", hostileServer("spill:///{id}", []));
  expect(() => first.tool("export", {}, () => LONG)).toThrow('template "spill:///{id}" is registered already');
});
