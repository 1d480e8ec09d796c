/** Asks a person for what a profile needs. */
import { wantsColour } from '../../output/style.js';
import { escapeText } from '../../output/escape.js';
import { readAddress } from '../../profile/target.js';
import { isApiKey, readKeyText } from '../../contract/access.js';
import type { FormField } from '../../prompt/form.js';
import { Failure } from '../../runtime/failure.js';
import { processTerminal, Stopped, type Ports } from '../../runtime/ports.js';
import { wantsLines } from '../../cli/line/interaction.js';
import type { GlobalFlags } from '../../cli/command.js';

export interface ProfileAnswers {
  readonly baseUrl: string;
  /** Null where none was typed. */
  readonly key: string | null;
  /** Whether the key may be tried now. */
  readonly isToBeVerified: boolean;
}

/** @throws Stopped, or Failure `unsafe` where the person left: nothing was stored */
export async function askForProfile(ports: Ports, flags: GlobalFlags): Promise<ProfileAnswers> {
  const { baseUrl = '', key = '', verify = '' } = await ask(ports, flags, [ADDRESS, keyField(true), VERIFY]);
  return { baseUrl, key: key === '' ? null : key, isToBeVerified: key !== '' && isYes(verify) };
}

/** The key alone, of a profile that exists. @throws Stopped, or Failure `unsafe` where the person left: nothing was stored */
export async function askForKey(
  ports: Ports,
  flags: GlobalFlags,
): Promise<{ readonly key: string; readonly isToBeVerified: boolean }> {
  const { key = '', verify = '' } = await ask(ports, flags, [keyField(false), VERIFY]);
  return { key, isToBeVerified: isYes(verify) };
}

async function ask(
  ports: Ports,
  flags: GlobalFlags,
  fields: readonly FormField[],
): Promise<Readonly<Record<string, string>>> {
  const run = wantsLines(ports)
    ? (await import('../../prompt/lines/form-lines.js')).runFormLines
    : (await import('../../prompt/form-run.js')).runForm;
  const { end, answers } = await run({
    fields,
    signal: ports.signal,
    terminal: ports.terminal ?? processTerminal(),
    isColour: wantsColour(flags['no-color'], ports.env, ports.errors.isTTY),
    escape: escapeText,
  });
  if (end === 'finished') {
    ports.redact.add([answers['key'] ?? '']);
    return answers;
  }
  const nothing = new Failure('unsafe', 'Nothing was stored, and nothing was sent.', {
    code: 'not_confirmed',
  });
  if (end === 'left') throw nothing;
  const { reason } = ports.signal as { readonly reason: unknown };
  throw reason instanceof Stopped
    ? new Stopped(reason.signalName, reason.exitCode, nothing)
    : new Stopped('SIGINT', 130, nothing);
}

const ADDRESS: FormField = {
  name: 'baseUrl',
  label: "The service's production address",
  hint: 'For example https://api.example.com. svc adds /sandbox for the sandbox.',
  isSecret: false,
  problemOf: (value) => problemIn(() => readAddress(value, 'This')),
};

function keyField(mayBeEmpty: boolean): FormField {
  return {
    name: 'key',
    label: `API key (svc_test_... or svc_live_...${mayBeEmpty ? '; empty for none yet' : ''})`,
    hint: 'Type or paste it. The screen shows only stars.',
    isSecret: true,
    problemOf: (value) => {
      const key = readKeyText(value);
      return (mayBeEmpty && value === '') || isApiKey(key) ? null : `This ${key.reason}.`;
    },
  };
}

const VERIFY: FormField = {
  name: 'verify',
  label: 'Try the key now with one read? (yes or no)',
  hint: 'It reads the catalog and changes nothing. Empty means yes.',
  empty: 'yes',
  isSecret: false,
  isAsked: ({ key = '' }) => key !== '',
  problemOf: (value) => (/^(|y|yes|n|no)$/i.test(value) ? null : 'Type yes or no.'),
};

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
