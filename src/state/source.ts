/** Which setting names the shared state (flag, variable or profile), and which parts of them must never be printed. Pure. */
import { Failure } from '../runtime/failure.js';
import type { Environ } from '../runtime/ports.js';

/** Where it is said, and how a person calls that. */
export interface StateSource {
  readonly kind: 'flag' | 'variable' | 'path' | 'profile';
  readonly text: string;
  readonly name: string;
}

export interface StateSettings {
  readonly flag: string | undefined;
  readonly env: Readonly<Environ>;
  /** The active one, and what it keeps. */
  readonly profile: { readonly name: string; readonly state: string | undefined } | null;
}

/** Null where nothing says it: then this machine keeps it in files. @throws Failure `usage` for one that is set, and empty */
export function sourceOf({ flag, env, profile }: StateSettings): StateSource | null {
  const said: [StateSource['kind'], string | undefined, string][] = [
    ['flag', flag, '--state-url'],
    ['variable', env['SVC_STATE'], 'SVC_STATE'],
    ['path', env['SVC_STATE_FILE'], 'SVC_STATE_FILE'],
    ['profile', profile?.state, `profile ${profile?.name ?? ''}`],
  ];
  for (const [kind, text, name] of said) {
    if (text === undefined) continue;
    // A script failed to fetch it: files instead would be two states.
    if (text === '') throw wrongPlace(name, 'is set but empty');
    return { kind, text, name };
  }
  return null;
}

/** What must not be printed even where nothing of it is used: passwords in variables, and in addresses that were typed. */
export function secretsOfState(env: Readonly<Environ>, argv: readonly string[]): string[] {
  const typed = argv.filter((word) => /postgres/i.test(word)).flatMap((word) => passwordsIn(word));
  const named = [env['SVC_STATE_PASSWORD'] ?? '', env['SVC_INTO_PASSWORD'] ?? ''];
  return hideable([...named, ...passwordsIn(env['SVC_STATE'] ?? ''), ...typed]);
}

/** A shorter one is part of innocent words, names of errors among them, and is looked for by nobody who can try them all. */
const LEAST_CHARACTERS = 4;

/** What is hidden wherever it stands. */
export function hideable(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= LEAST_CHARACTERS);
}

/** True for an argument that is such an address with a password: anybody who lists the processes of this machine can read it. */
export function holdsStatePassword(argument: string): boolean {
  return /^(--[\w-]+=)?postgres(ql)?:[^]*:[^]+@/i.test(argument) && passwordsIn(argument).length > 0;
}

/** As it is written and as it is meant, whatever is wrong with the rest: a password may hold what it should not. */
function passwordsIn(text: string): string[] {
  const [, encoded = ''] = /[a-z]+:\/*[^:@/?#]*:([^]*)@/i.exec(text) ?? [];
  return encoded === '' ? [] : [...new Set([encoded, decoded(encoded)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param variable that is for the password; `_FILE` behind it names a file that holds it */
export function passwordTyped(name: string, variable = 'SVC_STATE_PASSWORD'): Failure {
  const isState = variable === 'SVC_STATE_PASSWORD';
  return new Failure(
    'usage',
    `${name} contains a password, and every user of this machine can read an argument list. Nothing was sent. Remove it and set ` +
      `${variable} or ${variable}_FILE${isState ? ', or keep it with "svc profiles set-state"' : ''}. If you typed it into a shell, change the password.`,
  );
}

/** It is not repeated: it may hold a password. */
export function wrongPlace(name: string, what: string): Failure {
  return new Failure('usage', `${name} ${what}. Nothing was sent.`);
}
