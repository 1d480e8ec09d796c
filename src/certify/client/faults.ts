import type { Severity } from '../report/report.js';

export type SpoiltAnswer =
  | { readonly kind: 'own' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'killed' }
  | { readonly kind: 'half' }
  | { readonly kind: 'never' }
  | { readonly kind: 'page'; readonly status: number | null }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      readonly retryAfterSeconds: number | null;
    };

export interface Spoiling {
  readonly name: string;
  readonly outcome: 'declined' | 'pending' | 'pending-declined' | 'expired' | null;
  readonly isCarriedOut: boolean;
  readonly holdMs: number;
  readonly instead: SpoiltAnswer;
}

export type FaultPlace = 'create' | 'action' | 'confirm' | 'read' | 'run';

interface FaultRow extends Omit<Spoiling, 'name'> {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly severity: Severity;
  readonly on: readonly FaultPlace[];
  readonly times: number;
  readonly failedReads: number;
  readonly isRerun: boolean;
}

type FaultOptions = Partial<Omit<FaultRow, 'id' | 'title' | 'on'>>;

const fault = <const Id extends string>(
  id: Id,
  on: readonly FaultPlace[],
  title: string,
  options: FaultOptions = {},
): FaultRow & { readonly id: Id } => ({
  ...{ id, on, title, section: '4', severity: 'must', times: 1, outcome: null, isCarriedOut: true },
  ...{ holdMs: 0, instead: { kind: 'own' }, failedReads: 0, isRerun: false, ...options },
});

const error = (status: number, code: string, retryAfterSeconds: number | null = null) =>
  ({ kind: 'error', status, code, retryAfterSeconds }) as const;

const CUT = { kind: 'cut' } as const;
const EVERY_TIME = Infinity;
const WRITES = ['create', 'action'] as const;
const ANY = [...WRITES, 'read'] as const;

const page = (status: number | null): FaultOptions => ({ instead: { kind: 'page', status } });

const refused = <const Id extends string>(
  id: Id,
  on: readonly FaultPlace[],
  section: string,
  instead: SpoiltAnswer & { readonly status: number },
) =>
  fault(id, on, `refused with ${String(instead.status)}, and every repetition too`, {
    ...{ isCarriedOut: false, times: EVERY_TIME, section, instead },
  });

const rerun = <const Id extends string>(id: Id, title: string, instead: SpoiltAnswer, isCarriedOut = true) =>
  fault(id, ['create'], title, { times: EVERY_TIME, isRerun: true, instead, isCarriedOut });

export const CLIENT_FAULTS = [
  fault('lost-before', ANY, 'the request is cut before it is carried out', {
    ...{ isCarriedOut: false, instead: CUT },
  }),
  fault('lost-after', WRITES, 'carried out, and the answer is lost', { instead: CUT }),
  fault('lost-after-4', ['create'], 'carried out, and four answers in a row are lost', {
    ...{ times: 4, instead: CUT },
  }),
  fault('lost-after-look', ['action'], 'the answer is lost, and the next two looks get 503', {
    ...{ instead: CUT, failedReads: 2 },
  }),
  fault('e500', ANY, 'carried out, and answered 500', { instead: error(500, 'internal') }),
  fault('e502', WRITES, 'carried out, and answered 502 with a page of HTML', page(502)),
  fault('e503', ANY, 'not carried out: 503, Retry-After: 1', {
    ...{ isCarriedOut: false, instead: error(503, 'temporarily_unavailable', 1) },
  }),
  fault('e429', ['create'], 'not carried out: 429, Retry-After: 1', {
    ...{ isCarriedOut: false, instead: error(429, 'temporarily_unavailable', 1) },
  }),
  fault('garbage', ANY, 'carried out, and answered 2xx with a page of HTML', page(null)),
  fault('truncated', WRITES, 'carried out, and cut after half of the answer', { instead: { kind: 'half' } }),
  fault('slow', ['create'], 'carried out, and answered 2.5 s later', { holdMs: 2500 }),
  fault('silent', ['create'], 'carried out, and not answered until --limit', { instead: { kind: 'never' } }),
  refused('r400', ['create'], '7', error(400, 'field_invalid')),
  refused('r401', ['create', 'read'], '5', error(401, 'unauthorized')),
  refused('r403', ['create'], '5', error(403, 'scope_missing')),
  refused('r404', ['action'], '7', error(404, 'not_found')),
  refused('r409', WRITES, '7', error(409, 'idempotency_key_reused')),
  fault('declined', ['create'], 'the payment fails', { section: '7', outcome: 'declined' }),
  fault('pending', ['create'], 'the payment is settled 2 s later', { section: '3', outcome: 'pending' }),
  fault('pending-declined', ['create', 'confirm'], 'the payment is pending, and fails 2 s later', {
    ...{ section: '3, 7', outcome: 'pending-declined' },
  }),
  fault('expired', ['confirm'], 'the code has expired', { section: '3', outcome: 'expired' }),
  rerun('rerun-killed', 'carried out, and the command is killed and started again', { kind: 'killed' }),
  rerun('rerun-lost-after', 'carried out, never answered, and the command is started again', CUT),
  rerun('rerun-lost-before', 'never carried out, and the command is started again', CUT, false),
  fault('members', ['run'], 'unknown members in every object but metadata, other white space', {
    ...{ section: '9', severity: 'should' },
  }),
  fault('hooks-twice', ['run'], 'each delivery comes twice', { section: '6' }),
  fault('hooks-late', ['run'], 'each delivery comes 1.5 s late', { section: '6' }),
  fault('hooks-swapped', ['run'], 'the second delivery comes before the first', { section: '6' }),
  fault('hooks-first', ['run'], 'each delivery comes before the answer to its request', { section: '6' }),
] as const satisfies readonly FaultRow[];

export type ClientFault = (typeof CLIENT_FAULTS)[number]['id'];
