/** Where the page of a running sandbox is: at `--base-url`, or at the server that owns the default store. */
import type { GlobalFlags, Run } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { openLoopback } from '../../cli/session/connection.js';
import { defaultStore } from '../../cli/session/embedded.js';
import { openBrowser } from '../../runtime/browser.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { namedSandbox } from './control-call.js';

/** Prints it and opens the browser. @throws Failure `network` where no server runs, `unsafe` for one elsewhere */
export async function showPage({ ports, flags }: Run): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const url = `${await originOf(ports, flags)}/`;
  await printer.answer(Buffer.from(JSON.stringify({ url })));
  openBrowser(url, ports.env);
}

async function originOf(ports: Ports, flags: GlobalFlags): Promise<string> {
  const named = namedSandbox(ports, flags);
  if (named !== null) return named;
  const { findOwner } = await import('../../sandbox/owner.js');
  const { transport, close } = await openLoopback(ports);
  const owner = await findOwner(defaultStore(ports), transport, ports.random).finally(close);
  if (owner !== null) return owner.base_url;
  const text = 'No sandbox server runs on this machine, and only a server has the page. Nothing was sent.';
  throw new Failure('network', text, { code: 'not_sent', nextCommand: 'svc sandbox start --open' });
}
