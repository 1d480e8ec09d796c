/** How a command ends when it can't do its job: one class, a closed set of kinds, one table from kind to exit code. */

/** What each kind means; the numbers are promises to scripts. */
export const EXIT_CODES = {
  /** A defect here, or the service broke its contract. */
  defect: 1,
  /** Wrong flags or values; nothing was sent. */
  usage: 2,
  /** A batch ended with rows rejected or failed, every answer definite. */
  rows_failed: 3,
  /** No key, a key the service does not know, or one without the scope. */
  no_access: 4,
  /** No operation with that id. */
  not_found: 5,
  /** The service rejected the request. */
  rejected: 6,
  /** 409: look it up, do not repeat. */
  conflict: 7,
  /** Still pending when the wait ran out, or a person must go on. */
  pending: 8,
  /** The operation is `failed`. */
  operation_failed: 9,
  /** The service can't answer now. */
  unavailable: 10,
  /** Certainly not sent, or a read without an answer. */
  network: 11,
  /** A request left and what became of it is not known. */
  unknown_outcome: 12,
  /** Refused for safety; a person decides. */
  unsafe: 13,
  /** An input file is invalid; nothing was sent. */
  bad_file: 14,
  /** Another run holds the lock. */
  locked: 15,
  /** Local state, configuration or disk. */
  local_state: 16,
  /** A webhook delivery that must be discarded. */
  webhook_rejected: 17,
  /** A ledger and the service do not agree; what differs was printed. */
  differs: 18,
  /** An exam did not pass: something failed, could not be judged, or there was nothing to judge. */
  not_certified: 19,
  /** A program that was to be run is there and can't be started. */
  command_unusable: 126,
  /** There is no program of that name to be run. */
  command_missing: 127,
  /** The reader of standard output went away in a command that commits progress. */
  reader_gone: 141,
} as const;
export type FailureKind = keyof typeof EXIT_CODES;

/** What became of a request: it never left, it was answered, or nobody knows. */
export type SentOutcome = 'not_sent' | 'sent' | 'unknown';

/** What is wrong with a field, or what it is that refuses. */
export interface FailureDetail {
  readonly field: string;
  readonly code: string;
  /** Members that stand beside those. */
  readonly more?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/** A command line, and when it is the right one: "Where this is another payment". */
export interface OtherCommand {
  readonly when: string;
  readonly line: string;
}

/** What a failure carries beside its message; everything is optional, and null where it does not apply. */
export interface FailureFacts {
  /** The API's error code where it gave one; else the kind. */
  readonly code?: string | undefined;
  readonly details?: readonly FailureDetail[] | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** Default `not_sent`. */
  readonly outcome?: SentOutcome | undefined;
  /** Whether it could have moved money. Default true; false for a read, and for what only changes a sandbox. */
  readonly concernsMoney?: boolean | undefined;
  /** A program may run the same command again as it is. Default false. */
  readonly retryable?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | undefined;
  /** A command line that can be pasted. */
  readonly nextCommand?: string | undefined;
  /** It is the create that was typed: nothing is hidden in it, or it would be another request. Default false. */
  readonly isTypedCreate?: boolean | undefined;
  /** What stands beneath the message, an item a line; an item may hold anything, and stays one line. */
  readonly items?: readonly string[] | undefined;
  /** Sentences behind the items: how to go on. */
  readonly advice?: readonly string[] | undefined;
  /** Another line that can be pasted, of what was typed, behind all of them. */
  readonly otherCommand?: OtherCommand | undefined;
  readonly cause?: unknown;
}

/** Says what happened, what that means for the money, and what to do next. Its `message` is all of it: the head, the items, the advice. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly kind: FailureKind,
    /** What happened, without the items and the advice. */
    readonly head: string,
    readonly facts: FailureFacts = {},
  ) {
    super(
      wholeMessage(head, [
        ...(facts.items ?? []),
        ...(facts.advice ?? []),
        ...otherLines(facts.otherCommand),
      ]),
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** A program of the user's was run and has ended: its exit code is ours, and whatever there was to say it has said. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  constructor(readonly exitCode: number) {
    super(`The program ended with ${String(exitCode)}.`);
  }
}

/** As text; empty where there is none. */
export function otherLines(other: OtherCommand | null | undefined): string[] {
  return other === undefined || other === null ? [] : [`${other.when}: ${other.line}`];
}

/** A message and what stands beneath it. The line ends are our own: one that came with a value from outside is shown as text. */
export function wholeMessage(head: string, beneath: readonly string[]): string {
  if (beneath.length === 0) return head;
  const inOneLine = (text: string): string =>
    text.replace(/[\n\r\u2028\u2029]/g, (end) => SHOWN_ENDS[end] ?? ' ');
  return [head, ...beneath].map(inOneLine).join('\n');
}

const SHOWN_ENDS: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** The service answered with what its contract does not allow. @param how as a clause */
export function contractBroken(how: string): Failure {
  const facts = { code: 'contract_broken', outcome: 'sent' } as const;
  return new Failure('defect', `The service broke its contract: ${how}.`, facts);
}

/** What a machine has too little of, by the system's own word for it. */
const LACKING: readonly (readonly [RegExp, string])[] = [
  [/\bE[MN]FILE\b/, 'This process, or this machine, may open no more files: ulimit -n says how many'],
  [/^spawn\b.*\bEAGAIN\b/, 'This machine starts no more processes: ulimit -u says how many'],
  [/\bENOMEM\b/, 'This machine has no memory left'],
  [/\b(ENOSPC|EDQUOT)\b/, 'The disk is full'],
  [/\b(EIO|EROFS)\b/, 'The disk reports an error'],
];

/**
 * What nobody expected, as a failure. What the machine lacks is no defect, and neither is a part of the program that is not as it was built: what
 * loads it (`bin/container.js`) says in one sentence what to do.
 */
export function unexpected(error: unknown, facts: FailureFacts = {}): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const [, lacking] = LACKING.find(([pattern]) => pattern.test(message)) ?? [];
  if (lacking !== undefined)
    return new Failure('local_state', `${lacking} (${message}).`, { ...facts, cause: error });
  const head = isDamage(error) ? message : `This is a defect in svc: ${message}`;
  return new Failure('defect', head, { ...facts, cause: error });
}

/** Whether an error comes of a damaged part of the program: its stack leads nowhere. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Damaged' || isDamage(error.cause));
}
