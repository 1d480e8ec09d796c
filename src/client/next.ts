/** What a person or a script runs after a call that did not simply succeed, as data; the command line puts it into words. Pure. */
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import type { Outcome, Tried } from './attempt.js';
import type { CallExit } from './exit.js';

export type Next =
  /** The same bytes with the same key, from the journal: `svc requests repeat KEY`. */
  | { readonly kind: 'repeat'; readonly key: string }
  /** Remove it from the journal: a person knows that nothing was paid. */
  | { readonly kind: 'forget'; readonly key: string }
  /** Look at the operation before anything else. */
  | { readonly kind: 'get'; readonly endpointId: EndpointId; readonly id: string }
  /** Wait for the operation: a get with `--wait`. */
  | { readonly kind: 'wait'; readonly endpointId: EndpointId; readonly id: string }
  /** A person confirms with the code. */
  | { readonly kind: 'confirm'; readonly id: string }
  /** The same command later; where it creates something, with this key. */
  | { readonly kind: 'same'; readonly key: string | null }
  /** Register again; the previous secret stays valid 24 hours. */
  | { readonly kind: 'register-again' };

/** After a call whose outcome is known. */
export function nextAfter(exitCode: CallExit, tried: Tried): Next | null {
  const same: Next = { kind: 'same', key: tried.idempotencyKey };
  if (exitCode === 11) return same;
  if (exitCode === 10) return tried.retry === 'once' ? (lookupAfter(tried) ?? same) : same;
  return exitCode === 7 || exitCode === 1 ? lookupAfter(tried) : null;
}

/** After a call whose outcome is unknown: never a new key, and never the same call again but for a registration. */
export function nextAfterUnknown(tried: Tried): Next | null {
  if (tried.endpointId === 'webhooks.register') return { kind: 'register-again' };
  const { retry, idempotencyKey: key } = tried;
  return retry === 'keyed' && key !== null ? { kind: 'repeat', key } : lookupAfter(tried);
}

/** After a wait that ended with the operation still pending. */
export function nextAfterPending(operation: Outcome): Next {
  const { id, pending_reason: reason } = operation;
  if (reason === 'awaiting_code') return { kind: 'confirm', id };
  return { kind: 'wait', endpointId: 'transactions.get', id };
}

/** The get of the operation that a `once` call is about. */
export function lookupAfter(tried: Tried): Next | null {
  const endpointId = tried.endpointId === null ? null : endpoint(tried.endpointId).lookup;
  return endpointId === null || tried.id === null ? null : { kind: 'get', endpointId, id: tried.id };
}
