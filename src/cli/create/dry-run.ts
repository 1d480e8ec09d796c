/** `--dry-run`: the request as JSON, with the key masked; nothing is sent. */
import type { Prepared } from '../../client/preparation.js';
import { KEY_PREFIX } from '../../contract/access.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { printerOfAnything } from '../printing/printer.js';

/** Prints `method`, `url`, `headers` and `body`; the body's own bytes stand in it unchanged. Always JSON. @throws Failure `usage` */
export async function printDryRun({ request }: Prepared, flags: GlobalFlags, ports: Ports): Promise<void> {
  const printer = await printerOfAnything(ports, { ...flags, output: 'json' });
  const headers = { ...request.headers, authorization: masked(request.headers['authorization'] ?? '') };
  const head = JSON.stringify({ method: request.method, url: request.url, headers });
  const body = Buffer.from(request.body ?? 'null').toString('utf8');
  await printer.answer(Buffer.from(`${head.slice(0, -1)},"body":${body.trim()}}`));
}

function masked(authorization: string): string {
  const prefix = Object.values(KEY_PREFIX).find((candidate) => authorization.includes(candidate)) ?? '';
  return `Bearer ${prefix}****`;
}
