/** The types of `@svc-cli/svc/testing`. This file must import nothing, because the build makes `dist/testing.d.ts` from it alone. */

export type SandboxEndpoint =
  | 'capabilities'
  | 'methods'
  | 'banks'
  | 'balances'
  | 'payins.create'
  | 'payins.get'
  | 'payins.confirm'
  | 'payins.resend'
  | 'payins.cancel'
  | 'payouts.create'
  | 'payouts.get'
  | 'payouts.cancel'
  | 'transactions.get'
  | 'events.list'
  | 'webhooks.register';

export type SandboxEnvironment = 'sandbox' | 'live';

export type SandboxScope =
  'payins:crear' | 'payouts:crear' | 'operaciones:leer' | 'saldos:leer' | 'webhooks:configurar';

export type IncomingMethod = 'incoming_mobile_payment' | 'incoming_transfer';

export type SandboxMethod =
  IncomingMethod | 'debit_otp' | 'direct_debit' | 'mobile_payment' | 'bank_transfer';

interface FailureReasons {
  readonly counterparty_rejected:
    | 'invalid_account'
    | 'account_closed'
    | 'account_blocked'
    | 'beneficiary_mismatch'
    | 'invalid_phone'
    | 'invalid_bank'
    | 'invalid_document'
    | 'other';
  readonly payer_insufficient_funds: 'payer_insufficient_funds';
  readonly mandate_required: 'no_mandate' | 'mandate_revoked';
  readonly code_rejected: 'code_invalid' | 'code_expired';
  readonly limit_exceeded: 'amount_over_limit' | 'daily_limit';
  readonly outside_hours: 'outside_hours';
  readonly invalid_data: 'invalid_data';
  readonly expired: 'expired';
  readonly cancelled: 'cancelled';
  readonly temporarily_unavailable: 'other' | 'bank_offline' | 'timeout';
  readonly rejected: 'other';
}

export type SandboxFailureCode = keyof FailureReasons;

export type SandboxFailure = {
  readonly [Code in SandboxFailureCode]: {
    readonly code: Code;
    readonly reason: FailureReasons[Code];
    readonly message: string;
  };
}[SandboxFailureCode];

/** Without `reason`, the failure has the first reason of its code. */
export type FailureToMake = {
  readonly [Code in SandboxFailureCode]: { readonly code: Code; readonly reason?: FailureReasons[Code] };
}[SandboxFailureCode];

export interface DifferingPayment {
  readonly method?: IncomingMethod;
  readonly currency?: string;
  readonly amount?: string;
  readonly bank_code?: string;
  readonly phone?: string;
  readonly document?: { readonly type: string; readonly number: string };
}

export interface PayOptions {
  /** If true, `pay(id)` pays the pay-in `id` or rejects: no other pay-in gets the money. */
  readonly exact?: boolean;
}

export interface AdvanceOptions {
  /** If false, `advance` does not wait for deliveries. */
  readonly deliveries?: boolean;
}

/** The endpoint that a fault affects. `*` is every endpoint, and some endpoints have two names. */
export type FaultRoute =
  | '*'
  | SandboxEndpoint
  | 'capabilities.list'
  | 'methods.list'
  | 'banks.list'
  | 'balances.list'
  | 'payins.resendCode'
  | 'webhookEndpoints.create';

interface FaultyRequests {
  readonly route: FaultRoute;
  /** How many requests meet the fault. Default: 1. */
  readonly count?: number;
  /** How many matching requests pass before the fault begins (default: 0). */
  readonly skip?: number;
  /** Only requests about an operation with this reference meet the fault. */
  readonly match?: string;
  readonly delivery?: never;
}

export type DeliveryFaultKind = 'duplicate' | 'reorder' | 'hold' | 'bad-signature' | 'before-answer';

interface FaultyDeliveries {
  /**
   * The delivery arrives twice (`duplicate`), after the next delivery (`reorder`), when the fault ends (`hold`), first with a wrong signature
   * (`bad-signature`), or before the create is answered (`before-answer`).
   */
  readonly delivery: DeliveryFaultKind;
  /** How many deliveries meet the fault. Default: 1. */
  readonly count?: number;
  /** How long the fault lasts on the clock of the sandbox, such as `30s` or `24h`. Default: no limit. */
  readonly for?: string;
  readonly route?: never;
}

/** A fault as `POST /_control/faults` takes it. */
export type FaultToArm = FaultyDeliveries | FaultToRequests;

type FaultToRequests = FaultyRequests &
  (
    | {
        readonly kind?: 'status';
        /** The status of the answer, from 300 to 599. */
        readonly status: number;
        readonly retry_after?: number;
        /** If true, the request is carried out before it gets this status. */
        readonly after?: boolean;
        readonly delay_ms?: never;
        readonly failure?: never;
      }
    /**
     * `drop-before` and `drop-after` cut the connection before or after the request is carried out. `truncated` cuts the answer's body,
     * `garbage` sends an answer that is no JSON, and `silent` sends no answer.
     */
    | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' | 'truncated' | 'silent' }
    | {
        readonly kind: 'delay';
        /** How many milliseconds later the answer is sent. Default: 1000. */
        readonly delay_ms?: number;
      }
    /** The request is carried out, but its operation fails. */
    | { readonly kind: 'outcome'; readonly failure: FailureToMake; readonly pending?: never }
    /** The operation of the request stays pending until the test calls `settle(id)`. */
    | { readonly kind: 'outcome'; readonly pending: true; readonly failure?: never }
  );

export interface KeyToMake {
  /** The company that owns the key. A new name creates a company. Default: `default`. */
  readonly company?: string;
  /** Default: every scope. */
  readonly scopes?: readonly SandboxScope[];
  /** The environment of the key. Default: the environment of `apiKey`. */
  readonly environment?: SandboxEnvironment;
  readonly created_by?: 'company' | 'operator';
}

export interface PingToSend {
  /** The company whose URL gets the ping. Default: the company `default`. */
  readonly company?: string;
  /** The environment in which the URL is registered. Default: the environment of `apiKey`. */
  readonly environment?: SandboxEnvironment;
}

export interface RequestFilters {
  /** Only requests that were answered with this status: `404`, `4xx`, or `cut` for a cut connection. */
  readonly status?: string | number;
  readonly method?: string;
  readonly path?: string;
}

export interface LoggedRequest {
  readonly id: number;
  /** The time on the clock of the sandbox. `wall_at` is the real time. */
  readonly at: string;
  readonly wall_at: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: SandboxEndpoint | null;
  readonly company: string | null;
  /** The status of the answer. Null if the connection was cut. */
  readonly status: number | null;
  readonly ms: number | null;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
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
  /** Text that the id or the reference contains. */
  readonly search?: string;
  /** If true, only operations that wait for a code, a payment or the bank. */
  readonly waits?: boolean;
}

export interface SandboxOperation {
  readonly id: string;
  readonly environment: 'sandbox' | 'live';
  readonly company: string;
  readonly direction: 'payin' | 'payout';
  readonly operation: OperationAnswer;
  /** What the operation waits for. Null if the operation is final. */
  readonly waits_for: {
    readonly kind: 'code' | 'payment' | 'bank';
    readonly until: string | null;
    readonly payment?: DifferingPayment;
    /** The older pay-in that would get the payment instead. Null if there is none, and missing in the result of `operations()`. */
    readonly paid_first?: {
      readonly id: string;
      readonly reference: string | null;
      readonly company: string;
      readonly environment: SandboxEnvironment;
    } | null;
  } | null;
}

interface OperationMembers {
  readonly id: string;
  readonly type: 'payin' | 'payout';
  readonly country: string;
  readonly currency: string;
  readonly method: SandboxMethod;
  readonly amount: string;
  readonly bank_reference: string | null;
  /** Missing if the create had no reference. */
  readonly reference?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly concept: string;
  readonly created_by: 'company' | 'operator';
  readonly created_at: string;
  readonly updated_at: string;
  readonly [name: string]: unknown;
}

export interface PendingOperation extends OperationMembers {
  readonly status: 'pending';
  readonly pending_reason: 'awaiting_code' | 'awaiting_payment' | 'processing';
  readonly failure: null;
}

export interface ConfirmedOperation extends OperationMembers {
  readonly status: 'confirmed';
  readonly pending_reason: null;
  readonly failure: null;
}

export interface FailedOperation extends OperationMembers {
  readonly status: 'failed';
  readonly pending_reason: null;
  readonly failure: SandboxFailure;
}

/** `status` tells the three types apart. */
export type OperationAnswer = PendingOperation | ConfirmedOperation | FailedOperation;

export type SandboxEventType = ReceivedEvent['type'];

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: SandboxEventType;
  /** For a `test.ping`, this member and the next three are null. */
  readonly operation_id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly url: string;
  readonly status: DeliveryState;
  /** The result of the last attempt, such as `delivered`, `refused`, `timeout`, `cut` or `401`. Null before the first attempt. */
  readonly result: string | null;
  readonly attempts: readonly AttemptRow[];
  readonly next_attempt_at: string | null;
  /** The fault that affects this delivery now. Null if there is none. */
  readonly fault: DeliveryFaultKind | null;
}

export interface AttemptRow {
  readonly at: string;
  /** The status of the receiver's answer. Null if no answer came, and then `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly request: LoggedSide | null;
  readonly answer: (LoggedSide & { readonly status: number }) | null;
  readonly ms: number | null;
  readonly fault?: DeliveryFaultKind;
}

export type DeliveryState = 'pending' | 'delivered' | 'exhausted';

export interface DeliveryWait {
  /** Default: `delivered`. */
  readonly status?: DeliveryState;
  /** How long to wait, in milliseconds of real time. Default: 5000. */
  readonly timeoutMs?: number;
}

export interface TestSandboxOptions {
  /** The port on 127.0.0.1. 0 (the default) picks a free port. Null opens no port, so that only `fetch` reaches the sandbox. */
  readonly port?: number | null;
  /** The only code that confirms a pay-in. Default: `123456`. */
  readonly code?: string;
  /** If true, the sandbox plays the live environment: `apiKey` is a live key, and `serviceUrl` has no `/sandbox`. */
  readonly live?: boolean;
  /** How long payouts and `direct_debit` pay-ins stay `processing`. Default: 0. */
  readonly settleAfterSeconds?: number;
  /** Whether the idempotency key of a refused create (4xx) is free for another body: `forget` (the default) frees it, `remember` does not. */
  readonly keys_of_refused?: 'forget' | 'remember';
  /** The first state, from `snapshot()` or `svc sandbox export`: a path, a `file:` URL, a JSON text that begins with `{`, or an object. */
  readonly seed?: string | URL | object;
  /** The time in UTC at which the clock begins, such as `2026-01-05T09:00:00Z`. Default: the real time. */
  readonly now?: string;
  /** With `fixed`, ids, keys and secrets are the same in every run. Default: `random`. */
  readonly ids?: 'random' | 'fixed';
}

/** The whole service, run by this process with its data in memory. `close` deletes the data. */
export interface TestSandbox extends AsyncDisposable {
  /** The base URL for a client: `http://127.0.0.1:PORT`, without `/sandbox`. */
  readonly baseUrl: string;
  /** The URL before `/v2`: `baseUrl` with `/sandbox`, or `baseUrl` itself for a live sandbox. */
  readonly serviceUrl: string;
  /**
   * This key has every scope, and `restore()` or `reset()` may replace it with the key of the new state, unless it is a
   * live key.
   */
  readonly apiKey: string;
  /** The only code that confirms a pay-in. */
  readonly code: string;
  /** Works like the global `fetch`, but needs no port. A path is relative to `baseUrl`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Begins again with the `seed`, or empty without one. The clock and fixed `ids` begin again too, and the receivers are closed. */
  reset(): Promise<void>;
  /** Resolves to the whole state as JSON, which `restore()` and `seed` take. */
  snapshot(): Promise<string>;
  /**
   * Replaces the whole state by the result of `snapshot()`, as text or object. The clock continues from the time of that state, the request
   * log is empty, and receivers whose URLs are in the state stay open. A wrong state changes nothing: the rejection names lines and paths.
   */
  restore(state: string | object): Promise<void>;
  /**
   * Moves the clock by a duration such as `30s`, `5m`, `48h` or `2d`, and resolves to the new time. Everything due in the skipped time
   * happens: payment windows end, and deliveries and their retries are answered. After 5 s of real time without an answer it rejects and names
   * the deliveries. `0s` only waits for deliveries that are due now.
   */
  advance(duration: string, options?: AdvanceOptions): Promise<string>;
  /**
   * Makes the payment arrive that the pay-in `id` waits for, changed by the members of `changes`. Resolves to the oldest pay-in that the
   * payment fits, which may be another pay-in than `id` (see `exact`), or to null if it fits none. Rejects if `id` waits for no payment.
   */
  pay(id: string, changes?: DifferingPayment, options?: PayOptions): Promise<SandboxOperation | null>;
  /** Gives the bank's answer to an operation that waits for the bank: failed with `failure`, or confirmed without it. */
  settle(id: string, failure?: FailureToMake): Promise<SandboxOperation>;
  /** Ends the payment window of a pay-in, or the validity of its code, now. */
  expire(id: string): Promise<SandboxOperation>;
  /**
   * Arms a fault for the next requests of a route, or for the next deliveries. Resolves to the number of requests or deliveries that will meet
   * the fault.
   */
  fault(fault: FaultToArm): Promise<number>;
  /** Removes all faults and sends the deliveries that they delayed. Waits as `advance` does, and resolves to the number of removed faults. */
  clearFaults(): Promise<number>;
  /** Makes an API key and resolves to it. */
  key(key?: KeyToMake): Promise<string>;
  /** Sends a `test.ping` to the registered URL. Waits as `advance` does, and resolves to the delivery of the ping. */
  ping(ping?: PingToSend): Promise<DeliveryRow>;
  /** Sends a delivery again, whatever its status is. Waits as `advance` does, and resolves to the delivery. */
  resend(deliveryId: string): Promise<DeliveryRow>;
  /** The last 1,000 requests to the service, oldest first. */
  requests(filter?: RequestFilters): Promise<LoggedRequest[]>;
  request(id: number): Promise<LoggedExchange>;
  /** All operations of all companies, oldest first. */
  operations(filter?: OperationFilters): Promise<SandboxOperation[]>;
  /** All deliveries to registered URLs, oldest first. */
  deliveries(): Promise<DeliveryRow[]>;
  /** Registers a URL on this machine that verifies and records deliveries. It replaces the URL registered before. */
  receiver(options?: ReceiverOptions): Promise<TestReceiver>;
  /** Waits until a delivery has the status `delivered`, or the status in `options`. On timeout it rejects and lists the deliveries. */
  waitForDelivery(type?: SandboxEventType, options?: DeliveryWait): Promise<DeliveryRow>;
  /** Closes the sandbox. A process that never calls `close` still ends. */
  close(): Promise<void>;
}

/** A status, `slow` for no answer until the service gives up after 10 s, or `cut` for a cut connection. */
export type ReceiverReply = number | 'slow' | 'cut';

export interface ReceiverOptions {
  /**
   * The answer to each authentic delivery. Default: 200. `twice` cuts the connection at the first attempt of each event, so that the service
   * sends the event again. A function chooses the answer to each delivery, and undefined means 200.
   */
  readonly answer?: ReceiverReply | 'twice' | ReceiverAnswers;
}

export type ReceiverAnswers = (
  delivery: ReceivedDelivery,
) => ReceiverReply | undefined | Promise<ReceiverReply | undefined>;

export interface ReceivedDelivery {
  readonly event: ReceivedEvent;
  /** 1 for the first arrival of this event, 2 for the second. */
  readonly attempt: number;
  /** The header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were signed, as text. */
  readonly body: string;
}

/** A receiver that `receiver()` opened. */
export interface TestReceiver {
  readonly url: string;
  readonly secret: string;
  /** Authentic events in the order of arrival, without repetitions. */
  readonly events: readonly ReceivedEvent[];
  /** Authentic deliveries in the order of arrival. An event that arrived twice is here twice. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** The reason of each rejected delivery, and each error of a function given as `answer`. */
  readonly rejected: readonly string[];
  /**
   * Resolves to the next event that `next` has not returned yet, of this type if one is given. After `timeoutMs` (default: 5000) it rejects
   * and lists the events that arrived.
   */
  next<Type extends SandboxEventType = SandboxEventType>(
    type?: Type,
    options?: { readonly timeoutMs?: number },
  ): Promise<Extract<ReceivedEvent, { readonly type: Type }>>;
  close(): Promise<void>;
}

interface EventOf<Type extends string, Data> {
  readonly id: string;
  readonly type: Type;
  readonly occurred_at: string;
  /** The operation as it was at `occurred_at`. */
  readonly data: Data;
}

/** A check of `type` narrows `data` to a confirmed or a failed operation. */
export type ReceivedEvent =
  | EventOf<'payin.confirmed', ConfirmedOperation & { readonly type: 'payin' }>
  | EventOf<'payin.failed', FailedOperation & { readonly type: 'payin' }>
  | EventOf<'payout.confirmed', ConfirmedOperation & { readonly type: 'payout' }>
  | EventOf<'payout.failed', FailedOperation & { readonly type: 'payout' }>
  | EventOf<'test.ping', OperationAnswer>;

export type StartSandbox = (options?: TestSandboxOptions) => Promise<TestSandbox>;
