/** What a server offers: all that is registered, and what its methods need beside it. */
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { assertAtLeast } from "../dispatch/limits.ts";
import type { ServerExtensions } from "../session/extension.ts";
import type { ListKind } from "./changes.ts";
import { definePrompt, type PromptDefinition } from "./prompts.ts";
import { Registry, type Definition, type RegistryOptions } from "./registry.ts";
import { defineResource, defineTemplate, type ResourceDefinition, type TemplateDefinition } from "./resources.ts";
import { defineTool, type ToolDefinition } from "./tools.ts";
import { UncompiledSchemas } from "./uncompiled-schemas.ts";

export interface Features {
  readonly info: Implementation;
  /** What every client is told at first. */
  readonly facts: () => ServerFacts;
  /** All that are in use, as one. */
  extensions?: ServerExtensions;
  readonly tools: Registry<ToolDefinition>;
  readonly resources: Registry<ResourceDefinition>;
  readonly templates: Registry<TemplateDefinition>;
  readonly prompts: Registry<PromptDefinition>;
  readonly scopes: MethodScopes | undefined;
  /** What must be compiled before the server serves. */
  readonly uncompiled: UncompiledSchemas;
}

interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/** What a token must have for a method, whatever else its params name. */
export type MethodScopes = Readonly<Record<string, readonly string[]>>;

/** What the server's options say of it. */
export interface FeatureOptions {
  readonly instructions?: string;
  readonly pageSize?: number;
  readonly scopes?: MethodScopes;
}

/** Whose features they are. */
export interface FeaturesOwner {
  /** How the server is named to clients. */
  readonly info: Implementation;
  /** What the server declares to clients. */
  readonly capabilities: ServerCapabilities;
  /** @internal Something of that list is another now. */
  changed(kind: ListKind): void;
}

export function createFeatures(
  server: FeaturesOwner,
  { instructions, pageSize = Infinity, scopes }: FeatureOptions,
  validator: JsonSchemaValidator,
): Features {
  const uncompiled = new UncompiledSchemas();
  const createRegistry = <D extends Definition>(kind: ListKind, what: string, define: RegistryOptions<D>["define"]): Registry<D> => {
    const registry: Registry<D> = new Registry({
      what,
      pageSize: assertAtLeast("pageSize", pageSize, 1),
      define(key, options, handler) {
        const definition = define(key, options, handler);
        uncompiled.add({ what, key, registry, definition });
        return definition;
      },
      onChange: () => server.changed(kind),
    });
    return registry;
  };
  const features: Features = {
    info: server.info,
    facts: () => ({ capabilities: server.capabilities, ...(instructions !== undefined && { instructions }) }),
    tools: createRegistry("tools", "tool", (name, options, handler) => defineTool(name, options, handler, validator, features.extensions)),
    resources: createRegistry("resources", "resource", defineResource),
    templates: createRegistry("resources", "resource template", defineTemplate),
    prompts: createRegistry("prompts", "prompt", (name, options, handler) => definePrompt(name, options, handler, validator)),
    scopes,
    uncompiled,
  };
  return features;
}
