import { expect, test } from "vitest";
import fc from "fast-check";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { decodePlace, encodePlace } from "./task-methods.ts";

const id = fc.stringMatching(/^[\w-]{1,64}$/);

test("a place survives its cursor [N6 K5.1]", () => {
  fc.assert(
    fc.property(fc.nat({ max: 8_640_000_000_000 }), id, (createdAt, id) => {
      expect(decodePlace(encodePlace({ createdAt, id }))).toEqual({ createdAt, id });
    }),
  );
});

test("whatever else comes back is refused, and nothing else happens [K5.1]", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.anything()), (cursor) => {
      try {
        const place = decodePlace(cursor);
        expect(encodePlace(place)).toBe(cursor);
      } catch (error) {
        expect(error).toBeInstanceOf(McpError);
        expect(error).toMatchObject({ code: -32602, message: "Invalid cursor" });
      }
    }),
  );
});
