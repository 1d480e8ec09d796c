/** Keeps the banks that were read, for completions: a help, which may be deleted at any time. */
import { join } from 'node:path';
import type { Conversation } from '../../client/client.js';
import type { Bank } from '../../contract/catalog.js';
import { writePrivate } from '../../runtime/files.js';
import type { Paths } from '../../runtime/folders.js';

/** Keeps the banks of a country, or of one method there. */
function keepBanks({ cache }: Paths, country: string, method: string, banks: readonly unknown[]): void {
  const name = `banks-${country.toUpperCase()}-${method}.json`;
  // What would be another path than a file of that folder is not kept.
  if (!/^banks-[A-Z]{2}-[a-z_]*\.json$/.test(name)) return;
  try {
    writePrivate(join(cache, name), Buffer.from(JSON.stringify({ banks })));
  } catch {
    // Completions do without.
  }
}

/** Keeps the banks of an answer where it holds any. */
export function keepAnsweredBanks(
  paths: Paths,
  { attempts }: Conversation,
  { country = '', method = '' }: Readonly<Record<string, string | undefined>> = {},
): void {
  const success = attempts.findLast((attempt) => attempt.kind === 'success');
  const banks = success === undefined ? null : banksIn(success.value);
  if (banks !== null) keepBanks(paths, country, method, banks);
}

/** The banks of a parsed answer, or null where it holds none that can be read. */
export function banksIn(value: unknown): Bank[] | null {
  const { banks } = (value ?? {}) as { readonly banks?: unknown };
  const list = Array.isArray(value)
    ? (value as unknown[])
    : Array.isArray(banks)
      ? (banks as unknown[])
      : null;
  return list?.filter(isBank) ?? null;
}

function isBank(value: unknown): value is Bank {
  const { code, name } = (value ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' && typeof name === 'string';
}
