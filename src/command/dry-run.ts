/** `--dry-run`: the request as JSON, with the key masked; nothing is sent. */
import type { Prepared } from '../client/preparation.js';
import { KEY_PREFIX } from '../contract/access.js';
import type { Ports } from '../runtime/ports.js';

/** Prints `method`, `url`, `headers` and `body`; the body's own bytes stand in it unchanged. */
export async function printDryRun({ request }: Prepared, ports: Ports): Promise<void> {
  const headers = { ...request.headers, authorization: masked(request.headers['authorization'] ?? '') };
  const head = JSON.stringify({ method: request.method, url: request.url, headers });
  const body = Buffer.from(request.body ?? 'null')
    .toString('utf8')
    .trim();
  await ports.output.write(`${head.slice(0, -1)},"body":${body}}\n`);
}

function masked(authorization: string): string {
  const prefix = Object.values(KEY_PREFIX).find((candidate) => authorization.includes(candidate)) ?? '';
  return `Bearer ${prefix}****`;
}
