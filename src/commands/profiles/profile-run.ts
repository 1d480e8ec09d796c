/** A job on profiles, for a command: works on settings and stored keys, and prints plain data. Nothing is sent. */
import * as Args from '@oclif/core/args';
import { takes } from '../../cli/line/flags.js';
import { systemStores } from '../../profile/stores.js';
import type { GivenState } from '../../profile/profiles.js';
import type { ProfileStores } from '../../profile/settings-file.js';
import { renderNote } from '../../output/error-prose.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { Run } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';

/** The name of a profile that is there, as an argument. */
export const profileArgs = {
  name: Args.string({
    description: 'Name of the profile',
    required: true,
    ignoreStdin: true,
    ...takes('profile'),
  }),
};

/** What a change of profiles leaves to say. */
export interface Said {
  readonly data: unknown;
  /** For standard error. */
  readonly note?: string | null;
  /** Where `data` is a list: the name of its wrapper. */
  readonly list?: string;
}

/** What there is to say, a line each; null for nothing. */
export function joined(...notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join('\n');
}

/** Carries out a job on the profiles of this machine and prints what there is to say. @throws what the job throws */
export async function withProfiles(
  { ports, flags }: Run,
  job: (stores: ProfileStores) => Said | Promise<Said>,
): Promise<void> {
  const { paths, clock, errors } = ports;
  const said = await job({ paths, clock, secrets: systemStores(paths, clock) });
  if (typeof said.note === 'string' && !flags.quiet) await errors.write(renderNote(said.note, errors));
  const printer = await printerOfAnything(ports, flags, said.list ?? null);
  await printer.answer(Buffer.from(JSON.stringify(said.data)));
}

/** What is said of a shared state. @throws Failure `usage` where both secrets would come on standard input, or at a terminal */
export async function stateFromInput(
  { input, redact }: Pick<Ports, 'input' | 'redact'>,
  flags: {
    readonly 'state-url'?: string | undefined;
    readonly 'state-password-stdin': boolean;
    readonly 'key-stdin'?: boolean;
  },
): Promise<GivenState> {
  const url = flags['state-url'] ?? null;
  if (!flags['state-password-stdin']) return { url, password: null };
  if (flags['key-stdin'] === true)
    throw new Failure(
      'usage',
      'Standard input can carry one secret. Give --key-stdin or --state-password-stdin, not both. Nothing was stored.',
    );
  if (input.isTTY)
    throw new Failure(
      'usage',
      'Pipe the password in: --state-password-stdin does not read from a terminal, which would show it. Nothing was stored.',
    );
  const password = (await input.readAll(4096)).toString('utf8').replace(/\r?\n$/, '');
  redact.add([password]);
  return { url, password };
}

/** A key from standard input; null where `--key-stdin` was not given. @throws Failure `usage` at a terminal */
export async function keyFromInput(
  { input }: Pick<Ports, 'input'>,
  isAsked: boolean,
): Promise<string | null> {
  if (!isAsked) return null;
  if (input.isTTY) {
    throw new Failure(
      'usage',
      'Pipe the key in: --key-stdin does not read from a terminal, which would show it. Without --key-stdin, svc asks for the key.',
    );
  }
  return (await input.readAll(4096)).toString('utf8');
}
