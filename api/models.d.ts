// What tenon/models exports. Made by: npm run api -- --update

export type AISDKOutput = {
    type: "text";
    value: string;
} | {
    type: "error-text";
    value: string;
} | {
    type: "content";
    value: ({
        type: "text";
        text: string;
    } | {
        type: "image-data" | "file-data";
        data: string;
        mediaType: string;
    })[];
};

export interface AISDKSchema {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: "tenon";
        readonly validate: (value: unknown) => {
            readonly value: unknown;
        };
        readonly jsonSchema: {
            readonly input: () => Record<string, unknown>;
            readonly output: () => Record<string, unknown>;
        };
    };
}

export interface AISDKTool {
    type: "dynamic";
    description: string;
    inputSchema: AISDKSchema;
    execute: (input: unknown, call: Execution) => Promise<unknown>;
    toModelOutput: (result: {
        readonly output: unknown;
    }) => AISDKOutput;
}

export type AISDKTools = ListedTools<Record<string, AISDKTool>>;

export interface AdaptedSchema {
    readonly schema: JsonObject & {
        type: "object";
        properties: JsonObject;
    };
    readonly notes: readonly SchemaNote[];
    restore(args: JsonObject): JsonObject;
    readonly strict: boolean;
}

export interface AnthropicClient {
    readonly messages: {
        readonly create: provider.CreateFunction;
    };
}

export type AnthropicResultPart = {
    type: "text";
    text: string;
} | {
    type: "image";
    source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
    };
} | {
    type: "document";
    source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
    };
};

export interface AnthropicResults {
    role: "user";
    content: AnthropicToolResult[];
}

export interface AnthropicTool {
    name: string;
    description: string;
    input_schema: {
        type: "object";
        properties: JsonObject;
        [keyword: string]: unknown;
    };
    strict?: boolean;
}

export interface AnthropicToolResult {
    type: "tool_result";
    tool_use_id: string;
    content: AnthropicResultPart[];
    is_error: boolean;
}

export type AnthropicTools = RunnableTools<AnthropicTool[], {
    readonly content: readonly object[];
}, AnthropicResults>;

export interface ChatClient {
    readonly chat: {
        readonly completions: {
            readonly create: provider.CreateFunction;
        };
    };
}

export interface GeminiClient {
    readonly models: {
        readonly generateContent: provider.CreateFunction;
        readonly generateContentStream: provider.CreateFunction;
    };
}

export interface GeminiResponsePart {
    functionResponse: {
        name: string;
        id?: string;
        response: Record<string, unknown>;
        parts?: {
            inlineData: {
                mimeType: string;
                data: string;
            };
        }[];
    };
}

export interface GeminiResults {
    role: "user";
    parts: GeminiResponsePart[];
}

export interface GeminiTool {
    functionDeclarations: {
        name: string;
        description: string;
        parametersJsonSchema: unknown;
    }[];
}

export type GeminiTools = RunnableTools<GeminiTool[], {
    readonly parts?: readonly object[];
}, GeminiResults>;

export interface LangChainClasses<Tool extends object> {
    readonly DynamicStructuredTool: {
        new (fields: never): object;
        readonly prototype: Tool;
    };
    readonly ToolMessage: new (fields: never) => object;
}

export type LangChainTools<Tool extends object> = ListedTools<Tool[]>;

export interface LoopCall {
    readonly type: "call";
    readonly call: ModelCall;
}

export interface LoopEnd<Message> {
    readonly type: "end";
    readonly reason: "done" | "maxTurns" | "maxTokens" | "maxTime";
    readonly stopReason: string;
    readonly messages: readonly Message[];
    readonly tokens: number;
    readonly outputTokens: number;
}

export type LoopEvent<Message> = LoopText | LoopCall | LoopResult | LoopEnd<Message>;

export interface LoopOptions<Message> extends ModelToolOptions, RunOptions {
    provider: ModelProvider<Message>;
    tools: ToolSource;
    messages: readonly Message[];
    maxTurns?: number;
    maxTokens?: number;
    maxTime?: number;
    clock?: Clock;
}

export interface LoopResult {
    readonly type: "result";
    readonly id: string;
    readonly isError: boolean;
    readonly text: string;
}

export interface LoopText {
    readonly type: "text";
    readonly text: string;
}

export interface ModelCall {
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonObject;
    readonly tool: Tool | undefined;
}

export interface ModelProfile {
    readonly id: string;
    readonly asOf: string;
    readonly names: {
        readonly pattern: RegExp;
        readonly max: number;
    };
    readonly parameterNames?: RegExp;
    readonly maxTools?: number;
    readonly refs: "defs" | "inline";
    readonly rootUnion: boolean;
    readonly oneOf: boolean;
    readonly allOf: boolean;
    readonly openMaps: boolean;
    readonly nullability: "type-array" | "anyOf" | "nullable";
    readonly keywords: ReadonlySet<string>;
    readonly formats: ReadonlySet<string> | "any";
    readonly maxDepth: number;
    readonly allRequired: boolean;
}

export interface ModelProvider<Message> {
}

export interface ModelToolOptions {
    strict?: boolean;
    pick?: (name: string, tool: Tool) => boolean;
    onNote?: (note: ToolNote) => void;
    profile?: ModelProfile;
    readLinks?: boolean;
    maxText?: number;
    maxMedia?: number;
}

export type OpenAIChatResult = {
    role: "tool";
    tool_call_id: string;
    content: string;
} | {
    role: "user";
    content: ({
        type: "text";
        text: string;
    } | {
        type: "image_url";
        image_url: {
            url: string;
        };
    })[];
};

export interface OpenAIChatTool {
    type: "function";
    function: {
        name: string;
        description: string;
        parameters: {
            [keyword: string]: unknown;
        };
        strict: boolean;
    };
}

export type OpenAIChatTools = RunnableTools<OpenAIChatTool[], {
    readonly tool_calls?: readonly object[] | null | undefined;
}, OpenAIChatResult[]>;

export interface OpenAIClient {
    readonly responses: {
        readonly create: provider.CreateFunction;
    };
}

export interface OpenAIOutput {
    type: "function_call_output";
    call_id: string;
    output: string | OpenAIOutputPart[];
}

export type OpenAIOutputPart = {
    type: "input_text";
    text: string;
} | {
    type: "input_image";
    image_url: string;
    detail: "auto";
} | {
    type: "input_file";
    filename: string;
    file_data: string;
};

export interface OpenAITool {
    type: "function";
    name: string;
    description: string;
    parameters: {
        [keyword: string]: unknown;
    };
    strict: boolean;
}

export type OpenAITools = RunnableTools<OpenAITool[], {
    readonly output: readonly object[];
}, OpenAIOutput[]>;

export interface ProviderOptions {
    model: string;
    maxTokens?: number;
    system?: string;
    request?: object;
}

export interface RunOptions {
    signal?: AbortSignal;
    approve?: (call: ModelCall) => MaybePromise<boolean>;
    concurrency?: number;
    timeout?: number;
    onProgress?: (progress: Progress, call: ModelCall) => void;
}

export type SamplingModel = string | readonly string[] | ((preferences: ModelPreferences) => string);

export interface SamplingOptions {
    model: SamplingModel;
    maxTokens?: number;
    onNote?: (note: string) => void;
}

export interface SchemaNote {
    readonly path: string;
    readonly keyword: string;
    readonly action: "rewritten" | "described" | "dropped";
    readonly from: unknown;
}

export interface ToolNote extends SchemaNote {
    readonly tool: string;
}

export type ToolSource = Callable & {
    readonly tools: ReadonlyMap<string, Tool> | (() => AsyncIterable<Tool>);
};

export declare function adaptSchema(schema: JsonObject, profile: ModelProfile): AdaptedSchema;

export declare function anthropicMessages<Message = object>(client: AnthropicClient, options: provider.ProviderOptions): provider.ModelProvider<Message>;

export declare function geminiContents<Message = object>(client: GeminiClient, options: provider.ProviderOptions): provider.ModelProvider<Message>;

export declare function loop<Message>(options: LoopOptions<Message>): AsyncGenerator<LoopEvent<Message>, void>;

export declare function openaiChat<Message = object>(client: ChatClient, options: provider.ProviderOptions): provider.ModelProvider<Message>;

export declare function openaiResponses<Message = object>(client: OpenAIClient, options: provider.ProviderOptions): provider.ModelProvider<Message>;

export declare function pickModel(model: SamplingModel, preferences?: ModelPreferences): string;

export declare const profiles: {
    readonly openai: ModelProfile;
    readonly openaiStrict: ModelProfile;
    readonly anthropic: ModelProfile;
    readonly anthropicStrict: ModelProfile;
    readonly gemini: ModelProfile;
    readonly common: ModelProfile;
};

export declare function sampleWithAnthropic(client: AnthropicClient, options: SamplingOptions): SampleHandler;

export declare function sampleWithGemini(client: GeminiClient, options: SamplingOptions): SampleHandler;

export declare function sampleWithOpenAI(client: OpenAIClient, options: SamplingOptions): SampleHandler;

export declare function toAISDK(source: ToolSource, options?: ModelToolOptions & Pick<RunOptions, "approve" | "timeout">): Promise<AISDKTools>;

export declare function toAnthropic(source: ToolSource, options?: ModelToolOptions): Promise<AnthropicTools>;

export declare function toGemini(source: ToolSource, options?: ModelToolOptions): Promise<GeminiTools>;

export declare function toLangChain<Tool extends object>(source: ToolSource, classes: LangChainClasses<Tool>, options?: ModelToolOptions & Pick<RunOptions, "approve" | "timeout">): Promise<LangChainTools<Tool>>;

export declare function toOpenAI(source: ToolSource, options?: ModelToolOptions): Promise<OpenAITools>;

export declare function toOpenAIChat(source: ToolSource, options?: ModelToolOptions): Promise<OpenAIChatTools>;
