import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Texts } from '../command/line/flags.js';
import { jsonIn } from '../contract/json.js';
import { counted } from '../contract/on-screen.js';
import { Failure, ProgramEnded } from '../runtime/failure.js';
import { onDisk } from '../runtime/folders.js';
import type { HttpAnswer } from '../runtime/transport.js';
import type { Environ, Ports } from '../runtime/ports.js';
import { examAddress, openAtExam } from './beside/exam.js';
import { runCommand } from './beside/run-command.js';
import { openCommandSandbox, variablesOf, withoutSvcVariables } from './beside/sandbox.js';
import type { CommandSandboxSettings } from './beside/sandbox.js';
import { SEED_QUERY, STATE_TOO_LARGE } from './control/call.js';
import { isRefused, refusedLine, type RefusedRequest } from './log/refused.js';
import { controlRequest } from './message.js';
import { openLoopback, openNetwork } from '../session/connection.js';
import { checkSeedAnswer, readStateFile, seedSandbox } from './export-import.js';
import { readSettings, type TypedSettings } from './settings.js';

export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: TypedSettings & Texts<'seed' | 'keep'> & Readonly<Record<'live' | 'quiet', boolean>>,
): Promise<void> {
  const settings = { ...readSettings(flags), isLive: flags.live };
  const { keep } = flags;
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  if (keep !== undefined) onDisk('written', keep, () => closeSync(openSync(keep, 'a', STATE_FILE_MODE)));
  const exam = examAddress(ports.env);
  const { makeTemporaryFolder } = await import('../runtime/temporary-folder.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  const ownVariables = { SVC_HOME: folder.path, ...(exam === null ? {} : { SVC_CERTIFY: exam }) };
  const runWith: RunWith = async (variables, readControl) => {
    const env = { ...withoutSvcVariables(ports.env), ...ownVariables, ...variables };
    const exitCode = await runCommand(command, { env, signal: ports.signal });
    if (keep !== undefined) await keepState(keep, readControl);
    if (exitCode !== 0 && !flags.quiet) await printRefused(ports, readControl);
    return exitCode;
  };
  const programEnd =
    exam === null
      ? runBesideOwn(ports, settings, state, runWith)
      : runBesideExam(await openLoopback(ports), exam, settings, state, runWith);
  const exitCode = await programEnd.finally(() => folder.remove());
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

type Answer = Pick<HttpAnswer, 'status' | 'body'>;
type ReadControl = (path: string) => Answer | Promise<Answer>;
type RunWith = (variables: Environ, readControl: ReadControl) => Promise<number>;

/** The file is private, because a state holds keys. */
const STATE_FILE_MODE = 0o600;
const REFUSED_SHOWN = 20;

async function printRefused({ errors }: Pick<Ports, 'errors'>, readControl: ReadControl): Promise<void> {
  const refused: RefusedRequest[] = [];
  for (let before: number | string | null = 'newest'; before !== null;) {
    const { body } = await readControl(`requests?limit=200&before=${String(before)}`);
    const page = jsonIn(body) as { requests: RefusedRequest[]; next: number | null };
    refused.push(...page.requests.filter(isRefused));
    before = page.next;
  }
  if (refused.length === 0) return;
  const newest = refused.slice(0, REFUSED_SHOWN).reverse();
  const restText = refused.length > REFUSED_SHOWN ? `, the last ${String(REFUSED_SHOWN)} of them` : '';
  const lines = [
    `The sandbox refused ${counted(refused.length, 'request')}${restText}:`,
    ...newest.map((request) => `  ${refusedLine(request)}`),
  ];
  await errors.write(`${lines.join('\n')}\n`);
}

async function keepState(path: string, readControl: ReadControl): Promise<void> {
  const { status, body } = await readControl('state');
  if (status !== 200) throw new Failure('local_state', `${path} could not be written. ${STATE_TOO_LARGE}`);
  onDisk('written', path, () => writeFileSync(path, body));
}

async function runBesideOwn(
  ports: Ports,
  settings: CommandSandboxSettings,
  state: Uint8Array | null,
  runWith: RunWith,
): Promise<number> {
  const { IN_PROGRESS_MAX } = await import('./delivery/attempt.js');
  const network = await openNetwork(ports, undefined, IN_PROGRESS_MAX);
  const beside = await openCommandSandbox(ports, settings, network.transport);
  const { handle } = beside.sandbox;
  try {
    if (state !== null) await seedSandbox(beside.sandbox, state);
    return await runWith(beside.variables, (path) => handle(controlRequest('GET', path, new Uint8Array())));
  } finally {
    await beside.close();
    await network.close();
  }
}

async function runBesideExam(
  network: Awaited<ReturnType<typeof openLoopback>>,
  exam: string,
  settings: CommandSandboxSettings,
  state: Uint8Array | null,
  runWith: RunWith,
): Promise<number> {
  try {
    const sandbox = await openAtExam(exam, settings, network.transport);
    try {
      let key = sandbox.apiKey;
      if (state !== null) {
        const answer = await sandbox.control('PUT', `/state?${SEED_QUERY}`, state);
        checkSeedAnswer(answer);
        if (!settings.isLive) key = (jsonIn(answer.body) as { readonly api_key: string }).api_key;
      }
      const variables = variablesOf(sandbox.port, key, settings.isLive);
      return await runWith(variables, (path) => sandbox.control('GET', `/${path}`, null));
    } finally {
      await sandbox.close();
    }
  } finally {
    await network.close();
  }
}
