import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Texts } from '../command/line/flags.js';
import { jsonIn } from '../contract/json.js';
import { counted } from '../contract/on-screen.js';
import { Failure, ProgramEnded } from '../runtime/failure.js';
import { onDisk } from '../runtime/folders.js';
import type { Ports } from '../runtime/ports.js';
import type { Transport } from '../runtime/transport.js';
import { examAddress, openAtExam } from './beside/exam.js';
import { runCommand } from './beside/run-command.js';
import { openCommandSandbox, variablesOf, withoutSvcVariables } from './beside/sandbox.js';
import type { CommandSandboxSettings } from './beside/sandbox.js';
import { STATE_TOO_LARGE } from './control/call.js';
import { isRefused, refusedLine, type RefusedRequest } from './log/refused.js';
import { openLoopback, openNetwork } from '../session/connection.js';
import { controlOf, readStateFile, seedSandbox, type ControlCaller } from './export-import.js';
import { readSettings, type TypedSettings } from './settings.js';

export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: TypedSettings & Texts<'seed' | 'keep'> & Readonly<Record<'live' | 'quiet', boolean>>,
): Promise<void> {
  const settings = { ...readSettings(flags), isLive: flags.live };
  const { keep: keepPath } = flags;
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  if (keepPath !== undefined)
    onDisk('written', keepPath, () => closeSync(openSync(keepPath, 'a', STATE_FILE_MODE)));
  const examUrl = examAddress(ports.env);
  const { makeTemporaryFolder } = await import('../runtime/temporary-folder.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  const ownVariables = { SVC_HOME: folder.path, ...(examUrl === null ? {} : { SVC_CERTIFY: examUrl }) };
  const runBeside = async (): Promise<number> => {
    const network = examUrl === null ? await openReceivers(ports) : await openLoopback(ports);
    try {
      const sandbox =
        examUrl === null
          ? await openOwn(ports, settings, network.transport)
          : await openAtExam(examUrl, settings, network.transport);
      const { port, apiKey, control } = sandbox;
      try {
        const seedKey = state === null ? null : await seedSandbox(control, state);
        const key = settings.isLive ? apiKey : (seedKey ?? apiKey);
        const variables = { ...ownVariables, ...variablesOf(port, key, settings.isLive) };
        const env = { ...withoutSvcVariables(ports.env), ...variables };
        const exitCode = await runCommand(command, { env, signal: ports.signal });
        if (keepPath !== undefined) await keepState(keepPath, control);
        if (exitCode !== 0 && !flags.quiet) await printRefused(ports, control);
        return exitCode;
      } finally {
        await sandbox.close();
      }
    } finally {
      await network.close();
    }
  };
  const exitCode = await runBeside().finally(() => folder.remove());
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

/** The file is private, because a state holds keys. */
const STATE_FILE_MODE = 0o600;
const SHOWN_MAX = 20;

async function printRefused({ errors }: Pick<Ports, 'errors'>, control: ControlCaller): Promise<void> {
  const refusedRequests: RefusedRequest[] = [];
  for (let before: number | string | null = 'newest'; before !== null;) {
    const { body } = await control('GET', `requests?limit=200&before=${String(before)}`, null);
    const page = jsonIn(body) as { requests: RefusedRequest[]; next: number | null };
    refusedRequests.push(...page.requests.filter(isRefused));
    before = page.next;
  }
  if (refusedRequests.length === 0) return;
  const shownRequests = refusedRequests.slice(0, SHOWN_MAX).reverse();
  const restText = refusedRequests.length > SHOWN_MAX ? `, the last ${String(SHOWN_MAX)} of them` : '';
  const lines = [
    `The sandbox refused ${counted(refusedRequests.length, 'request')}${restText}:`,
    ...shownRequests.map((request) => `  ${refusedLine(request)}`),
  ];
  await errors.write(`${lines.join('\n')}\n`);
}

async function keepState(path: string, control: ControlCaller): Promise<void> {
  const { status, body } = await control('GET', 'state', null);
  if (status !== 200) throw new Failure('local_state', `${path} could not be written. ${STATE_TOO_LARGE}`);
  onDisk('written', path, () => writeFileSync(path, body));
}

async function openReceivers(ports: Ports) {
  const { IN_PROGRESS_MAX } = await import('./delivery/attempt.js');
  return openNetwork(ports, undefined, IN_PROGRESS_MAX);
}

async function openOwn(ports: Ports, settings: CommandSandboxSettings, receivers: Transport) {
  const own = await openCommandSandbox(ports, settings, receivers);
  return { ...own, control: controlOf(own.sandbox) };
}
