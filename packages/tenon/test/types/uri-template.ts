/** Type tests: the variables of a URI template, read from its text. */
import { expectTypeOf } from "vitest";
import type { TemplateMatch, TemplateVariableNames, TemplateVariables } from "../../src/base/uri-template/uri-template.ts";

expectTypeOf<TemplateVariables<"users://{id}/posts/{post}">>().toEqualTypeOf<{ id: string; post: string }>();
expectTypeOf<TemplateVariables<"file:///{+path}">>().toEqualTypeOf<{ path: string }>();
expectTypeOf<TemplateVariables<"tree:/{/segments*}">>().toEqualTypeOf<{ segments: string[] }>();
expectTypeOf<TemplateVariables<"search://{index}{?q,limit,tags*}">>().toEqualTypeOf<{
  index: string;
  q?: string;
  limit?: string;
  tags?: string[];
}>();
expectTypeOf<TemplateVariables<"geo://{lat,long}{#part:3}">>().toEqualTypeOf<{ lat: string; long: string; part: string }>();
expectTypeOf<TemplateVariables<"static://nothing">>().toEqualTypeOf<{}>();
expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<TemplateMatch>();
expectTypeOf<TemplateVariableNames<"users://{id}{?q}">>().toEqualTypeOf<"id" | "q">();
