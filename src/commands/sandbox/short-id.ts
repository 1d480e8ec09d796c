/** An id of a sandbox as its lists print it, made whole by the sandbox itself: the beginning of one operation or delivery, and of no other. */
import { idBeginning, isUuid } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import { whereFlags } from '../../cli/line/where.js';
import { svcLine } from '../../runtime/shell.js';
import type { Run } from '../../cli/command.js';
import { withControl } from './control-call.js';

/** So many are shown of those that begin so. */
const SHOWN_MAX = 20;

const LISTS = {
  operation: {
    path: (text: string) => `/operations?search=${text}&limit=200&order=newest`,
    name: 'operations',
  },
  delivery: { path: () => '/deliveries', name: 'deliveries' },
} as const;

/**
 * The whole id in lower case; a whole one is asked nothing about.
 * @param typed by which name it was given, such as `--resend`
 * @throws Failure `usage` for what begins no id (`id_ambiguous` for what begins several), `not_found`; what asking ends in
 */
export async function wholeSandboxId(
  run: Run,
  kind: keyof typeof LISTS,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string> {
  if (isUuid(text)) return text.toLowerCase();
  const beginning = idBeginning(text);
  if (beginning === null) {
    const of = kind === 'operation' ? 'an operation' : 'a delivery';
    throw new Failure('usage', `${name} must be the id of ${of}, or 6 or more of its first characters.`);
  }
  const { path, name: list } = LISTS[kind];
  const body = await withControl(run, (send) => send({ method: 'GET', path: path(beginning) }));
  const listed = JSON.parse(Buffer.from(body).toString('utf8')) as Readonly<Record<string, { id: string }[]>>;
  const found = (listed[list] ?? []).map(({ id }) => id).filter((id) => id.startsWith(beginning));
  const [only, another] = found;
  if (only === undefined)
    throw new Failure('not_found', `The sandbox has no ${kind} whose id begins with ${text}.`, {
      outcome: 'sent',
      nextCommand: svcLine(`sandbox ${list}`, whereFlags(run.flags)),
    });
  if (another === undefined) return only;
  throw new Failure('usage', `Several ids begin with ${text}. Nothing was sent.`, {
    ...{ code: 'id_ambiguous', items: found.slice(0, SHOWN_MAX) },
    advice: ['Type more of the id.'],
  });
}
