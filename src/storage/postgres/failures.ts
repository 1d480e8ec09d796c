import type { Environment } from '../../contract/access.js';
import { connectionText } from '../../runtime/network.js';
import { svcLine } from '../../runtime/shell.js';
import { Failure } from '../../runtime/failure.js';

const SQLSTATE = /^(?=.{5}$)(\d|F0|HV|P0|XX)[0-9A-Z]*$/;
/** 57P04 does not match, because a dropped database does not come back. */
const SERVER_GONE_STATE = /^(57P0[1235]|08\w{3}|25006)$/;
/** Serialisation failure, deadlock, lock timeout and too many connections. */
const CONFLICT_STATES: readonly string[] = ['40001', '40P01', '55P03', '53300'];

function sqlStateOf(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && SQLSTATE.test(code) ? code : null;
}

/** If true, the statement may have been committed. */
export function isLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null) return SERVER_GONE_STATE.test(state);
  return !(error instanceof Failure) && !isUntrusted(error) && !asksForPassword(error);
}

export class ServerUnproved extends Error {
  override readonly name = 'ServerUnproved';
}

function isUntrusted(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    error instanceof ServerUnproved ||
    (typeof code === 'string' && /CERT|^ERR_(TLS|SSL|OSSL)_|^UNABLE_TO_/.test(code)) ||
    (typeof message === 'string' && message.includes('does not support SSL'))
  );
}

export const UNIQUE_VIOLATION = '23505';

function asksForPassword(error: unknown): boolean {
  return error instanceof Error && /^SASL: .*client password must be /.test(error.message);
}

export function isRotated(error: unknown, wasLetIn: boolean): boolean {
  return wasLetIn && (hasSqlState(error, '28P01') || asksForPassword(error));
}

export function isConflict(error: unknown): boolean {
  return CONFLICT_STATES.includes(sqlStateOf(error) ?? '');
}

export function hasSqlState(error: unknown, state: string): boolean {
  return sqlStateOf(error) === state;
}

export function mayOnlyRead(error: unknown): boolean {
  return (
    error instanceof Failure && (error.facts.code === STORE_NEWER_CODE || hasSqlState(error.cause, '42501'))
  );
}

const STORE_NEWER_CODE = 'store_newer';

export const ACCESS_REFUSALS = {
  '28000': 'refuses this user',
  '28P01': 'does not know this user, or the password is wrong',
  '3D000': 'does not exist',
  '57P04': 'was dropped',
};

const STATE_REFUSALS: Readonly<Record<string, string>> = {
  ...ACCESS_REFUSALS,
  '3F000': 'has no tables of svc yet: run "svc state init"',
  '42P01': 'has no tables of svc yet: run "svc state init"',
  '42501': 'does not give this user the rights that svc needs: see "svc state status"',
  '53100': 'cannot grow: its disk is full. What was saved before is kept',
};

export function refusedText(
  error: unknown,
  texts: Readonly<Record<string, string>>,
  passwords: string,
): string {
  if (isUntrusted(error)) {
    const advice =
      error instanceof ServerUnproved
        ? 'Without encryption svc sends a password only by SCRAM: let the server ask for scram-sha-256 (if it asks for none, set none), or add sslmode=verify-full to the address'
        : 'On another machine its certificate must be for its host name: --ca-file FILE says whom to trust';
    return `did not prove its identity (${messageOf(error)}). ${advice}`;
  }
  if (asksForPassword(error)) return `asks for a password, but none is set: ${passwords}`;
  const state = sqlStateOf(error);
  return texts[state ?? ''] ?? `refused a statement (${state ?? 'no SQLSTATE'}: ${messageOf(error)})`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? connectionText(error, 'the database') : String(error);
}

export function databaseFailure(error: unknown, lineFor: (command: string) => string = svcLine): Failure {
  if (error instanceof Failure) return error;
  const passwords = 'SVC_STATE_PASSWORD, SVC_STATE_PASSWORD_FILE, or "svc profiles set-state"';
  const text = refusedText(error, STATE_REFUSALS, passwords);
  const needsInit = hasSqlState(error, '3F000') || hasSqlState(error, '42P01');
  return new Failure('local_state', `The database of the shared state ${text}. Nothing more was sent.`, {
    code: 'state_unusable',
    outcome: 'not_sent',
    ...(needsInit ? { nextCommand: lineFor('state init') } : {}),
    cause: error,
  });
}

export function unreachableFailure(error: unknown): Failure {
  const text = `The database of the shared state cannot be reached: ${messageOf(error)}. Until then svc sends nothing.`;
  const facts = { code: 'state_unreachable', outcome: 'not_sent', retryable: true, cause: error } as const;
  return new Failure('local_state', text, facts);
}

export function leaseLostFailure(): Failure {
  const text =
    'This run stopped for longer than its lease, so others have its rows. It has sent nothing since.';
  return new Failure('locked', text, { code: 'lease_lost', retryable: true });
}

export function commitsLostFailure(): Failure {
  const text =
    'The database lost changes that it had confirmed: another server took over, or somebody restored an older state. svc sends nothing more.';
  return new Failure('local_state', text, { code: 'commits_lost' });
}

export function notReplicatedFailure(): Failure {
  const text =
    'The database committed without its standbys: somebody ended the wait for them. svc sends nothing more, because a failover would lose the change.';
  return new Failure('local_state', text, { code: 'commit_not_replicated' });
}

export function schemaNewerFailure(): Failure {
  const text =
    'A newer svc changed the tables of the shared state. Nothing more was sent. Update svc, then resume.';
  return new Failure('local_state', text, { code: STORE_NEWER_CODE });
}

export function otherStateFailure(stateEnvironment: Environment, commandEnvironment: Environment): Failure {
  const nameOf = (environment: Environment): string =>
    environment === 'live' ? 'the live environment' : 'the sandbox';
  const text =
    `The shared state in this schema is for ${nameOf(stateEnvironment)}, but this command is for ${nameOf(commandEnvironment)}. Nothing was sent. ` +
    'Each environment has its own schema: name it with ?schema=NAME.';
  return new Failure('unsafe', text, { code: 'state_of_other_environment' });
}
