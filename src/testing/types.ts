/** What a test gets from `@svc-cli/svc/testing`. It stands alone: the build makes `dist/testing.d.ts` of it, and the sources are held to it by the compiler. */

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

/** Why an operation failed: each code has reasons of its own. */
export type SandboxFailure = {
  readonly [Code in SandboxFailureCode]: {
    readonly code: Code;
    readonly reason: FailureReasons[Code];
    /** For people. */
    readonly message: string;
  };
}[SandboxFailureCode];

/** A failure that a test asks for; without a reason it is the first of its code. */
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
  /** With true, `pay` rejects and pays nothing where the money would go to another pay-in. */
  readonly exact?: boolean;
}

export interface AdvanceOptions {
  /** With false, `advance` does not wait for deliveries. */
  readonly deliveries?: boolean;
}

/** An endpoint by its id, or by the words of its path, or `*` for all. */
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
  /** How many requests; 1 unless given. */
  readonly count?: number;
  /** How many requests of the route pass first; 0 unless given. */
  readonly skip?: number;
  /** Only requests with this reference in the body, or about an operation that has it. */
  readonly match?: string;
  readonly delivery?: never;
}

export type DeliveryFaultKind = 'duplicate' | 'reorder' | 'hold' | 'bad-signature' | 'before-answer';

/** What happens to the next deliveries. */
interface FaultyDeliveries {
  /**
   * `duplicate` arrives twice; `reorder` arrives after the next one; `hold` arrives after `for`; `bad-signature` arrives with a wrong
   * signature first; and with `before-answer` the events of a create arrive before it is answered.
   */
  readonly delivery: DeliveryFaultKind;
  /** How many deliveries; 1 unless given. */
  readonly count?: number;
  /** When the fault ends by the clock of the sandbox: `30s`, `24h`. */
  readonly for?: string;
  readonly route?: never;
}

/** What happens to the next deliveries, or to requests, as `POST /_control/faults` takes it. */
export type FaultToArm = FaultyDeliveries | FaultToRequests;

type FaultToRequests = FaultyRequests &
  (
    | {
        readonly kind?: 'status';
        /** 300 to 599. */
        readonly status: number;
        /** The seconds of its `Retry-After`. */
        readonly retry_after?: number;
        /** True: the request is carried out first. */
        readonly after?: boolean;
        readonly delay_ms?: never;
        readonly failure?: never;
      }
    /**
     * The connection is cut before, or after, the request was carried out; its answer is no JSON; it is cut in the middle
     * (`truncated`); or it never comes (`silent`).
     */
    | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' | 'truncated' | 'silent' }
    | {
        readonly kind: 'delay';
        /** 1000 unless given. */
        readonly delay_ms?: number;
      }
    /** The operation that the request makes, or confirms, fails. */
    | { readonly kind: 'outcome'; readonly failure: FailureToMake; readonly pending?: never }
    /** It stays pending until `settle(id)`. */
    | { readonly kind: 'outcome'; readonly pending: true; readonly failure?: never }
  );

export interface KeyToMake {
  /** Made where there is none; `default` unless given. */
  readonly company?: string;
  /** All unless given. */
  readonly scopes?: readonly SandboxScope[];
  /** That of `apiKey` unless given. */
  readonly environment?: SandboxEnvironment;
  /** Who made the operations of this key. */
  readonly created_by?: 'company' | 'operator';
}

export interface PingToSend {
  /** `default` unless given. */
  readonly company?: string;
  /** That of `apiKey` unless given. */
  readonly environment?: SandboxEnvironment;
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
  readonly endpoint: SandboxEndpoint | null;
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
    /** The older pay-in that gets such a payment first; null where none does. Lists of more than 10 leave it out. */
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
  /** Where one was sent. */
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

/** An operation as the service answers it: its `status` tells which. */
export type OperationAnswer = PendingOperation | ConfirmedOperation | FailedOperation;

export type SandboxEventType = ReceivedEvent['type'];

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: SandboxEventType;
  /** Null for a `test.ping`, as the three that follow. */
  readonly operation_id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly url: string;
  readonly status: DeliveryState;
  /** The last attempt in a word: `delivered`, `refused`, `timeout`, `cut`, a status such as `401`; null before the first. */
  readonly result: string | null;
  readonly attempts: readonly AttemptRow[];
  readonly next_attempt_at: string | null;
  /** The fault that it met, until its end. */
  readonly fault: DeliveryFaultKind | null;
}

export interface AttemptRow {
  readonly at: string;
  /** Null where no answer came: then `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly request: LoggedSide | null;
  readonly answer: (LoggedSide & { readonly status: number }) | null;
  /** How long it took. */
  readonly ms: number | null;
  /** The fault that it was sent with. */
  readonly fault?: DeliveryFaultKind;
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
  /** `remember`: the key of a create that was refused (4xx) is used. `forget` unless given: it is free. */
  readonly keys_of_refused?: 'forget' | 'remember';
  /**
   * What it begins with: a state as `svc sandbox export` prints it. The path of its file (or a `file:` URL), its text, or its object.
   * A text begins with `{`.
   */
  readonly seed?: string | URL | object;
}

/** The whole service in this process, in memory: nobody else sees it, and nothing of it stays. */
export interface TestSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: the address as a client is configured with it, without `/sandbox`. */
  readonly baseUrl: string;
  /** What `/v2` is appended to: `baseUrl` with `/sandbox`, or `baseUrl` alone where it is live. */
  readonly serviceUrl: string;
  /** A key with every scope; the same after a `reset()`. After `restore()` of the state of another sandbox it is the key of that. */
  readonly apiKey: string;
  /** The one valid code. */
  readonly code: string;
  /** As the global `fetch`, straight into the service: no port, no network. A path counts from `baseUrl`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Empties everything and puts the clock back; the key stays, receivers are closed. */
  reset(): Promise<void>;
  /** Everything that is in it, as `svc sandbox export` prints it: for `restore()`, or for a file that is a `seed`. */
  snapshot(): Promise<string>;
  /**
   * Puts such a state in the place of everything: its text, or its object. The clock goes on from there, and the log of requests is
   * empty. A receiver stays where its URL is registered in the state, and is closed otherwise. Rejects a state that is wrong, with lines
   * and paths; nothing is changed then.
   */
  restore(state: string | object): Promise<void>;
  /**
   * Moves the clock by `30s`, `5m`, `48h` or `2d`, and resolves to the new time. What that brings has happened then: windows have
   * ended, and each delivery that was due was attempted and answered, with those that follow by then. It waits at most 5 s of real time
   * for receivers, then rejects and names what has no answer. `0s` waits for what is due now.
   */
  advance(duration: string, options?: AdvanceOptions): Promise<string>;
  /**
   * Lets the payment arrive that this pay-in waits for, or one that differs from it.
   * Resolves to the operation that it was attributed to: as in the service, the oldest pay-in that it fits. Where two wait for the same,
   * that may be another one than `id` names: compare its `id`, or ask for `{ exact: true }`. Null where no pay-in fits.
   * Rejects where the pay-in waits for no payment.
   */
  pay(id: string, differing?: DifferingPayment, options?: PayOptions): Promise<SandboxOperation | null>;
  /** The bank's answer for an operation that waits for it: confirmed, or failed in this way. */
  settle(id: string, failure?: FailureToMake): Promise<SandboxOperation>;
  /** Ends the payment window of a pay-in now, or the validity of its code. */
  expire(id: string): Promise<SandboxOperation>;
  /** What happens to the next requests of a route, or to the next deliveries. Resolves to how many of them. */
  fault(fault: FaultToArm): Promise<number>;
  /** Removes all faults, and lets go the deliveries that they hold. Resolves as `advance` does, to how many faults there were. */
  clearFaults(): Promise<number>;
  /** A new key, of another company, with fewer scopes, or of the other environment. */
  key(key?: KeyToMake): Promise<string>;
  /** Sends a `test.ping` to the registered url. Resolves as `advance` does, to its delivery. */
  ping(ping?: PingToSend): Promise<DeliveryRow>;
  /** Sends a delivery again, in whatever state it is. Resolves as `advance` does, to the delivery. */
  resend(deliveryId: string): Promise<DeliveryRow>;
  /** The requests so far that came from outside of this kit, oldest first; the last 1,000. */
  requests(filter?: RequestFilters): Promise<LoggedRequest[]>;
  /** One of them with both its sides. */
  request(id: number): Promise<LoggedExchange>;
  /** The operations of every company, oldest first. */
  operations(filter?: OperationFilters): Promise<SandboxOperation[]>;
  /** The deliveries of events to registered urls, oldest first. */
  deliveries(): Promise<DeliveryRow[]>;
  /** Registers a url on this machine that verifies what it gets and keeps it. It takes the place of the url before it. */
  receiver(options?: ReceiverOptions): Promise<TestReceiver>;
  /** Waits until a delivery is `delivered`, or what is asked for. Rejects with what there was where that takes too long. */
  waitForDelivery(type?: SandboxEventType, options?: DeliveryWait): Promise<DeliveryRow>;
  /** Ends it. A test that forgets this still ends. */
  close(): Promise<void>;
}

/** A status; nothing until the service gives up, after 10 s; or the connection cut. */
export type ReceiverReply = number | 'slow' | 'cut';

export interface ReceiverOptions {
  /**
   * How it answers what is authentic; 200 unless given. What is answered so is kept all the same.
   * `twice` cuts the connection at the first attempt of each event, so that the service sends it once more.
   * Of a function the answer is what it returns, 200 where that is nothing.
   */
  readonly answer?: ReceiverReply | 'twice' | ReceiverAnswers;
}

export type ReceiverAnswers = (
  delivery: ReceivedDelivery,
) => ReceiverReply | undefined | Promise<ReceiverReply | undefined>;

/** One attempt that arrived and was authentic. */
export interface ReceivedDelivery {
  readonly event: ReceivedEvent;
  /** 1 for the first time that this event arrived. */
  readonly attempt: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was signed. */
  readonly body: string;
}

/** A receiver of events: `next` hands them out, each once. */
export interface TestReceiver {
  readonly url: string;
  readonly secret: string;
  /** Every event that arrived and was authentic, each once, in the order of arrival. */
  readonly events: readonly ReceivedEvent[];
  /** Every attempt that arrived and was authentic: an event that came twice stands there twice. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** Why deliveries were turned away. */
  readonly rejected: readonly string[];
  /**
   * The first event of this type, or of any, that was not handed out yet; it is waited for.
   * Rejects after `timeoutMs` (5000) with what did arrive.
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
  /** The operation as it was then. */
  readonly data: Data;
}

/** An event: its `type` tells which, and with it how the operation in `data` ended. */
export type ReceivedEvent =
  | EventOf<'payin.confirmed', ConfirmedOperation & { readonly type: 'payin' }>
  | EventOf<'payin.failed', FailedOperation & { readonly type: 'payin' }>
  | EventOf<'payout.confirmed', ConfirmedOperation & { readonly type: 'payout' }>
  | EventOf<'payout.failed', FailedOperation & { readonly type: 'payout' }>
  | EventOf<'test.ping', OperationAnswer>;

/** Starts a sandbox in this process. */
export type StartSandbox = (options?: TestSandboxOptions) => Promise<TestSandbox>;
