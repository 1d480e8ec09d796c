/** Scripts rely on these numbers. */
export const EXIT_CODES = {
  /** A defect of svc, or the service broke its contract. */
  defect: 1,
  usage: 2,
  /** A batch ended with rejected or failed rows, and every answer is definite. */
  rows_failed: 3,
  /** There is no key, the service does not know the key, or the key lacks the scope. */
  no_access: 4,
  not_found: 5,
  rejected: 6,
  /** The caller must look the payment up, and not repeat the request (409). */
  conflict: 7,
  /** The operation was still pending when the wait ended, or a person must act. */
  pending: 8,
  operation_failed: 9,
  unavailable: 10,
  /** The request was certainly not sent, or was a read without an answer. */
  network: 11,
  /** A request was sent and its result is not known. */
  unknown_outcome: 12,
  /** svc refused for safety. A person decides. */
  unsafe: 13,
  bad_file: 14,
  locked: 15,
  local_state: 16,
  webhook_rejected: 17,
  /** A ledger and the service do not agree; the differences were printed. */
  differs: 18,
  /** An exam did not pass: something failed, could not be judged, or there was nothing to judge. */
  not_certified: 19,
  command_unusable: 126,
  command_missing: 127,
  /** The reader of standard output went away in a command that saves its progress. */
  reader_gone: 141,
} as const;
export type FailureKind = keyof typeof EXIT_CODES;

export type SentOutcome = 'not_sent' | 'sent' | 'unknown';

export interface FailureDetail {
  readonly field: string;
  readonly code: string;
  readonly extraMembers?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/** `when` names the case, such as "Where this is another payment". */
export interface OtherCommand {
  readonly when: string;
  readonly line: string;
}

export interface FailureFacts {
  /** The API's error code if it gave one, else the kind. */
  readonly code?: string | undefined;
  readonly details?: readonly FailureDetail[] | undefined;
  readonly status?: number | undefined;
  /** The default is `not_sent`. */
  readonly outcome?: SentOutcome | undefined;
  /** True if the request can move money. The default is true. */
  readonly concernsMoney?: boolean | undefined;
  /** True if a program may run the same command again without changes. Default false. */
  readonly retryable?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | undefined;
  readonly nextCommand?: string | undefined;
  /**
   * True if `nextCommand` is the typed create command. It is printed unmasked, because a masked value would
   * send another request.
   */
  readonly isTypedCreate?: boolean | undefined;
  /** Lines below the message. An item may have any text, and is printed as one line. */
  readonly items?: readonly string[] | undefined;
  readonly advice?: readonly string[] | undefined;
  readonly otherCommand?: OtherCommand | undefined;
  readonly cause?: unknown;
}

/** `message` has the head, the items, the advice and the other command. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly kind: FailureKind,
    readonly head: string,
    readonly facts: FailureFacts = {},
  ) {
    super(
      wholeMessage(head, [
        ...(facts.items ?? []),
        ...(facts.advice ?? []),
        ...otherCommandLines(facts.otherCommand),
      ]),
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** When this is thrown, svc ends with the exit code of the program that it ran, and prints nothing more. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  constructor(readonly exitCode: number) {
    super(`The program ended with ${String(exitCode)}.`);
  }
}

export function otherCommandLines(other: OtherCommand | null | undefined): string[] {
  return other === undefined || other === null ? [] : [`${other.when}: ${other.line}`];
}

/** Shows line breaks inside a text as escapes, because the text may come from outside. */
export function wholeMessage(head: string, lines: readonly string[]): string {
  if (lines.length === 0) return head;
  const escapeLineEnds = (text: string): string =>
    text.replace(/[\n\r\u2028\u2029]/g, (end) => SHOWN_LINE_ENDS[end] ?? ' ');
  return [head, ...lines].map(escapeLineEnds).join('\n');
}

const SHOWN_LINE_ENDS: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

export function usageFailure(message: string, cause?: unknown): Failure {
  return new Failure('usage', `${message} Nothing was sent.`, { cause });
}

export function contractBroken(clause: string): Failure {
  const facts = { code: 'contract_broken', outcome: 'sent' } as const;
  return new Failure('defect', `The service broke its contract: ${clause}.`, facts);
}

const SHORTAGES: readonly (readonly [RegExp, string])[] = [
  [/\bE[MN]FILE\b/, 'This process, or this machine, may open no more files: ulimit -n says how many'],
  [/^spawn\b.*\bEAGAIN\b/, 'This machine starts no more processes: ulimit -u says how many'],
  [/\bENOMEM\b/, 'This machine has no memory left'],
  [/\b(ENOSPC|EDQUOT)\b/, 'The disk is full'],
  [/\b(EIO|EROFS)\b/, 'The disk reports an error'],
];

/** A shortage of the machine is no defect of svc. */
export function toFailure(error: unknown, facts: FailureFacts = {}): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const [, shortage] = SHORTAGES.find(([pattern]) => pattern.test(message)) ?? [];
  if (shortage !== undefined)
    return new Failure('local_state', `${shortage} (${message}).`, { ...facts, cause: error });
  const head = isDamage(error) ? message : `This is a defect in svc: ${message}`;
  return new Failure('defect', head, { ...facts, cause: error });
}

/** If closing fails too, `await using` throws one error that contains both. The earlier one says what went wrong. */
export function errorBeforeClosing(error: unknown): unknown {
  // Node 22 has no class SuppressedError: the bundle makes an error of that name.
  if (!(error instanceof Error) || error.name !== 'SuppressedError') return error;
  return errorBeforeClosing((error as SuppressedError).suppressed);
}

/** True if a part of the program is damaged. The stack of such an error helps nobody. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Damaged' || isDamage(error.cause));
}

export function feedFault(why: 'circle' | 'stuck'): Failure {
  if (why === 'circle') return contractBroken('its cursors repeat');
  const text =
    'The service broke its contract: next_cursor leads no further, also when svc asks again, and the page is not the end. Later events cannot be read.';
  return new Failure('defect', text, { code: 'feed_unreadable', outcome: 'sent', retryable: true });
}
