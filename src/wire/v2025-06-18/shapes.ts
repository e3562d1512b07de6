/** What else 2025-06-18 changed: elicitation, titles, and what is known when an argument is completed. */
import { withMore, type Dictionary, type Revision } from "../revision.ts";
import { revision as previous } from "../v2025-03-26/shapes.ts";
import { core, field, meta, titleAndMeta } from "./core-shapes.ts";

const types: Dictionary = {
  Resource: titleAndMeta,
  ResourceTemplate: titleAndMeta,
  Prompt: titleAndMeta,
  PromptArgument: "title?",
  PromptReference: "title?",
  CompletionContext: "arguments?:{string}",
  Root: meta,

  StringSchema: `type:'string' ${field} minLength?:integer maxLength?:integer format?:'email'|'uri'|'date'|'date-time'`,
  NumberSchema: `type:'number'|'integer' ${field} minimum?:number maximum?:number`,
  BooleanSchema: `type:'boolean' ${field} default?:boolean`,
  EnumSchema: `type:'string' ${field} enum:string[] enumNames?:string[]`,
  PrimitiveSchemaDefinition: "= StringSchema|NumberSchema|BooleanSchema|EnumSchema",
  RequestedSchema: "type:'object' properties:{PrimitiveSchemaDefinition} required?:string[]",
  ElicitRequestFormParams: "_meta?:RequestMetaObject message requestedSchema:RequestedSchema",
  ElicitRequestParams: "= ElicitRequestFormParams",
  ElicitValue: "= string|number|boolean",
  ElicitResult: `action:'accept'|'decline'|'cancel' ${meta} content?:{ElicitValue}`,
};

const params: Dictionary = {
  "completion/complete": "context?:CompletionContext",
  "elicitation/create": "= ElicitRequestParams",
};

const results: Dictionary = { "elicitation/create": "= ElicitResult" };

export const revision: Revision = withMore(core, { previous, types, params, results });
