/** What a test gets from `@svc-cli/svc/testing`. It stands alone: the build makes `dist/testing.d.ts` of it, and the sources are held to it by the compiler. */

export interface DifferingPayment {
  readonly method?: string;
  readonly currency?: string;
  readonly amount?: string;
  readonly bank_code?: string;
  readonly phone?: string;
  readonly document?: { readonly type: string; readonly number: string };
}

/** As `POST /_control/faults` takes it. */
export interface FaultToArm {
  /** An endpoint, such as `payins.create`, or `*`. */
  readonly route: string;
  readonly kind?: 'status' | 'drop-before' | 'drop-after' | 'delay' | 'garbage' | 'outcome';
  readonly status?: number;
  readonly retry_after?: number;
  readonly delay_ms?: number;
  readonly failure?: { readonly code: string; readonly reason?: string };
  /** How many requests; 1 unless given. */
  readonly count?: number;
}

export interface RequestFilters {
  /** `404`, `4xx`, or `cut`. */
  readonly status?: string | number;
  readonly method?: string;
  readonly path?: string;
}

export interface LoggedRequest {
  readonly id: number;
  readonly at: string;
  readonly wall_at: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly company: string | null;
  /** Null where the connection was cut. */
  readonly status: number | null;
  readonly ms: number | null;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
  /** Why it was refused, in a sentence. */
  readonly refused: string | null;
}

export interface LoggedSide {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly encoding?: 'base64';
  readonly truncated?: boolean;
}

export interface LoggedExchange extends LoggedRequest {
  readonly request: LoggedSide;
  readonly answer: LoggedSide | null;
}

export interface OperationFilters {
  readonly status?: 'pending' | 'confirmed' | 'failed';
  /** In its id, its reference. */
  readonly search?: string;
  /** With true, those that wait for somebody. */
  readonly waits?: boolean;
}

export interface SandboxOperation {
  readonly id: string;
  readonly environment: 'sandbox' | 'live';
  readonly company: string;
  readonly direction: 'payin' | 'payout';
  /** As the service answers it. */
  readonly operation: OperationAnswer;
  /** Null where it is final. */
  readonly waits_for: {
    readonly kind: 'code' | 'payment' | 'bank';
    readonly until: string | null;
    readonly payment?: DifferingPayment;
  } | null;
}

export interface OperationAnswer {
  readonly id: string;
  readonly type: 'payin' | 'payout';
  readonly country: string;
  readonly currency: string;
  readonly method: string;
  readonly amount: string;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly pending_reason: 'awaiting_code' | 'awaiting_payment' | 'processing' | null;
  readonly bank_reference: string | null;
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [name: string]: unknown;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: DeliveryState;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly [name: string]: unknown;
  }[];
  readonly next_attempt_at: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'exhausted';

export interface DeliveryWait {
  /** `delivered` unless given. */
  readonly status?: DeliveryState;
  /** 5000 unless given. */
  readonly timeoutMs?: number;
}

/** How a sandbox is started; every member may be left out. */
export interface TestSandboxOptions {
  /** The port on 127.0.0.1; 0, the default, picks a free one, and null opens none: then only `fetch` reaches it. */
  readonly port?: number | null;
  /** The one valid code; `123456` unless given. */
  readonly code?: string;
  /** With true, `apiKey` is a live key, and `serviceUrl` the live environment. */
  readonly live?: boolean;
  /** How long payouts and `direct_debit` stay `processing`; 0 unless given. */
  readonly settleAfterSeconds?: number;
}

/** The whole service in this process, in memory: nobody else sees it, and nothing of it stays. */
export interface TestSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: the address as a client is configured with it, without `/sandbox`. */
  readonly baseUrl: string;
  /** What `/v2` is appended to: `baseUrl` with `/sandbox`, or `baseUrl` alone where it is live. */
  readonly serviceUrl: string;
  /** A key with every scope; the same after a `reset()`. */
  readonly apiKey: string;
  /** The one valid code. */
  readonly code: string;
  /** As the global `fetch`, straight into the service: no port, no network. A path counts from `baseUrl`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Empties everything and puts the clock back; the key stays, receivers are closed. */
  reset(): Promise<void>;
  /** Moves the clock by `30s`, `5m`, `48h` or `2d`; what that brings has happened when it resolves, to the new time. */
  advance(duration: string): Promise<string>;
  /**
   * Lets the payment arrive that this pay-in waits for, or one that differs from it.
   * Resolves to the operation that it was attributed to: the oldest that it fits. Null where that is none.
   * Rejects where the pay-in waits for no payment.
   */
  pay(id: string, differing?: DifferingPayment): Promise<SandboxOperation | null>;
  /** What happens to the next requests of a route. Resolves to how many of them. */
  fault(fault: FaultToArm): Promise<number>;
  /** The requests so far that came from outside of this kit, oldest first; the last 1,000. */
  requests(filter?: RequestFilters): Promise<LoggedRequest[]>;
  /** One of them with both its sides. */
  request(id: number): Promise<LoggedExchange>;
  /** The operations of every company, oldest first. */
  operations(filter?: OperationFilters): Promise<SandboxOperation[]>;
  /** The deliveries of events to registered urls, oldest first. */
  deliveries(): Promise<DeliveryRow[]>;
  /** Registers a url on this machine that verifies what it gets and keeps it. It takes the place of the url before it. */
  receiver(): Promise<TestReceiver>;
  /** Waits until a delivery is `delivered`, or what is asked for. Rejects with what there was where that takes too long. */
  waitForDelivery(type?: string, options?: DeliveryWait): Promise<DeliveryRow>;
  /** Ends it. A test that forgets this still ends. */
  close(): Promise<void>;
}

/** A receiver of events: `next` hands them out, each once. */
export interface TestReceiver {
  readonly url: string;
  readonly secret: string;
  /** Every event that arrived and was authentic, each once, in the order of arrival. */
  readonly events: readonly ReceivedEvent[];
  /** Why deliveries were turned away. */
  readonly rejected: readonly string[];
  /**
   * The first event of this type, or of any, that was not handed out yet; it is waited for.
   * Rejects after `timeoutMs` (5000) with what did arrive.
   */
  next(type?: string, options?: { readonly timeoutMs?: number }): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  /** The operation as it was then. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Starts a sandbox in this process. */
export type StartSandbox = (options?: TestSandboxOptions) => Promise<TestSandbox>;
