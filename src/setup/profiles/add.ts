import type * as Interfaces from '@oclif/core/interfaces';
import { conclude } from '../../client/conclusion.js';
import type { GlobalFlags, Run } from '../../command/command.js';
import type { keyFlags, stateFlags, Texts } from '../../command/line/flags.js';
import { isPersonThere, mayConverse, typesYes, arePlainLinesWanted } from '../../command/line/terminal.js';
import { printerOfAnything } from '../../command/printer.js';
import { renderNote } from '../../output/error-prose.js';
import { isApiKey, readKeyText, showMask } from '../../contract/access.js';
import { listProfiles, requireNewName, requireProfile, profileView } from '../../session/profile-view.js';
import { addProfile, changeProfile, removeProfile, setKey, setState, useProfile } from './change.js';
import type { ProfileSettings, StateInput } from './change.js';
import { type ProfileStores, readSettings, type ProfileChange } from '../../session/settings-file.js';
import { REFERENCE_MEANINGS } from '../../session/settings.js';
import { systemStores } from '../../session/key-stores.js';
import { Failure } from '../../runtime/failure.js';
import { type Ports, processTerminal, Stopped } from '../../runtime/ports.js';
import { commandLine } from '../../runtime/shell.js';
import { withFlags } from '../../command/line/typed-words.js';
import { isColourWanted } from '../../output/style.js';
import { escapeText } from '../../output/escape.js';
import { readAddress } from '../../session/target.js';
import type { FormField } from '../../payments/dialogue/form/form.js';

type KeyFlags = GlobalFlags & Interfaces.InferredFlags<typeof keyFlags>;
type StateFlags = GlobalFlags & Interfaces.InferredFlags<typeof stateFlags>;
type SettingFlags = GlobalFlags & Texts<'country' | 'currency' | 'references'>;

interface ProfileOutput {
  readonly data: unknown;
  readonly note?: string | null;
}

export function add(run: Run<KeyFlags & StateFlags & SettingFlags>, name: string): Promise<void> {
  return withProfiles(run, async (stores) => {
    const { flags, ports } = run;
    // The name is checked before somebody types an address and a key.
    requireNewName(readSettings(stores.paths), name);
    const stateAddress = await stateFromInput(ports, flags);
    const mayAsk = mayConverse(ports, flags) && !flags['key-stdin'] && !flags['state-password-stdin'];
    if (flags['base-url'] === undefined && !mayAsk)
      throw new Failure('usage', 'Add the address of the service: --base-url URL.');
    const fields = [ADDRESS, keyField(true), VERIFY];
    const form = flags['base-url'] === undefined ? await askFields(ports, flags, fields) : null;
    const baseUrl = flags['base-url'] ?? form?.answers['baseUrl'] ?? '';
    const key = form === null ? await keyFromInput(ports, flags['key-stdin']) : form.key;
    const change = await addProfile(stores, {
      ...{ name, baseUrl, key, state: stateAddress, ...settingsIn(flags) },
      insecureStorage: flags['insecure-storage'],
    });
    if (key === null && ports.errors.isTTY) return outputOf(change, `Next: svc profiles set-key ${name}`);
    if (form?.isToBeVerified !== true || key === null) return outputOf(change);
    return outputOf(change, await verifyKey(run, name, key));
  });
}

function settingsIn(flags: SettingFlags): ProfileSettings {
  const { country = null, currency = null, 'insecure-loopback': insecureLoopback } = flags;
  const references = REFERENCE_MEANINGS.find((meaning) => meaning === flags.references) ?? null;
  return { country, currency, references, insecureLoopback };
}

export function set(run: Run<SettingFlags>, name: string): Promise<void> {
  return withProfiles(run, async (stores) => {
    const settings = { baseUrl: run.flags['base-url'] ?? null, ...settingsIn(run.flags) };
    return outputOf(await changeProfile(stores, name, settings));
  });
}

export function list(run: Run): Promise<void> {
  return withProfiles(
    run,
    ({ paths }) => ({ data: { profiles: listProfiles(readSettings(paths)) } }),
    'profiles',
  );
}

export function remove(run: Run, name: string): Promise<void> {
  return withProfiles(run, async (stores) => {
    const { ports, flags, typed } = run;
    const { live } = requireProfile(readSettings(stores.paths), name).keys;
    if (live !== undefined && !flags.yes) {
      const text = `This removes the live key ${showMask(live)} from this machine, and svc cannot bring it back.`;
      const line = commandLine(['svc', ...withFlags(typed, ['--yes'])]);
      const isPersonHere = isPersonThere(ports, { 'no-input': flags['no-input'] });
      if (isPersonHere) await ports.errors.write(`${renderNote(text, ports.errors)}Type yes to remove it: `);
      if (!isPersonHere || !(await typesYes(ports, 'Nothing was removed.')))
        throw new Failure('unsafe', `${text} Nothing was removed.`, {
          code: 'not_confirmed',
          otherCommand: { when: 'If you mean it', line },
        });
    }
    const note = `Removed profile ${name} and its keys from this machine.`;
    return { data: await removeProfile(stores, name), note };
  });
}

export function show(run: Run, name: string | undefined): Promise<void> {
  return withProfiles(run, ({ paths }) => ({ data: profileView(readSettings(paths), name ?? null) }));
}

export function use(run: Run, name: string): Promise<void> {
  return withProfiles(run, async (stores) => outputOf(await useProfile(stores, name)));
}

export function storeKey(run: Run<KeyFlags>, name: string): Promise<void> {
  return withProfiles(run, async (stores) => {
    const { flags, ports } = run;
    requireProfile(readSettings(stores.paths), name);
    const mayAsk = !flags['key-stdin'] && mayConverse(ports, flags);
    const form = mayAsk ? await askFields(ports, flags, [keyField(false), VERIFY]) : null;
    const key = form === null ? await keyFromInput(ports, flags['key-stdin']) : (form.key ?? '');
    if (key === null)
      throw new Failure(
        'usage',
        `Without a terminal, add --key-stdin: svc then reads the key from standard input: svc profiles set-key ${name} --key-stdin < FILE`,
      );
    const change = await setKey(stores, { name, key, insecureStorage: flags['insecure-storage'] });
    const isToBeVerified = form?.isToBeVerified === true;
    return isToBeVerified ? outputOf(change, await verifyKey(run, name, key)) : outputOf(change);
  });
}

export function setSharedState(run: Run<StateFlags>, name: string): Promise<void> {
  return withProfiles(run, async (stores) => {
    const state = await stateFromInput(run.ports, run.flags);
    if (state.url === null && state.password === null)
      throw new Failure('usage', 'Add --state-url URL, or --state-password-stdin.');
    return outputOf(await setState(stores, name, state));
  });
}

function outputOf({ profile, note }: ProfileChange, ...moreNotes: readonly string[]): ProfileOutput {
  const notes = [note, ...moreNotes].filter((text) => text !== null);
  return { data: profile, note: notes.length === 0 ? null : notes.join('\n') };
}

async function withProfiles(
  { ports, flags }: Run,
  job: (stores: ProfileStores) => ProfileOutput | Promise<ProfileOutput>,
  listName: string | null = null,
): Promise<void> {
  const { paths, clock, errors } = ports;
  const { data, note } = await job({ paths, clock, secrets: systemStores(paths, clock) });
  if (typeof note === 'string' && !flags.quiet) await errors.write(renderNote(note, errors));
  const printer = await printerOfAnything(ports, flags, listName);
  await printer.answer(Buffer.from(JSON.stringify(data)));
}

async function stateFromInput(
  { input, redact }: Pick<Ports, 'input' | 'redact'>,
  flags: StateFlags & { readonly 'key-stdin'?: boolean },
): Promise<StateInput> {
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

async function keyFromInput({ input }: Pick<Ports, 'input'>, hasKeyFlag: boolean): Promise<string | null> {
  if (!hasKeyFlag) return null;
  if (input.isTTY)
    throw new Failure(
      'usage',
      'Pipe the key in: --key-stdin does not read from a terminal, which would show it. Without --key-stdin, svc asks for the key.',
    );
  return (await input.readAll(4096)).toString('utf8');
}

async function verifyKey({ ports, flags, appOf }: Run, profile: string, key: string): Promise<string> {
  const parsedKey = readKeyText(key);
  const isLive = isApiKey(parsedKey) && parsedKey.environment === 'live';
  const targetFlags = { profile, live: isLive, sandbox: !isLive, quiet: true };
  await using app = appOf(ports, { ...flags, ...targetFlags });
  const session = await app.session();
  const callOptions = { attemptsMax: 1, signal: ports.signal };
  const { exitCode, error } = conclude(await session.client.call('capabilities', {}, callOptions));
  if (exitCode === 0) return `The service accepted the key (${session.environment}).`;
  const verdict = exitCode === 4 ? 'but the service did not accept it' : 'but it could not be tried';
  return `The key is stored, ${verdict}: ${error?.message ?? 'no reason was given.'}`;
}

async function askFields(ports: Ports, flags: GlobalFlags, fields: readonly FormField[]) {
  const showForm = arePlainLinesWanted(ports)
    ? (await import('../../payments/dialogue/form/form-lines.js')).runFormLines
    : (await import('../../payments/dialogue/form/run-form.js')).runForm;
  const { end, answers } = await showForm({
    fields,
    signal: ports.signal,
    terminal: ports.terminal ?? processTerminal(),
    isColour: isColourWanted(flags['no-color'], ports.env, ports.errors.isTTY),
    escape: escapeText,
  });
  if (end === 'finished') {
    const { key = '', verify = '' } = answers;
    ports.redact.add([key]);
    const isToBeVerified = key !== '' && /^(|y|yes)$/i.test(verify);
    return { answers, key: key === '' ? null : key, isToBeVerified };
  }
  const nothingStoredFailure = new Failure('unsafe', 'Nothing was stored, and nothing was sent.', {
    code: 'not_confirmed',
  });
  if (end === 'left') throw nothingStoredFailure;
  const { reason } = ports.signal as { readonly reason: unknown };
  throw reason instanceof Stopped
    ? new Stopped(reason.signalName, reason.exitCode, nothingStoredFailure)
    : new Stopped('SIGINT', 130, nothingStoredFailure);
}

const ADDRESS: FormField = {
  name: 'baseUrl',
  label: "The service's production address",
  hint: 'For example https://api.example.com. svc adds /sandbox for the sandbox.',
  isSecret: false,
  problemOf: (value) => {
    try {
      readAddress(value, 'This');
      return null;
    } catch (error) {
      if (error instanceof Failure) return error.message.replace(/ Nothing was sent\.$/, '');
      throw error;
    }
  },
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
  emptyText: 'yes',
  isSecret: false,
  isAsked: ({ key = '' }) => key !== '',
  problemOf: (value) => (/^(|y|yes|n|no)$/i.test(value) ? null : 'Type yes or no.'),
};
