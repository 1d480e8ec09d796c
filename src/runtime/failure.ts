export const EXIT_CODES = {
  defect: 1,
  usage: 2,
  rows_failed: 3,
  no_access: 4,
  not_found: 5,
  rejected: 6,
  conflict: 7,
  pending: 8,
  operation_failed: 9,
  unavailable: 10,
  network: 11,
  unknown_outcome: 12,
  unsafe: 13,
  bad_file: 14,
  locked: 15,
  local_state: 16,
  webhook_rejected: 17,
  differs: 18,
  not_certified: 19,
  command_unusable: 126,
  command_missing: 127,
  reader_gone: 141,
} as const;
export type FailureKind = keyof typeof EXIT_CODES;

export type SentOutcome = 'not_sent' | 'sent' | 'unknown';

export interface FailureDetail {
  readonly field: string;
  readonly code: string;
  readonly extraMembers?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

export type OtherCommand = Readonly<Record<'when' | 'line', string>>;

export interface FailureFacts {
  readonly code?: string | undefined;
  readonly details?: readonly FailureDetail[] | undefined;
  readonly status?: number | undefined;
  readonly outcome?: SentOutcome | undefined;
  readonly concernsMoney?: boolean | undefined;
  readonly retryable?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly requestId?: string | undefined;
  readonly nextCommand?: string | undefined;
  /**
   * True if `nextCommand` is the create as the user typed it, which is printed unmasked because a masked value would
   * send another request.
   */
  readonly isTypedCreate?: boolean | undefined;
  readonly items?: readonly string[] | undefined;
  readonly advice?: readonly string[] | undefined;
  readonly otherCommand?: OtherCommand | undefined;
  readonly cause?: unknown;
}

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

export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  constructor(readonly exitCode: number) {
    super(`The program ended with ${String(exitCode)}.`);
  }
}

export function otherCommandLines(other: OtherCommand | null | undefined): string[] {
  return other === undefined || other === null ? [] : [`${other.when}: ${other.line}`];
}

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

export function toFailure(error: unknown, facts: FailureFacts = {}): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const [, shortage] = SHORTAGES.find(([pattern]) => pattern.test(message)) ?? [];
  if (shortage !== undefined)
    return new Failure('local_state', `${shortage} (${message}).`, { ...facts, cause: error });
  const head = isDamage(error) ? message : `This is a defect in svc: ${message}`;
  return new Failure('defect', head, { ...facts, cause: error });
}

export function errorBeforeClosing(error: unknown): unknown {
  // The name is compared, because Node 22 has no class SuppressedError.
  if (!(error instanceof Error) || error.name !== 'SuppressedError') return error;
  return errorBeforeClosing((error as SuppressedError).suppressed);
}

export function isDamage(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Damaged' || isDamage(error.cause));
}

export function feedFault(why: 'circle' | 'stuck'): Failure {
  if (why === 'circle') return contractBroken('its cursors repeat');
  const text =
    'The service broke its contract: next_cursor leads no further, also when svc asks again, and the page is not the end. Later events cannot be read.';
  return new Failure('defect', text, { code: 'feed_unreadable', outcome: 'sent', retryable: true });
}
