import { readAsset } from '../runtime/asset.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import { streamInLittleMemory } from '../runtime/memory.js';
import { Failure } from '../runtime/failure.js';
import { withEndText } from '../runtime/ports.js';
import type { GlobalFlags, Run } from '../command/command.js';
import type { Texts } from '../command/line/flags.js';
import { openNetwork } from '../session/connection.js';
import { defaultStore, openWithResetHint } from './embedded.js';
import { listenFailure, readPort } from '../command/line/local-server.js';
import { styleForErrors } from '../command/line/terminal.js';
import { openBrowser } from '../runtime/child.js';
import { EMBEDDED_ORIGIN, ENVIRONMENT_PATH } from '../contract/access.js';
import { chooseMode } from '../output/mode.js';
import type { Owner } from './owner.js';
import { controlOf, readStateFile, seedSandbox } from './export-import.js';
import { requestLineLog } from './request-line.js';
import { readSettings, type TypedSettings } from './settings.js';

type ServerFlags = GlobalFlags &
  TypedSettings &
  Texts<'store' | 'seed'> &
  Readonly<Record<'port', string> & Record<'open' | 'allow-http-webhooks', boolean>>;

export async function serveSandbox(run: Run<ServerFlags>): Promise<void> {
  const { ports, flags } = run;
  const port = readPort(flags.port);
  const isTable = chooseMode(flags, ports.env['SVC_OUTPUT'], ports.output.isTTY, 'single') === 'table';
  const settings = readSettings(flags);
  const { openSandbox } = await import('./sandbox.js');
  const { serve } = await import('./server.js');
  const { IN_PROGRESS_MAX } = await import('./delivery/attempt.js');
  const { writeOwner, findOwner, removeOwner } = await import('./owner.js');
  const { whenAborted } = await import('./wire/http.js');
  if (flags.store === undefined) ensurePrivateFolder(ports.paths.data);
  const { clock, random } = ports;
  const store = flags.store ?? defaultStore(ports);
  const runningOwner = await findOwner(store, random);
  if (runningOwner !== null) {
    const { base_url: url, pid } = runningOwner;
    if (!flags.open || flags.seed !== undefined)
      throw new Failure('locked', `A server at ${url} (process ${pid}) is already using this store.`);
    const text = `The sandbox runs already, with its own settings: ${url}/`;
    await ports.output.write(`${isTable ? text : JSON.stringify(noticeOf(runningOwner, 'running'))}\n`);
    openBrowser(`${url}/`, ports.env);
    return;
  }
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  streamInLittleMemory();
  const network = await openNetwork(ports, flags['ca-file'], IN_PROGRESS_MAX);
  const { 'allow-http-webhooks': allowHttpWebhooks } = flags;
  let onReplaced = (): void => undefined;
  const open = flags.store === undefined ? openWithResetHint : openSandbox;
  const sandbox = await open({
    ...{ store, clock, random, ...settings, allowHttpWebhooks, onReplaced: () => onReplaced() },
  });
  const onDefect = ({ message }: Error): void =>
    void ports.errors.write(`The sandbox failed: ${message}\n`).catch(() => undefined);
  const secret = random.hex(32);
  const onServed = flags.quiet ? undefined : requestLineLog(ports, await styleForErrors(ports, flags));
  const options = {
    ...{ port, clock, secret, pid: ports.pid, receivers: network.transport, onDefect, page: readAsset },
    ...(onServed === undefined ? {} : { onServed }),
  };
  const server = await serve(sandbox, options).catch((error: unknown) => {
    sandbox.close();
    throw listenFailure(error, port);
  });
  const close = async (): Promise<void> => {
    await server.close();
    await network.close();
    sandbox.close();
  };
  if (state !== null) {
    try {
      await seedSandbox(controlOf(sandbox), state);
      const { forgetPlaces } = await import('./reset.js');
      const origin = `http://127.0.0.1:${server.port}`;
      await forgetPlaces(run, flags.store === undefined ? [origin, EMBEDDED_ORIGIN] : [origin]);
    } catch (error) {
      await close();
      throw error;
    }
  }
  const fixedMembers = { base_url: `http://127.0.0.1:${server.port}`, pid: ports.pid, secret };
  const currentOwner = (): Owner => ({ ...fixedMembers, api_key: sandbox.apiKey });
  const owner = currentOwner();
  writeOwner(store, owner);
  onReplaced = () => {
    try {
      writeOwner(store, currentOwner());
    } catch (error) {
      onDefect(error as Error);
    }
  };
  const notice = noticeOf(owner, 'ready', sandbox.code);
  await ports.output.write(isTable ? noticeText(notice, sandbox.code, flags) : `${JSON.stringify(notice)}\n`);
  if (!isTable && !flags.quiet) await ports.errors.write(`Try it: ${curlLine(notice)}\n`);
  if (flags.open) openBrowser(`${owner.base_url}/`, ports.env);
  await whenAborted(ports.signal);
  removeOwner(store, owner);
  await close();
  throw withEndText(ports.signal.reason, 'The sandbox has stopped.');
}

function noticeOf({ base_url: url, api_key: key, pid }: Owner, event: 'ready' | 'running', code?: string) {
  const addresses = { sandbox_base_url: url + ENVIRONMENT_PATH.sandbox, control_url: `${url}/_control` };
  return { event, base_url: url, ...addresses, api_key: key, code, pid };
}

type Notice = ReturnType<typeof noticeOf>;

const noticeText = (notice: Notice, code: string, { quiet }: GlobalFlags): string =>
  [
    `The sandbox is at ${notice.sandbox_base_url}`,
    `Its one valid code is ${code}.`,
    ...(quiet ? [] : [`See what happens in it: ${notice.base_url}/`]),
    'Stop it with Ctrl-C. For a program in another terminal:',
    `  export SVC_BASE_URL=${notice.base_url}`,
    `  export SVC_API_KEY=${notice.api_key}`,
    ...(quiet ? [] : [`  ${curlLine(notice)}`]),
    '',
  ].join('\n');

const curlLine = ({ api_key: key, sandbox_base_url: url }: Notice): string =>
  `curl -H 'Authorization: Bearer ${key}' ${url}/v2/balances`;
