// What tenon/ext/tasks exports. Made by: npm run api -- --update

export interface AsTaskOptions extends RequestOptions {
    ttl?: number;
}

export declare class ExperimentalServerSessionFeatures {
    getTask(taskId: string, options?: RequestOptions): Promise<GetTaskResult>;
    getTaskResult<M extends keyof TaskResults>(taskId: string, method: M, options?: RequestOptions): Promise<TaskResults[M]>;
    pollTask(taskId: string, { signal, defaultInterval }?: PollTaskOptions): AsyncGenerator<Task, void, undefined>;
    elicitAsTask(params: Omit<ElicitRequestFormParams, "mode" | "task">, options?: AsTaskOptions): Promise<ElicitResult>;
    createMessageAsTask(params: Omit<CreateMessageRequestParams, "task"> & {
        tools?: undefined;
        toolChoice?: undefined;
    }, options?: AsTaskOptions): Promise<CreateMessageResult>;
    createMessageAsTask(params: Omit<CreateMessageRequestParams, "task">, options?: AsTaskOptions): Promise<CreateMessageResultWithTools>;
}

export declare const MODEL_IMMEDIATE_RESPONSE_KEY = "io.modelcontextprotocol/model-immediate-response";

export declare class MemoryTaskStore implements TaskStore {
    constructor(options?: MemoryTaskStoreOptions);
    insert(record: TaskRecord, lease: TaskLease, { maxTasks, maxTasksPerOwner }: TaskCounts): void;
    get(id: string): TaskRecord | undefined;
    replace(record: TaskRecord): boolean;
    lease(id: string, lease: TaskLease, now: number): boolean;
    release(id: string, worker: string): void;
    abandoned(now: number, limit: number): readonly string[];
    list(owner: string, after: TaskPlace | undefined, limit: number): readonly TaskRecord[];
    forget(now: number): void;
    subscribe(listener: (id: string) => void): () => void;
}

export interface MemoryTaskStoreOptions {
    maxSize?: number;
}

export interface PollTaskOptions {
    signal?: AbortSignal;
    defaultInterval?: number;
}

export declare const RELATED_TASK_META_KEY = "io.modelcontextprotocol/related-task";

export interface RemoteTask {
    readonly taskId: string;
    get(options?: {
        signal?: AbortSignal;
        timeout?: number;
    }): Promise<Task>;
    result(options?: TaskWaitOptions): Promise<TaskResult>;
    cancel(options?: {
        signal?: AbortSignal;
        timeout?: number;
    }): Promise<void>;
}

export interface TaskCall {
    readonly method: string;
    readonly params: JsonObject;
    readonly version: ProtocolVersion;
    readonly client: ClientIdentity;
    readonly principal?: string;
    readonly auth?: AuthInfo;
}

export type TaskCallback = (task: Task) => void;

export declare class TaskCancelledError extends McpError {
    name: string;
    readonly taskId: string;
    constructor(taskId: string, message?: string);
}

export interface TaskContext {
    readonly id: string | undefined;
    start(): Promise<void>;
    status(message: string): void;
}

export interface TaskCounts {
    readonly maxTasks?: number;
    readonly maxTasksPerOwner?: number;
}

export interface TaskEvent {
    readonly tool: string;
    readonly status: TaskStatus | "left";
    readonly duration: number;
}

export interface TaskJournal {
    readonly call?: string;
    readonly answers: readonly (readonly [string, string, JsonObject])[];
    readonly refusals: readonly (readonly [string, string, ErrorData])[];
    readonly steps: readonly (readonly [string, unknown?])[];
    readonly keys: readonly string[];
}

export interface TaskLease {
    readonly worker: string;
    readonly until: number;
}

export type TaskOutcome = {
    readonly result: JsonObject;
} | {
    readonly error: ErrorData;
};

export type TaskPlace = Pick<TaskRecord, "createdAt" | "id">;

export interface TaskQuestion {
    readonly key: string;
    readonly name: string;
    readonly mark: string;
    readonly request: InputRequest;
}

export interface TaskRecord {
    readonly id: string;
    readonly owner: string;
    readonly version: number;
    readonly status: TaskStatus;
    readonly statusMessage?: string;
    readonly progress?: Progress;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly ttl: number;
    readonly pollInterval: number;
    readonly call: TaskCall;
    readonly restart: boolean;
    readonly run: number;
    readonly tries: number;
    readonly maxRuns: number;
    readonly journal: TaskJournal;
    readonly questions: readonly TaskQuestion[];
    readonly outcome?: TaskOutcome;
}

export type TaskResult = CallToolResult & {
    readonly text: string;
    readonly data?: unknown;
};

export interface TaskStore {
    insert(record: TaskRecord, lease: TaskLease, limits: TaskCounts): MaybePromise<void>;
    get(id: string): MaybePromise<TaskRecord | undefined>;
    replace(record: TaskRecord): MaybePromise<boolean>;
    lease(id: string, lease: TaskLease, now: number): MaybePromise<boolean>;
    release(id: string, worker: string): MaybePromise<void>;
    abandoned(now: number, limit: number): MaybePromise<readonly string[]>;
    list(owner: string, after: TaskPlace | undefined, limit: number): MaybePromise<readonly TaskRecord[]>;
    forget(now: number): MaybePromise<void>;
    subscribe(listener: (id: string) => void): () => void;
    now?(): MaybePromise<number>;
}

export interface TaskToolOptions {
    support?: "optional" | "required";
    ttl?: number;
    pollInterval?: number;
    start?: "call" | "handler";
    restart?: boolean;
    maxRuns?: number;
}

export interface TaskWaitOptions {
    signal?: AbortSignal;
    timeout?: number;
    maxTotalTimeout?: number;
    onTask?: TaskCallback;
    onProgress?: ProgressCallback;
}

export interface TasksExtension extends Extension {
    drain(ms?: number): Promise<void>;
}

export interface TasksOptions {
    store?: TaskStore;
    ttl?: number;
    maxTtl?: number;
    pollInterval?: number;
    maxTasks?: number;
    maxTasksPerPrincipal?: number;
    maxResultSize?: number;
    lease?: number;
    maxWait?: number;
    onRun?: (event: TaskEvent) => void;
}

export declare function checkTasksCapability(required: ClientTasksCapability, have: ClientTasksCapability): boolean;

export declare function experimentalTasks(session: ServerSession): ExperimentalServerSessionFeatures;

export declare function requireTaskAugmentedElicitation(have: ClientTasksCapability | undefined): void;

export declare function requireTaskAugmentedSampling(have: ClientTasksCapability | undefined): void;

export declare function tasks(options?: TasksOptions): TasksExtension;
