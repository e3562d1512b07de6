// What tenon/compose exports. Made by: npm run api -- --update

export interface ArgumentChange<T = unknown> {
    readonly name?: string;
    readonly describe?: string;
    readonly default?: T;
    readonly pin?: T | ((context: RequestContext) => MaybePromise<T>);
}

export type ArgumentChanges<Args = {
    readonly [name: string]: unknown;
}> = {
    readonly [Name in keyof Args]?: ArgumentChange<Exclude<Args[Name], undefined>>;
};

export type ArgumentsAfter<Args, Changes> = string extends keyof Args ? Args : Flat<{
    [Name in keyof Args as Name extends With<Changes, "pin"> | With<Changes, "default"> ? never : NameAfter<Name, Changes> & PropertyKey]: Args[Name];
} & {
    [Name in keyof Args as Name extends With<Changes, "pin"> ? never : Name extends With<Changes, "default"> ? NameAfter<Name, Changes> & PropertyKey : never]?: Args[Name];
}>;

export type DataAfter<Data, Output, Returned> = Output extends AnySchema ? InferOutput<Output> extends object ? InferOutput<Output> : unknown : [Returned] extends [never] ? Data : Returned extends string ? string : unknown;

export type Joined<Sets extends readonly ToolSet[]> = Flat<Intersection<Sets[number]>>;

export type KnownChanges<Tools, Changes> = {
    readonly [Name in keyof Changes]: Name extends keyof Tools ? Tools[Name] extends ToolDefinition<infer Args> ? {
        readonly arguments?: {
            readonly [Argument in Exclude<keyof ArgumentsIn<Changes[Name]>, keyof Args>]: never;
        };
    } : never : never;
};

export type Prefixed<Prefix extends string, Tools> = {
    readonly [Name in keyof Tools & string as `${Prefix}__${Name}`]: Tools[Name];
};

export type SetAfter<Tools, Changes> = {
    readonly [Name in keyof Tools as NameAfter<Name, Changes> & PropertyKey]: Name extends keyof Changes ? ToolAfter<Tools[Name], Changes[Name]> : Tools[Name];
};

export type SetChange<Tool> = Tool extends ToolDefinition<infer Args, infer Data> ? TransformOptions<Args, Data, ArgumentChanges<Args>> & {
    readonly name?: string;
} : never;

export type SetChanges<Tools> = {
    readonly [Name in keyof Tools]?: SetChange<Tools[Name]>;
};

export interface SourceChange {
    readonly name?: string;
    readonly title?: string;
    readonly describe?: string;
    readonly arguments?: {
        readonly [name: string]: ArgumentChange<string | number | boolean | null | readonly unknown[] | JsonObject>;
    };
    readonly result?: (data: never, context: RequestContext) => unknown;
    readonly output?: AnySchema;
}

export interface SourceChanges {
    readonly [name: string]: SourceChange;
}

export interface TransformOptions<Args = {
    readonly [name: string]: unknown;
}, Data = unknown, Changes = ArgumentChanges<Args>, Output extends AnySchema | undefined = AnySchema | undefined, Returned = unknown> {
    readonly title?: string;
    readonly describe?: string;
    readonly arguments?: ArgumentChanges<Args> & Changes & {
        readonly [Name in keyof Changes]: Name extends keyof Args ? unknown : never;
    };
    readonly result?: (data: Data, context: RequestContext) => MaybePromise<Returned>;
    readonly output?: Output;
}

export declare function join<const Sets extends readonly ToolSet[]>(...sets: Sets): Joined<Sets>;

export declare function only<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Pick<Tools, Names>;
export declare function only(source: Mountable, selector: FeatureSelector): FeatureSource;

export declare function prefix<const Prefix extends string, Tools extends ToolSet>(prefix: Prefix, tools: Tools): Prefixed<Prefix, Tools>;

export declare function rename(subject: Mountable, name: (feature: Feature) => string): FeatureSource;

export declare function transform<Args, Data, Lifespan, const Changes extends ArgumentChanges<Args> = {}, const Output extends AnySchema | undefined = undefined, Returned extends ToolOutput<Output> = never>(tool: ToolDefinition<Args, Data, Lifespan>, options: TransformOptions<Args, Data, Changes, Output, Returned>): ToolDefinition<ArgumentsAfter<Args, Changes>, DataAfter<Data, Output, Returned>, Lifespan>;
export declare function transform<Tools extends ToolSet, const Changes extends SetChanges<Tools>>(tools: Tools, changes: Changes & KnownChanges<Tools, Changes>): SetAfter<Tools, Changes>;
export declare function transform(source: Mountable, changes: SourceChanges): FeatureSource;

export declare function without<Tools extends ToolSet, const Names extends keyof Tools>(tools: Tools, ...names: Names[]): Omit<Tools, Names>;
export declare function without(source: Mountable, selector: FeatureSelector): FeatureSource;

export declare function wrap<Source extends Mountable>(subject: Source, middleware: Middleware<RequestContext>): FeatureSource & TypedServer<ToolsOf<Source>>;
