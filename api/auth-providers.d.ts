// What tenon/auth/providers exports. Made by: npm run api -- --update

export { GitHubOptions } from "tenon/authorization-server";
export { GoogleOptions } from "tenon/authorization-server";
export { github } from "tenon/authorization-server";
export { google } from "tenon/authorization-server";

export interface Auth0Options extends HostedProviderOptions {
    readonly domain: string;
    readonly audience?: string;
}

export interface BetterAuthOptions extends HostedProviderOptions {
    readonly baseUrl: string;
}

export interface ClerkOptions extends HostedProviderOptions {
    readonly domain: string;
    readonly clientIds?: readonly string[];
}

export interface CognitoOptions extends HostedProviderOptions {
    readonly userPoolId: string;
    readonly clientIds?: readonly string[];
}

export interface EntraOptions extends Omit<HostedProviderOptions, "scopeForms"> {
    readonly tenant: string;
    readonly clientId: string;
    readonly applicationIdUri?: string;
    readonly authority?: string;
}

export interface HostedProviderOptions extends Omit<BearerOptions, Decided> {
    readonly url: string;
}

export interface KeycloakOptions extends HostedProviderOptions {
    readonly baseUrl: string;
    readonly realm: string;
    readonly audience?: string;
}

export interface OktaOptions extends HostedProviderOptions {
    readonly domain: string;
    readonly authorizationServer?: string;
    readonly audience?: string;
}

export interface SupabaseOptions extends HostedProviderOptions {
    readonly project: string;
    readonly clientIds?: readonly string[];
}

export interface WorkosOptions extends HostedProviderOptions {
    readonly domain: string;
    readonly clientId?: string;
}

export declare function auth0(options: Auth0Options): BearerAuth;

export declare function betterAuth(options: BetterAuthOptions): BearerAuth;

export declare function clerk(options: ClerkOptions): BearerAuth;

export declare function cognito(options: CognitoOptions): BearerAuth;

export declare function entra(options: EntraOptions): BearerAuth;

export declare function keycloak(options: KeycloakOptions): BearerAuth;

export declare function okta(options: OktaOptions): BearerAuth;

export declare function supabase(options: SupabaseOptions): BearerAuth;

export declare function workos(options: WorkosOptions): BearerAuth;
