/** The flags that say into which tables the events go, and what excludes them. */
import * as Flags from '@oclif/core/flags';
import type { Run } from '../../cli/command.js';
import { readCertificates } from '../../cli/session/connection.js';
import { readSecret } from '../../cli/stores/shared-state.js';
import { type IntoTarget, readInto } from '../../events/into/target.js';
import { Failure } from '../../runtime/failure.js';
import { hideable } from '../../state/source.js';
import type { FeedFlags } from './feed-flags.js';

export const intoFlags = {
  into: Flags.string({ summary: 'Write to tables: postgres://... or sqlite:FILE', helpValue: 'URL' }),
  create: Flags.boolean({ summary: 'Make the tables of --into if they are missing' }),
};

export type IntoFlags = FeedFlags & {
  readonly into?: string | undefined;
  readonly create: boolean;
};

/** What else may not be said beside `--into`, and why. */
const BESIDE: Readonly<Record<string, string>> = {
  checkpoint: 'the place in the feed is kept in the database, with the events',
  exec: 'the events go into the database',
  type: 'the tables hold the whole feed, and SQL chooses',
  reference: 'the tables hold the whole feed, and SQL chooses',
  id: 'the tables hold the whole feed, and SQL chooses',
  jq: 'nothing is printed',
  output: 'nothing is printed',
};

/** Null where the events go elsewhere. @throws Failure `usage`, `unsafe`, `local_state` */
export function intoOf({
  ports,
  flags,
}: Run<IntoFlags & { readonly exec?: string | undefined }>): IntoTarget | null {
  if (flags.into === undefined) {
    if (!flags.create) return null;
    throw new Failure('usage', '--create needs --into. Nothing was sent.');
  }
  for (const [name, why] of Object.entries(BESIDE))
    if ((flags as Readonly<Record<string, unknown>>)[name] !== undefined)
      throw new Failure('usage', `--${name} and --into exclude each other: ${why}. Nothing was sent.`);
  const { env, redact } = ports;
  const caFile = flags['ca-file'];
  return readInto(flags.into, {
    ...{ env, secret: readSecret },
    ca: () => (caFile === undefined ? null : readCertificates(caFile)),
    hide: (secrets) =>
      redact.add(hideable(secrets).flatMap((secret) => [secret, encodeURIComponent(secret)])),
  });
}
