// What tenon/otel exports. Made by: npm run api -- --update

export interface AuditLogger {
    emit(record: {
        eventName: string;
        timestamp: number;
        severityNumber: number;
        severityText: string;
        body: string;
        attributes: Record<string, string | number>;
    }): void;
}

export interface GatewayMetricsOptions {
    meterProvider?: MeterProvider;
}

export interface MeasuredGateway {
    status(): readonly MeasuredServer[];
}

export interface MeasuredServer {
    readonly server: string;
    readonly connections: number;
    readonly waiting: number;
    readonly restarts: number;
}

export interface MetricsOptions {
    meterProvider?: MeterProvider;
    resourceUri?: boolean;
    maxNames?: number;
}

export interface OtelOptions {
    tracerProvider?: TracerProvider;
    propagator?: TextMapPropagator;
    metrics?: boolean | MetricsOptions;
}

export declare function auditLogs(logger: AuditLogger): (record: AuditRecord) => void;

export declare function extractTraceContext(meta: JsonObject | undefined, ambient?: Context, propagator?: Propagator): Context;

export declare function gatewayMetrics(gateway: MeasuredGateway, options?: GatewayMetricsOptions): () => void;

export declare function injectTraceContext(meta: RequestMeta | undefined, from?: Context, propagator?: Propagator): RequestMeta | undefined;

export declare function otel(options?: OtelOptions): TwoWayMiddleware;

export declare function taskMetrics(options?: MetricsOptions): (event: TaskEvent) => void;

export declare function withSpan<T>(name: string, attributes: Attributes, work: (span: Span) => MaybePromise<T>): MaybePromise<T>;
