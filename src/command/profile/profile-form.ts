/** Asks a person for what a new profile needs, and verifies a key by one read where that is wanted. */
import { wantsColour } from '../../output/colour.js';
import { escapeText } from '../../output/escape.js';
import { readAddress } from '../../profile/address.js';
import { isApiKey, readKeyText } from '../../profile/key-text.js';
import type { FormField } from '../../prompt/form.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped, type Ports } from '../../runtime/ports.js';
import { processTerminal } from '../../runtime/terminal.js';
import { conclude } from '../../client/conclusion.js';
import type { GlobalFlags } from '../base.js';
import { openSession } from '../session/session.js';

export interface ProfileAnswers {
  readonly baseUrl: string;
  /** Null where none was typed. */
  readonly key: string | null;
  /** Whether the key may be tried now. */
  readonly isToBeVerified: boolean;
}

/** @throws Stopped, or Failure `unsafe` where the person left: nothing was stored */
export async function askForProfile(ports: Ports, flags: GlobalFlags): Promise<ProfileAnswers> {
  const { runForm } = await import('../../prompt/form-run.js');
  const { end, answers } = await runForm({
    fields: FIELDS,
    signal: ports.signal,
    terminal: ports.terminal ?? processTerminal(),
    isColour: wantsColour(flags['no-color'], ports.env, ports.errors.isTTY),
    escape: escapeText,
  });
  if (end === 'stopped')
    throw ports.signal.reason instanceof Stopped ? ports.signal.reason : new Stopped('SIGINT', 130);
  if (end !== 'finished') {
    throw new Failure('unsafe', 'Nothing was stored, and nothing was sent.', { code: 'not_confirmed' });
  }
  const { baseUrl = '', key = '', verify = '' } = answers;
  ports.redact.add([key]);
  return { baseUrl, key: key === '' ? null : key, isToBeVerified: key !== '' && isYes(verify) };
}

/** One read with the stored key: what it says, in words. A key that is refused stays stored. */
export async function verifyKey(
  ports: Ports,
  flags: GlobalFlags,
  profile: string,
  key: string,
): Promise<string> {
  const read = readKeyText(key);
  const isLive = isApiKey(read) && read.environment === 'live';
  const session = await openSession(ports, {
    ...flags,
    profile,
    live: isLive,
    sandbox: !isLive,
    quiet: true,
  });
  try {
    const asked = await session.client.call('capabilities', {}, { attemptsMax: 1, signal: ports.signal });
    const { exitCode, error } = conclude(asked);
    if (exitCode === 0) return `The service took the key (${session.environment}).`;
    const verdict = exitCode === 4 ? 'and the service did not take it' : 'and could not be tried';
    return `The key is stored, ${verdict}: ${error?.message ?? 'no reason was given.'}`;
  } finally {
    await session.close();
  }
}

const FIELDS: readonly FormField[] = [
  {
    name: 'baseUrl',
    label: "The service's production address",
    hint: 'Such as https://api.example.com; the sandbox is this plus /sandbox.',
    isSecret: false,
    problemOf: (value) => problemIn(() => readAddress(value, 'This')),
  },
  {
    name: 'key',
    label: 'API key (svc_test_... or svc_live_...; empty for none yet)',
    hint: 'Typed or pasted; only stars are shown.',
    isSecret: true,
    problemOf: (value) => {
      const key = readKeyText(value);
      return value === '' || isApiKey(key) ? null : `This ${key.reason}.`;
    },
  },
  {
    name: 'verify',
    label: 'Try the key now with one read? (yes or no)',
    hint: 'It reads the catalog and changes nothing. Empty means yes.',
    empty: 'yes',
    isSecret: false,
    isAsked: ({ key = '' }) => key !== '',
    problemOf: (value) => (/^(|y|yes|n|no)$/i.test(value) ? null : 'Type yes or no.'),
  },
];

function isYes(text: string): boolean {
  return /^(|y|yes)$/i.test(text);
}

function problemIn(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message.replace(/ Nothing was sent\.$/, '');
    throw error;
  }
}
