/**
 * A view of a request for a handler of another server: the same request with other params, and with that server's lifespan.
 *
 * Everything else is the request's own: its signal, principal, progress, questions and task. A proxy does it, because the members of a
 * context are private to it and must stay one state however many servers a request passes.
 */
import type { RequestContext } from "./request-context.ts";

export interface ViewedMembers {
  method?: string;
  params?: RequestContext["params"];
  lifespan?: unknown;
  /** The name that the client called. */
  calledAs?: string;
  hide?: RequestContext["hide"];
  show?: RequestContext["show"];
}

/** Each view with its request and what it replaces, so that a view of a view is one view. */
const views = new WeakMap<RequestContext, { readonly request: RequestContext; readonly replaced: ViewedMembers }>();

/** The same request, with some members replaced. */
export function viewOf(context: RequestContext, members: ViewedMembers): RequestContext {
  const original = views.get(context);
  const request = original?.request ?? context;
  const replaced: Record<PropertyKey, unknown> = { ...original?.replaced, ...members };
  const view = new Proxy(request, {
    get(target, key) {
      if (Object.hasOwn(replaced, key)) return replaced[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
    set(target, key, value) {
      if (Object.hasOwn(replaced, key)) replaced[key] = value;
      else Reflect.set(target, key, value, target);
      return true;
    },
  });
  views.set(view, { request, replaced });
  return view;
}

/** The same request with another name of the tool or prompt, in completions too. */
export function withName(context: RequestContext, name: string): RequestContext {
  const { params } = context;
  const ref = params["ref"] as object | undefined; // an object, checked by the codec
  return viewOf(context, { params: ref === undefined ? { ...params, name } : { ...params, ref: { ...ref, name } } });
}
