// What tenon/ext/skills exports. Made by: npm run api -- --update

export declare class InvalidSkillError extends McpError {
    name: string;
    readonly uri: string | undefined;
    readonly reason: string;
    constructor(uri: string | undefined, reason: string);
}

export declare class LoadedSkill {
    readonly skill: Skill;
    readonly body: string;
    private constructor();
    read(reference: string, options?: CallOptions): Promise<SkillFileContents>;
}

export interface Skill {
    readonly uri: string;
    readonly frontmatter: SkillFrontmatter;
    readonly resources: readonly SkillFile[] | "dynamic";
}

export interface SkillChild {
    readonly uri: string;
    readonly name: string;
    readonly mimeType?: string;
}

export interface SkillClient {
    readonly serverCapabilities: ServerCapabilities;
    request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
    readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
}

export interface SkillFile {
    readonly uri: string;
    readonly digest: string;
    readonly size: number;
}

export interface SkillFileContents {
    readonly uri: string;
    readonly mimeType?: string;
    readonly bytes: Uint8Array;
    readonly text?: string;
    readonly verified: boolean;
}

export interface SkillFrontmatter {
    readonly name: string;
    readonly description: string;
    readonly [member: string]: unknown;
}

export declare class SkillHost {
    constructor(client: SkillClient, options: SkillHostOptions);
    get supported(): boolean;
    list(options?: CallOptions): Promise<SkillListing>;
    get(uri: string, options?: CallOptions): Promise<Skill>;
    load(skill: Skill | string, options?: CallOptions): Promise<LoadedSkill>;
    readFolder(uri: string, options?: CallOptions): Promise<SkillChild[]>;
    revoke(uri: string): void;
}

export interface SkillHostOptions {
    readonly approve: (skill: Skill) => boolean | Promise<boolean>;
}

export interface SkillListing {
    readonly skills: readonly Skill[];
    readonly invalid: readonly InvalidSkillError[];
}

export declare class SkillVerificationError extends McpError {
    name: string;
    readonly reason: SkillVerificationReason;
    readonly uri: string;
    constructor(reason: SkillVerificationReason, uri: string, message: string);
}

export type SkillVerificationReason = "unlisted" | "size" | "digest" | "frontmatter";

export interface SkillsOptions {
    readonly prefix?: string;
    readonly watch?: boolean;
    readonly hidden?: boolean;
    readonly pageSize?: number;
    readonly ttlMs?: number;
    readonly cacheScope?: "public" | "private";
}

export declare function skills(source: string | Readonly<Record<string, string | Uint8Array>>, options?: SkillsOptions): Extension;
