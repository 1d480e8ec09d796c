import { Failure, usageFailure } from '../../runtime/failure.js';
import type { Environ } from '../../runtime/ports.js';

export interface StateSource {
  readonly kind: 'flag' | 'variable' | 'path' | 'profile';
  readonly text: string;
  readonly name: string;
}

export interface StateSettings {
  readonly flag: string | undefined;
  readonly env: Readonly<Environ>;
  readonly profile: { readonly name: string; readonly state: string | undefined } | null;
}

export function sourceOf({ flag, env, profile }: StateSettings): StateSource | null {
  const settings: [StateSource['kind'], string | undefined, string][] = [
    ['flag', flag, '--state-url'],
    ['variable', env['SVC_STATE'], 'SVC_STATE'],
    ['path', env['SVC_STATE_FILE'], 'SVC_STATE_FILE'],
    ['profile', profile?.state, `profile ${profile?.name ?? ''}`],
  ];
  for (const [kind, text, name] of settings) {
    if (text === undefined) continue;
    // An empty setting is refused, because falling back to files would make two states.
    if (text === '') throw settingFailure(name, 'is set but empty');
    return { kind, text, name };
  }
  return null;
}

export function secretsOfState(env: Readonly<Environ>, argv: readonly string[]): string[] {
  const typedPasswords = argv.filter((word) => /postgres/i.test(word)).flatMap((word) => passwordsIn(word));
  const envPasswords = [env['SVC_STATE_PASSWORD'] ?? '', env['SVC_INTO_PASSWORD'] ?? ''];
  return longEnoughToHide([...envPasswords, ...passwordsIn(env['SVC_STATE'] ?? ''), ...typedPasswords]);
}

const HIDDEN_CHARACTERS_MIN = 4;

export function longEnoughToHide(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= HIDDEN_CHARACTERS_MIN);
}

export function holdsStatePassword(argument: string): boolean {
  return /^(--[\w-]+=)?postgres(ql)?:[^]*:[^]+@/i.test(argument) && passwordsIn(argument).length > 0;
}

function passwordsIn(text: string): string[] {
  const [, encoded = ''] = /[a-z]+:\/*[^:@/?#]*:([^]*)@/i.exec(text) ?? [];
  return encoded === '' ? [] : [...new Set([encoded, decodeIfValid(encoded)])];
}

function decodeIfValid(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function typedPasswordFailure(name: string, variable = 'SVC_STATE_PASSWORD'): Failure {
  const isState = variable === 'SVC_STATE_PASSWORD';
  const text =
    `${name} contains a password, and every user of this machine can read an argument list. Nothing was sent. Remove it and set ` +
    `${variable} or ${variable}_FILE${isState ? ', or keep it with "svc profiles set-state"' : ''}. If you typed it into a shell, change the password.`;
  return new Failure('usage', text);
}

export function settingFailure(name: string, what: string): Failure {
  return usageFailure(`${name} ${what}.`);
}
