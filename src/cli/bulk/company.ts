/** Whose batch it is: a batch belongs to a company, not to a key, the name of a profile or the spelling of an address. */
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Batch } from '../../bulk/store/batch.js';
import { memberAt } from '../../contract/json.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import type { OpenMirror } from '../feed/mirror.js';
import { maskOfKey } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { requireYes } from '../call/confirmation.js';
import { lookUp } from '../call/looking-up.js';
import type { AskingFlags } from './flags.js';

/** How many rows are looked at for an operation that proves whose batch it is. */
const SEARCHED_ROWS = 1000;

/**
 * Returns the batch where this session may go on with it: its company is the one of the session, or was proved to be.
 * @throws Failure `unsafe`: `other_company`, or `company_unknown` where nothing shows it
 */
export async function requireCompany(
  batch: Batch,
  store: BatchStore,
  mirror: OpenMirror,
  run: SessionRun<AskingFlags>,
): Promise<Batch> {
  const { session, flags } = run;
  const known = batch.company === null ? null : await mirror.mirrors.companyById(batch.company);
  if (known !== null && known.id === mirror.company.id) return batch;
  const states = ['confirmed', 'earlier', 'accepted', 'failed'] as const;
  const rows = await store.rows(batch.id, -1, SEARCHED_ROWS, states);
  const operation = rows.find((row) => row.operation !== null)?.operation ?? null;
  // Null where the batch has no operation that would prove it.
  const isOurs = operation === null ? null : (await lookUp(operation, run)) !== null;
  if (isOurs === false)
    throw new Failure(
      'unsafe',
      `Batch ${batch.name} belongs to another company: this key does not see its operations. Nothing was sent. Use a key of that company.`,
      { code: 'other_company', outcome: 'not_sent' },
    );
  // A company of which no mirror tells any more is as good as none: the key it began with is its own.
  const isSameKey =
    known === null && batch.origin === mirror.place.origin && batch.keyMask === maskOfKey(session.key);
  if (isOurs === null && !isSameKey) {
    if (flags['same-company'] !== true)
      throw new Failure(
        'unsafe',
        `Batch ${batch.name} began with another key or address. svc cannot tell whether both belong to the same company. Nothing was sent. ` +
          'If you know that they do, add --same-company.',
        { code: 'company_unknown', outcome: 'not_sent' },
      );
    requireYes('same-company', run);
  }
  // What was taken for two companies is one.
  if (known !== null) await mirror.mirrors.learn(known, mirror.place);
  const company = known?.id ?? mirror.company.id;
  await store.own(batch.id, company);
  return { ...batch, company };
}

/** The company's three letters, as the concept of its newest operation shows them; null where there is none. */
export async function lettersOf({ mirror }: OpenMirror, run: SessionRun<Where>): Promise<string | null> {
  const newest = await mirror.newest();
  const { body } = (newest === null ? null : await lookUp(newest.id, run)) ?? {};
  const range = body === undefined ? null : memberAt(body, 'concept');
  if (body === undefined || range === null) return null;
  const concept: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8'));
  return typeof concept === 'string' ? (/^\S+ ([^\s]{3})[^\s]{6}$/u.exec(concept)?.[1] ?? null) : null;
}
