/** The embedded sandbox: the whole service over one store, as a function from a request to an answer. */
import { DEFAULT_CODE } from './default-code.js';
import { KEY_PREFIX, SCOPES } from '../contract/access.js';
import type { Clock } from '../runtime/clock.js';
import type { Random } from '../runtime/random.js';
import { outboxOf, type Outbox } from './delivery/outbox.js';
import type { World } from './engine/world.js';
import { answerRequest } from './http/handle.js';
import type { Handler, SandboxAnswer, SandboxRequest } from './message.js';
import { openStore, type Store } from './store/store.js';
import { DatabaseUnusable } from '../runtime/database-unusable.js';

export interface SandboxOptions {
  /** The path of a file, or `:memory:`. */
  readonly store: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The one valid code; default `123456`. */
  readonly code?: string;
  /** How long payouts and `direct_debit` stay processing; default 0. */
  readonly settleAfterSeconds?: number;
  /** Accept `http://` on loopback as a webhook url; default no. */
  readonly allowHttpWebhooks?: boolean;
}

export interface Sandbox {
  /** The key of company `default`, with every scope; the same for the same store. */
  readonly apiKey: string;
  readonly code: string;
  /** @throws DatabaseUnusable where the file cannot be used; nothing was carried out then */
  readonly handle: Handler;
  /**
   * Carries out several requests in one transaction, all durable when it returns. A defect that one of them meets does not
   * touch the others: its place holds the error instead of an answer.
   */
  readonly handleAll: (requests: readonly SandboxRequest[]) => (SandboxAnswer | Error)[];
  /** Sandbox time in milliseconds. Where the store can't be read now, the clock stands where it was last seen. */
  readonly timeMs: () => number;
  /** The deliveries that are owed; whoever runs a server sends them. */
  readonly outbox: Outbox;
  close(): void;
}

/**
 * Opens the sandbox over its store, making what is missing.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  const store = openStore(options.store);
  const world = worldOf(store, options);
  const handle: Handler = (request) => store.transaction(() => answerRequest(world, request));
  return {
    apiKey: world.readyKey,
    code: world.code,
    handle,
    handleAll: (requests) => handleTogether(world, handle, requests),
    timeMs: timeOf(world),
    outbox: outboxOf(world),
    close: () => store.close(),
  };
}

function worldOf(store: Store, options: SandboxOptions): World {
  const { clock, random, code = DEFAULT_CODE, settleAfterSeconds = 0, allowHttpWebhooks = false } = options;
  const secrets = store.transaction(() => ({
    readyKey: store.settings.once('ready_key', () => {
      const key = KEY_PREFIX.sandbox + random.hex(24);
      store.companies.addKey(key, store.companies.ensure('sandbox', 'default'), SCOPES);
      return key;
    }),
    cursorSecret: store.settings.once('cursor_secret', () => random.hex(32)),
  }));
  return {
    store,
    clock,
    random,
    code,
    settleAfterMs: settleAfterSeconds * 1000,
    allowHttpWebhooks,
    ...secrets,
  };
}

/** For what is answered outside of any transaction. */
function timeOf({ store, clock }: World): () => number {
  let offsetMs = 0;
  return () => {
    try {
      offsetMs = store.settings.clockOffsetMs();
    } catch {
      // The answer that the store can't be used has a date too.
    }
    return clock.now() + offsetMs;
  };
}

/** One transaction for all; where one request breaks it, nothing was answered yet, so each gets a transaction of its own. */
function handleTogether(
  world: World,
  handle: Handler,
  requests: readonly SandboxRequest[],
): (SandboxAnswer | Error)[] {
  try {
    return world.store.transaction(() => requests.map((request) => answerRequest(world, request)));
  } catch (error) {
    if (error instanceof DatabaseUnusable) return requests.map(() => error);
    return requests.map((request) => {
      try {
        return handle(request);
      } catch (error) {
        return error instanceof Error ? error : new Error('not an error was thrown', { cause: error });
      }
    });
  }
}
