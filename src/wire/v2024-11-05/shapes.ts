/** All shapes of 2024-11-05: to those every session needs, resources, prompts, completion, and what a server asks. */
import { withMore, type Dictionary, type Revision } from "../revision.ts";
import { core, entry, page, pageResult, request, result } from "./core-shapes.ts";

const target = `${request} uri`;

const types: Dictionary = {
  Resource: `uri ${entry} mimeType? size?:integer annotations?:Annotations`,
  ResourceTemplate: `uriTemplate ${entry} mimeType? annotations?:Annotations`,
  Prompt: `${entry} arguments?:PromptArgument[]`,
  PromptArgument: `${entry} required?:boolean`,
  PromptMessage: "role:Role content:ContentBlock",
  PromptReference: "type:'ref/prompt' name",
  ResourceTemplateReference: "type:'ref/resource' uri",
  Argument: "name value",
  Completion: "values:string[] total?:integer hasMore?:boolean",

  SamplingMessageContentBlock: "= TextContent|ImageContent",
  SamplingContents: "= SamplingMessageContentBlock",
  SamplingMessage: "role:Role content:SamplingContents",
  SamplingMessages: "= SamplingMessage[]",
  ModelPreferences: "hints?:ModelHint[] costPriority?:fraction speedPriority?:fraction intelligencePriority?:fraction",
  ModelHint: "name?",
  CreateMessageRequestParams:
    `${request} messages:SamplingMessages maxTokens:integer modelPreferences?:ModelPreferences systemPrompt? ` +
    "includeContext?:'none'|'thisServer'|'allServers' temperature?:number stopSequences?:string[] metadata?:object",
  CreateMessageResult: `_meta?:object role:Role content:SamplingContents model stopReason?`,
  Root: "uri name?",
  ListRootsResult: `${result} roots:Root[]`,
};

const params: Dictionary = {
  "resources/list": page,
  "resources/templates/list": page,
  "resources/read": target,
  "resources/subscribe": target,
  "resources/unsubscribe": target,
  "prompts/list": page,
  "prompts/get": `${request} name arguments?:{string}`,
  "completion/complete": `${request} ref:PromptReference|ResourceTemplateReference argument:Argument`,
  "sampling/createMessage": "= CreateMessageRequestParams",
  "roots/list": request,
};

const results: Dictionary = {
  "resources/list": `${pageResult} resources:Resource[]`,
  "resources/templates/list": `${pageResult} resourceTemplates:ResourceTemplate[]`,
  "resources/read": `${result} contents:Contents[]`,
  "resources/subscribe": result,
  "resources/unsubscribe": result,
  "prompts/list": `${pageResult} prompts:Prompt[]`,
  "prompts/get": `${result} description? messages:PromptMessage[]`,
  "completion/complete": `${result} completion:Completion`,
  "sampling/createMessage": "= CreateMessageResult",
  "roots/list": "= ListRootsResult",
};

export const revision: Revision = withMore(core, { types, params, results });
