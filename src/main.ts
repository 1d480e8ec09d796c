import { readArgv, type Intent } from './command/line/argv.js';
import { appOf } from './command/app.js';
import type { CommandEntry } from './command/command.js';
import type { HelpPage } from './command/help/layout.js';
import { exitCodeOf, report } from './command/report.js';
import { COMMAND_IDS, REGISTRY, VOCABULARY, type CommandId } from './registry.js';
import { createRedactor } from './output/redact.js';
import { secretsOfState } from './storage/postgres/source.js';
import { errorBeforeClosing } from './runtime/failure.js';
import type { Environ, Ports } from './runtime/ports.js';
import { beginProcess, endProcess, onUncaught, processPorts } from './runtime/process.js';
import { readSudo, withSudoPrefix } from './runtime/shell.js';
import { VERSION } from './runtime/version.js';

/** Runs one command line, writes its output to the ports, and returns its exit code. Never throws. */
export async function run(
  argv: readonly string[],
  hostPorts: Ports,
  errors = hostPorts.errors,
): Promise<number> {
  const env = trimVariables(hostPorts.env);
  readSudo(env);
  const redact = (text: string): string => withSudoPrefix(hostPorts.redact(text), COMMAND_IDS);
  const ports = { ...hostPorts, env, redact: Object.assign(redact, hostPorts.redact) };
  // The secrets are masked from here on, because any error may repeat one of them.
  ports.redact.add([env['SVC_API_KEY'] ?? '', env['SVC_WEBHOOK_SECRET'] ?? '', ...secretsOfState(env, argv)]);
  try {
    await carryOut(readArgv(argv, VOCABULARY), argv, ports);
    return 0;
  } catch (thrown) {
    const error = errorBeforeClosing(thrown);
    await report(error, argv, { ...ports, errors });
    return exitCodeOf(error);
  }
}

/** SVC_LOCK is not trimmed, because any text that is not exactly a lock must count as the tightest lock. */
const TRIMMED = /^SVC_(BASE_URL|ENV|PROFILE|OUTPUT|INSECURE_LOOPBACK|STATE)$/;

function trimVariables(env: Environ): Environ {
  const trim = ([name, value]: [string, string | undefined]) => [
    name,
    TRIMMED.test(name) ? value?.trim() : value,
  ];
  return Object.fromEntries(Object.entries(env).map(trim)) as Environ;
}

async function carryOut(intent: Intent, argv: readonly string[], ports: Ports): Promise<void> {
  if (intent.kind === 'version') {
    await ports.output.write(`svc ${VERSION}\n`);
  } else if (intent.kind === 'help') {
    await ports.output.write(await helpText(intent.path, argv, ports));
  } else {
    const command = await REGISTRY[intent.id as CommandId]();
    command.id = intent.id.replaceAll(' ', ':');
    await command.start(intent.argv, {
      ports,
      typed: argv,
      vocabulary: VOCABULARY,
      entries: () => entriesOf(COMMAND_IDS),
      appOf: (of, flags) =>
        appOf(of, flags, async () => (await import('./sandbox/embedded.js')).openEmbedded(of)),
    });
  }
}

async function helpText(path: string, argv: readonly string[], { output, env }: Ports): Promise<string> {
  const { renderPage } = await import('./command/help/layout.js');
  const { isTTY, columns } = output;
  return renderPage(await helpPage(path), { isTTY, columns, env, noColour: argv.includes('--no-color') });
}

/** Builds the help page of a command, a topic, `flags`, `all` or, for an empty path, `svc` itself. */
export async function helpPage(path: string): Promise<HelpPage> {
  const pages = await import('./command/help/help.js');
  if (path === 'flags') return pages.flagsPage();
  const needsAll = path === '' || path === 'all';
  const ids = COMMAND_IDS.filter((id) => needsAll || id === path || id.startsWith(`${path} `));
  const entries = await entriesOf(ids);
  const [firstEntry] = entries;
  if (path === '') return pages.rootPage(entries, VERSION);
  if (path === 'all') return pages.allCommandsPage(entries, VOCABULARY);
  if (firstEntry?.[0] === path) return pages.commandPage(firstEntry);
  return pages.topicPage(path, entries, VOCABULARY);
}

function entriesOf(ids: readonly CommandId[]): Promise<CommandEntry[]> {
  return Promise.all(ids.map(async (id) => [id, await REGISTRY[id]()] as const));
}

export async function start(host: Pick<Ports, 'mapStack' | 'thread'>): Promise<void> {
  const argv = beginProcess();
  const ports = processPorts({ ...host, redact: createRedactor([]) });
  onUncaught((error) => void report(error, argv, ports).then(() => endProcess(exitCodeOf(error))));
  await endProcess(await run(argv, ports));
}
